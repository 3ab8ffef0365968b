import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { Server } from '@gantry/mcp/server'
import { PASSPORT, Passports } from '../../packages/gateway/src/cluster/passport.ts'
import { SESSION } from '../../packages/gateway/src/cluster/session-places.ts'
import { KeptKeys } from '../../packages/gateway/src/identity/keys/kept-keys.ts'
import { METRICS_SCOPE } from '../../packages/gateway/src/model/index.ts'
import { MISDIRECTED } from '../../packages/gateway/src/targets/connected/elsewhere.ts'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { serveHttp, type HttpTarget } from '../support/http-targets.ts'
import { legacyRequest, modernRequest } from '../support/raw-client.ts'
import { startRedis, type RedisServer } from '../support/redis.ts'
import { startSlowProxy, type SlowProxy } from '../support/slow-proxy.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const COUNTER = fileURLToPath(new URL('../scale/fixtures/counter-server.mjs', import.meta.url))
const SEALING = 'c29tZXRoaW5nIHRoYXQgbm9ib2R5IGd1ZXNzZXM'
const ALONE = { sealingKeys: [SEALING], shutdownGrace: 0 }
let redis: RedisServer
let proxy: SlowProxy
let target: HttpTarget
const gateways: TestGateway[] = []

beforeAll(async () => {
  redis = await startRedis()
  proxy = await startSlowProxy(redis.port)
  target = await serveHttp(
    new Server({
      name: 'words',
      version: '1.0.0',
      tools: {
        hello: { run: () => 'hello' },
        counted: { run: () => 'counted' },
        strict: { run: () => 'strict' },
      },
    }),
  )
}, 660_000)
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close()
})
afterAll(async () => {
  await target?.close()
  await proxy?.close()
  await redis?.stop()
})

async function start(
  prefix: string,
  more: Record<string, unknown> = {},
  { key = SEALING, timeout = '10s', port = 0 } = {},
): Promise<TestGateway> {
  const gateway = await testGateway(
    {
      mcpServers: { words: { url: target.url } },
      store: { redis: { url: `redis://127.0.0.1:${proxy.port}`, prefix, timeout } },
      server: { ...ALONE, sealingKeys: [key] },
      ...more,
    },
    { port },
  )
  gateways.push(gateway)
  return gateway
}

const call = (gateway: TestGateway, name: string, key?: string) =>
  modernRequest(
    gateway.endpoint,
    'tools/call',
    { name: `words_${name}`, arguments: {} },
    key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } },
  )

const textOf = (answer: Awaited<ReturnType<typeof call>>): unknown =>
  answer.message?.result?.content?.[0]?.text ?? answer.message
const ready = async (gateway: TestGateway, headers = {}) =>
  (await fetch(`${gateway.url}/ready?verbose`, { headers })).json()

const LIMITS = {
  rates: [
    { name: 'counted', for: ['words/counted'], rate: '2/h', shared: true },
    { name: 'strict', for: ['words/strict'], rate: '100/h', shared: true, storeAway: 'refuse' },
  ],
}

it('goes on without Redis: calls, sessions, known keys and limits; the rest says what is missing, and all comes back', async () => {
  const gateway = await start('away', { auth: { keys: true }, limits: LIMITS })
  const keys = new KeptKeys(gateway.gateway.store)
  const key = (await keys.add({ name: 'known', scopes: [METRICS_SCOPE] }))!
  const unused = (await keys.add({ name: 'unused' }))!
  const headers = { authorization: `Bearer ${key}` }
  expect(textOf(await call(gateway, 'hello', key))).toBe('hello')
  const initialize = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'old', version: '1' },
  }
  const opened = await legacyRequest(gateway.endpoint, 'initialize', initialize, { headers })
  const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id')! }
  await fetch(gateway.endpoint, {
    method: 'POST',
    headers: {
      ...session,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  })
  expect(await ready(gateway, headers)).toMatchObject({ store: { kind: 'redis', state: 'ok' } })

  await redis.kill()
  await expect.poll(() => gateway.gateway.store.away).toBeDefined()
  expect(textOf(await call(gateway, 'hello', key))).toBe('hello')
  const legacy = await legacyRequest(
    gateway.endpoint,
    'tools/call',
    { name: 'words_hello', arguments: {} },
    { headers: session },
  )
  expect(textOf(legacy)).toBe('hello')
  expect((await call(gateway, 'hello', unused)).status).toBe(503)
  // Counted here, and no further than the limit.
  expect(textOf(await call(gateway, 'counted', key))).toBe('counted')
  expect(textOf(await call(gateway, 'counted', key))).toBe('counted')
  expect(await call(gateway, 'counted', key)).toMatchObject({
    message: { error: { data: { limit: 'counted' } } },
  })
  expect((await call(gateway, 'strict', key)).message.error).toMatchObject({
    code: -32603,
    message: expect.stringContaining('cannot reach its store'),
    data: { reason: 'store-away' },
  })
  expect(await ready(gateway, headers)).toMatchObject({
    status: 'ok',
    store: { kind: 'redis', state: 'away' },
  })
  expect(await gateway.api.call('overview', {})).toMatchObject({
    store: { kind: 'redis', away: { reason: expect.any(String) } },
  })
  const metrics = await (await fetch(`${gateway.url}/metrics`, { headers })).text()
  expect(metrics).toContain('gantry_store_up 0')

  await redis.start()
  await expect.poll(() => gateway.gateway.store.away, { interval: 10 }).toBeUndefined()
  expect(textOf(await call(gateway, 'hello', unused))).toBe('hello')
  expect(textOf(await call(gateway, 'strict', key))).toBe('strict')
  expect((await gateway.api.call('overview', {})).store).toEqual({ kind: 'redis' })
})

