import { expect, it } from 'vitest'
import { PlainExchange, type ExchangeInit } from '@gantry/mcp/exchange'
import { ClientRegister } from './stats.ts'

const ann = { kind: 'person', issuer: 'https://id.example', subject: 'ann' } as const

function request(init: Partial<ExchangeInit> = {}): PlainExchange {
  const client = {
    info: { name: 'app', version: '1' },
    capabilities: {},
    version: '2026-07-28' as const,
  }
  return new PlainExchange({ method: 'tools/call', params: {}, client, ...init })
}

it('gives the requests of one client the same names', () => {
  const register = new ClientRegister()
  const names = register.seen(request(), false)
  expect(names).toEqual({ name: 'app', version: '2026-07-28', session: undefined, principal: undefined })
  expect(register.seen(request(), false)).toBe(names)
  expect([...register.values()]).toMatchObject([{ requests: 2 }])
})

it('notices when a session has another name, revision or principal by now', () => {
  const register = new ClientRegister()
  const session = 's'
  const info = { name: 'other', version: '1' }
  const auth = { principal: ann, scopes: [], claims: {} }
  const older = '2025-11-25' as const
  for (const init of [
    {},
    { client: { info, capabilities: {}, version: '2026-07-28' as const } },
    { client: { info, capabilities: {}, version: older } },
    { auth },
    { auth: { ...auth, principal: { ...ann, subject: 'bob' } } },
  ]) {
    const exchange = request({ session, ...init })
    const { client } = exchange
    expect(register.seen(exchange, false)).toEqual({
      name: client.info?.name,
      version: client.version,
      session,
      principal: exchange.auth?.principal,
    })
  }
})
