import { beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject, Outcome } from '@gantry/mcp/exchange'
import { Server, tool, ToolError } from '@gantry/mcp/server'
import { chainBench, liveExchange } from '../chain.test.support.ts'
import type { ResolvedExchange } from '../gateway-exchange.ts'
import { LoopGuard } from './loop-guard.ts'

let calls = 0
let message = 'no such file'
const app = new Server({
  name: 'a',
  tools: {
    read: tool({
      input: { type: 'object', properties: { path: { type: 'string' } } },
      run: ({ path }: { path?: string }) => {
        calls++
        if (path === 'good' || message === '') return 'text'
        throw new ToolError(message)
      },
    }),
  },
})
const { gateway } = await chainBench({ a: app }, { limits: { repeatedErrors: { after: 3, pause: '1h' } } })

let session = 0
const call = async (args: JsonObject, caller = String(session)): Promise<string> => {
  const exchange = liveExchange('tools/call', { name: 'a_read', arguments: args }, { session: caller })
  return JSON.stringify((await gateway.endpoint()!.respond(exchange)) as Outcome)
}

beforeEach(() => {
  session++
  calls = 0
  message = 'no such file'
})

describe('a call that fails again and again', () => {
  it('is answered by the gateway after three times, with the error and advice', async () => {
    for (let at = 0; at < 3; at++) expect(await call({ path: 'x', mode: 1 })).toContain('no such file')
    const answer = await call({ mode: 1, path: 'x' })
    expect(answer).toContain('failed 3 times in a row')
    expect(answer).toContain('The error was: no such file')
    expect(calls).toBe(3)
  })

  it('is made while its error changes', async () => {
    for (let at = 0; at < 5; at++) {
      message = `try ${at}`
      await call({ path: 'x' })
    }
    expect(calls).toBe(5)
  })

  it('stops no other call, and no other caller', async () => {
    for (let at = 0; at < 4; at++) await call({ path: 'x' })
    expect(await call({ path: 'y' })).toContain('no such file')
    expect(await call({ path: 'good' })).toContain('text')
    expect(await call({ path: 'x' }, 'another')).not.toContain('in a row')
  })

  it('begins anew when it has worked once', async () => {
    const answers: string[] = []
    for (message of ['no', 'no', '', 'no', 'no', 'no']) answers.push(await call({ path: 'x' }))
    expect(answers.filter((answer) => answer.includes('in a row'))).toEqual([])
    expect(await call({ path: 'x' })).toContain('in a row')
  })
})

it('leaves refusals of limits alone: they end by waiting', async () => {
  const limits = { repeatedErrors: { after: 3, pause: '1h' }, rates: [{ rate: '1/h' }] }
  const limited = await chainBench({ a: app }, { limits })
  const respond = (): Promise<Outcome> | Outcome =>
    limited.gateway
      .endpoint()!
      .respond(liveExchange('tools/call', { name: 'a_read', arguments: { path: 'good' } }))
  expect((await respond()).type).toBe('complete')
  for (let at = 0; at < 5; at++)
    expect(await respond()).toMatchObject({ error: { data: { reason: 'limit' } } })
})

it('remembers a bounded number of calls, of all callers together', () => {
  const guard = new LoopGuard({ after: 2, pause: 1000 })
  const failed: Outcome = { type: 'error', error: { code: -32000, message: 'x'.repeat(10_000) } }
  const call = (session: string, path: number): ResolvedExchange =>
    ({
      session,
      client: {},
      params: { arguments: { path } },
      resolved: { target: { name: 'a' }, name: 'read' },
    }) as unknown as ResolvedExchange
  for (let at = 0; at < 20_000; at++) guard.note(call(`s${at % 200}`, at), failed)
  expect(guard.size).toBeLessThanOrEqual(10_000)
  for (let at = 0; at < 12_000; at++) guard.note(call(`t${at}`, 1), failed)
  expect(guard.size).toBeLessThanOrEqual(10_000)
  guard.note(call('t11999', 1), { type: 'complete', result: {} } as Outcome)
  expect(guard.size).toBe(9_999)
})