it('starts without Redis, and uses it as soon as it is there', async () => {
  await redis.kill()
  const gateway = await start('late', { limits: LIMITS })
  expect(gateway.gateway.store.away).toBeDefined()
  expect(textOf(await call(gateway, 'hello'))).toBe('hello')
  const heard: string[] = []
  await gateway.gateway.store.subscribe('c', { message: (text) => void heard.push(text), missed: () => {} })
  await redis.start()
  await expect.poll(() => gateway.gateway.store.away, { interval: 10 }).toBeUndefined()
  expect(textOf(await call(gateway, 'strict'))).toBe('strict')
  await gateway.gateway.store.publish('c', 'heard')
  await expect.poll(() => heard).toEqual(['heard'])
})

it('gateways that start without Redis act as one as soon as it is there', async () => {
  await redis.kill()
  const together = {
    mcpServers: {
      words: { url: target.url },
      counter: { command: process.execPath, args: [COUNTER], env: { REVISIONS: '2025-11-25' } },
    },
    server: { ...ALONE, cluster: { port: 0 } },
  }
  const both = [await start('together', together), await start('together', together)]
  for (const gateway of both) expect(textOf(await call(gateway, 'hello'))).toBe('hello')
  await redis.start()
  const who = async (gateway: TestGateway) =>
    textOf(await modernRequest(gateway.endpoint, 'tools/call', { name: 'counter_who', arguments: {} }))
  for (const gateway of both) {
    await expect.poll(() => who(gateway), { interval: 100 }).toMatch(/^\d+$/)
  }
  expect(await who(both[0]!)).toBe(await who(both[1]!))
})

it('takes clients when it knows the other gateways, and not before: it would take their sessions for its own', async () => {
  const port = await freePort()
  const hop = await freePort()
  proxy.delay = 100
  const starting = start('known', { server: { ...ALONE, cluster: { port: hop } } }, { port })
  // What is meant for a gateway that was at this address before is refused meanwhile.
  const passport = new Passports([SEALING]).sign({ target: SESSION, to: 'the one before' })
  const passed = () =>
    fetch(`http://127.0.0.1:${hop}${SESSION}/mcp`, { headers: { [PASSPORT]: passport } }).then(
      ({ status }) => status,
      () => undefined,
    )
  expect(await vi.waitUntil(passed, { timeout: 60_000, interval: 1 })).toBe(MISDIRECTED)
  const initialize = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'early', version: '1' },
  }
  const open = () => legacyRequest(`http://127.0.0.1:${port}/mcp`, 'initialize', initialize)
  const isOpen = () => open().catch(() => undefined)
  const first = await vi.waitUntil(isOpen, { timeout: 60_000, interval: 5 })
  // The id names the gateway, so that others find it.
  expect(first.headers.get('mcp-session-id')!.split('~')).toHaveLength(3)
  await starting
  proxy.delay = 0
})

it('counts Redis that is too slow as away, and nothing else waits for it', async () => {
  const gateway = await start('slow', { limits: LIMITS }, { timeout: '500ms' })
  expect(textOf(await call(gateway, 'strict'))).toBe('strict')
  proxy.delay = 5000
  await expect.poll(() => gateway.gateway.store.away, { interval: 10 }).toBeDefined()
  const before = performance.now()
  expect(textOf(await call(gateway, 'hello'))).toBe('hello')
  expect((await call(gateway, 'strict')).message.error.data).toEqual({ reason: 'store-away' })
  expect(performance.now() - before).toBeLessThan(5000)
  proxy.delay = 0
  await expect.poll(() => gateway.gateway.store.away, { interval: 10 }).toBeUndefined()
  expect(textOf(await call(gateway, 'strict'))).toBe('strict')
})

it('two gateways share what is in it, and one with another sealing key is refused', async () => {
  const one = await start('shared', { auth: { keys: true } })
  const two = await start('shared', { auth: { keys: true } })
  const key = (await new KeptKeys(one.gateway.store).add({ name: 'common' }))!
  expect(textOf(await call(two, 'hello', key))).toBe('hello')
  await new KeptKeys(two.gateway.store).revoke('common')
  expect((await call(one, 'hello', key)).status).toBe(401)
  await expect(start('shared', {}, { key: `another ${SEALING}` })).rejects.toMatchObject({
    code: 'unusable',
    message: expect.stringContaining('"server.sealingKeys"'),
  })
})
