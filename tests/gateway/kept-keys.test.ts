import { afterEach, describe, expect, it } from 'vitest'
import { KeptKeys } from '../../packages/gateway/src/identity/keys/kept-keys.ts'
import { openStoreOf } from '../../packages/gateway/src/state/open-state.ts'
import { createAdminClient } from '../../packages/gateway/src/admin/contract.ts'
import { until } from '../support/admin-gateway.ts'
import { legacyRequest, modernRequest } from '../support/raw-client.ts'
import { scriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

async function start(config: object = {}): Promise<TestGateway> {
  const target = await scriptedTarget({})
  closing.push(() => target.close())
  const mcpServers = { notes: { url: target.url }, other: { url: target.url } }
  const gateway = await testGateway({ mcpServers, auth: { keys: true }, ...config })
  closing.push(() => gateway.close())
  return gateway
}

/** Another process that has the store of the gateway open. */
async function otherProcess({ gateway }: TestGateway): Promise<KeptKeys> {
  const store = await openStoreOf(gateway.model)
  closing.push(() => store.close())
  return new KeptKeys(store)
}

const statusOf = async (endpoint: string, key?: string): Promise<number> => {
  const { status } = await modernRequest(endpoint, 'tools/list', {}, key === undefined ? {} : as(key))
  return status
}

it('a key opens the gateway when it is made, and no longer when it is revoked, without a restart', async () => {
  const gateway = await start()
  const { api, endpoint } = gateway
  expect(await statusOf(endpoint)).toBe(401)
  const { key } = await api.call('addKey', { body: { name: 'ci' } })
  expect(await statusOf(endpoint, key)).toBe(200)
  expect(await statusOf(endpoint, `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`)).toBe(401)
  await api.call('revokeKey', { params: { name: 'ci' } })
  expect(await statusOf(endpoint, key)).toBe(401)
})

it('another process makes and revokes keys, and streams end', async () => {
  const gateway = await start()
  const other = await otherProcess(gateway)
  const key = (await other.add({ name: 'ci' }))!
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const opened = await legacyRequest(gateway.endpoint, 'initialize', params, as(key))
  const session = opened.headers.get('mcp-session-id')!
  const headers = { ...as(key).headers, accept: 'text/event-stream', 'mcp-session-id': session }
  const stream = await fetch(gateway.endpoint, { headers })
  expect(stream.status).toBe(200)
  let isOpen = true
  const ended = stream.text().then(
    () => (isOpen = false),
    () => (isOpen = false),
  )
  expect(isOpen).toBe(true)
  await other.revoke('ci')
  expect((await fetch(gateway.endpoint, { headers })).status).toBe(401)
  await until(() => !isOpen, 'The end of the stream')
  await ended
})

describe('a key for a view', () => {
  it('opens its endpoint and nothing else', async () => {
    const gateway = await start({ views: { support: { use: ['notes/*'] } } })
    const body = { name: 'desk', views: ['support'], scopes: ['gantry:admin', 'gantry:metrics'] }
    const { key } = await gateway.api.call('addKey', { body })
    const statuses = await Promise.all(
      ['/mcp/support', '/mcp/%73upport', '/mcp', '/sse', '/mcp/notes', '/mcp/', '/mcp/support/../notes'].map(
        (path) => statusOf(gateway.url + path, key),
      ),
    )
    expect(statuses).toEqual([200, 200, 403, 403, 403, 403, 403])
    for (const path of ['/api/keys', '/metrics', '/health?verbose']) {
      const { status } = await fetch(gateway.url + path, as(key))
      expect([401, 403]).toContain(status)
    }
  })
})

it('rules know a key by its name and scopes', async () => {
  const gateway = await start({
    policy: { default: 'deny', rules: [{ who: { apiKeys: ['ci'] }, allow: ['notes/*'] }] },
  })
  const { key } = await gateway.api.call('addKey', { body: { name: 'ci' } })
  const { key: other } = await gateway.api.call('addKey', { body: { name: 'cd' } })
  expect(await statusOf(`${gateway.url}/mcp/notes`, key)).toBe(200)
  expect(await statusOf(`${gateway.url}/mcp/notes`, other)).toBe(404)
})

it('the holder of an admin key has the API, and sees no secret of another', async () => {
  const gateway = await start()
  const { key: boss } = await gateway.api.call('addKey', { body: { name: 'boss', scopes: ['gantry:admin'] } })
  const { key: ci } = await gateway.api.call('addKey', { body: { name: 'ci' } })
  const api = createAdminClient({ url: gateway.url, token: boss })
  const { keys, accepting } = await api.call('keys', {})
  expect(accepting).toBe(true)
  expect(keys.map(({ name, state }) => [name, state])).toEqual([
    ['boss', 'active'],
    ['ci', 'active'],
  ])
  expect(JSON.stringify(keys)).not.toContain(ci.slice(6))
  await expect(createAdminClient({ url: gateway.url, token: ci }).call('keys', {})).rejects.toThrow(
    /may not administer/,
  )
})

it('a key of the store that has the name of a configured one opens nothing', async () => {
  const gateway = await start({
    auth: { keys: true, apiKeys: [{ name: 'ops', key: 'a-key-that-is-long-enough' }] },
  })
  const key = (await (await otherProcess(gateway)).add({ name: 'ops' }))!
  expect(await statusOf(gateway.endpoint, key)).toBe(401)
  expect(await statusOf(gateway.endpoint, 'a-key-that-is-long-enough')).toBe(200)
})

it('keys open nothing where the configuration does not accept them', async () => {
  const gateway = await start({ auth: { apiKeys: [{ name: 'ops', key: 'a-key-that-is-long-enough' }] } })
  const { key, row } = await gateway.api.call('addKey', { body: { name: 'ci' } })
  expect(row.state).toBe('not-accepted')
  expect(await statusOf(gateway.endpoint, key)).toBe(401)
})
