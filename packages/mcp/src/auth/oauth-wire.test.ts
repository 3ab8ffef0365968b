import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Wire } from '../exchange/index.ts'
import { McpError } from '../jsonrpc/index.ts'
import { http } from '../transport/http/client/http-client.ts'
import { AuthWorld } from './fixtures/auth-world.test.node.ts'

let world: AuthWorld
let wire: Wire
beforeEach(async () => {
  world = await new AuthWorld().start()
  const guard = world.mcp.routes.get('POST /mcp')!
  world.mcp.on('POST /mcp', async (seen) => {
    const answer = await guard(seen)
    if (typeof answer === 'object' && answer.status !== undefined) return answer
    const { id } = JSON.parse(seen.body) as { id: number }
    return { json: { jsonrpc: '2.0', id, result: { n: id } } }
  })
  wire = await http(world.serverUrl, { auth: world.provider() }).open()
})
afterEach(async () => {
  await wire.close()
  await world.stop()
})

function ping(id: number, signal?: AbortSignal): Promise<unknown> {
  return wire.request({ jsonrpc: '2.0', id, method: 'ping' }, { signal })
}

it('the HTTP wire signs in, and ten refused requests of it share one refresh', async () => {
  await ping(0)
  world.revokeAccess()
  const answers = await Promise.all(Array.from({ length: 10 }, (_, id) => ping(id)))
  expect(answers).toEqual(Array.from({ length: 10 }, (_, id) => ({ jsonrpc: '2.0', id, result: { n: id } })))
  const grants = world.as.asked('/token').map(({ form }) => form.get('grant_type'))
  expect(grants).toEqual(['authorization_code', 'refresh_token'])
})

it('the HTTP wire steps up on insufficient_scope', async () => {
  world.requiredScope = 'write'
  await ping(1)
  expect(world.as.asked('/authorize').map(({ query }) => query.get('scope'))).toEqual([null, 'write'])
})

it('the reason of a failed sign-in reaches the caller of the wire', async () => {
  world.metadata.issuer = 'https://attacker.example.com'
  await expect(ping(1)).rejects.toMatchObject({ code: 'oauth', details: { check: 'issuer_mismatch' } })
})

it('a caller that gives up ends a sign-in that nobody else waits for', async () => {
  await wire.close()
  let ended: () => void = () => {}
  const aborted = new Promise<void>((resolve) => {
    ended = resolve
  })
  const abort = new AbortController()
  const redirect = {
    uri: 'http://127.0.0.1:1/callback',
    open: () => abort.abort(new Error('never mind')),
    waitForCode: ({ signal }: { signal: AbortSignal }) => {
      if (signal.aborted) ended()
      signal.addEventListener('abort', () => ended())
      return new Promise<never>(() => {})
    },
  }
  wire = await http(world.serverUrl, { auth: world.provider({ redirect }) }).open()
  await expect(ping(1, abort.signal)).rejects.toThrow()
  await aborted
})

it('a call that runs out of time leaves the sign-in to the user, and the next call has the token', async () => {
  await wire.close()
  const user = world.redirect()
  let finish: () => void = () => {}
  const typed = new Promise<void>((resolve) => {
    finish = resolve
  })
  const abort = new AbortController()
  const redirect = {
    ...user,
    async open(url: string) {
      abort.abort(new McpError('timeout', 'The call took too long'))
      await typed
      await user.open(url)
    },
  }
  wire = await http(world.serverUrl, { auth: world.provider({ redirect }) }).open()
  await expect(ping(1, abort.signal)).rejects.toMatchObject({ code: 'timeout' })
  const next = ping(2)
  finish()
  expect(await next).toMatchObject({ result: { n: 2 } })
  expect(world.as.asked('/authorize')).toHaveLength(1)
})
