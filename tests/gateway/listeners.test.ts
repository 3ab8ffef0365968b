import { afterEach, describe, expect, it } from 'vitest'
import { resource, Server, tool } from '@gantry/mcp/server'
import { legacyRequest, listenRaw, modernRequest, openSession } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const KEYS = { greedy: 'a-long-enough-key-for-the-greedy', modest: 'a-long-enough-key-for-the-modest' }
const as = (caller: keyof typeof KEYS) => ({ authorization: `Bearer ${KEYS[caller]}` })

const app = new Server({
  name: 'app',
  tools: { quick: tool({ run: () => 'quick' }) },
  resources: [resource({ uri: 'app://thing', name: 'thing', text: 'thing' })],
})

let gateway: TestGateway
let abort: AbortController
afterEach(async () => {
  abort.abort()
  await gateway.close()
})

async function start(limits: object = {}, keys = true): Promise<void> {
  abort = new AbortController()
  const apiKeys = Object.entries(KEYS).map(([name, key]) => ({ name, key }))
  gateway = await testGateway(
    {
      mcpServers: { app: { module: 'app' } },
      server: { limits },
      ...(keys && { auth: { apiKeys } }),
    },
    { embedded: new Map([['app', app]]) },
  )
}

const uris = (count: number): string[] => Array.from({ length: count }, (_, index) => `app://thing/${index}`)

const listen = (filter: object, caller: keyof typeof KEYS) =>
  modernRequest(
    gateway.endpoint,
    'subscriptions/listen',
    { notifications: filter },
    { headers: as(caller), signal: abort.signal },
  )

/** Resolves when it is acknowledged. */
function listening(filter: object, caller: keyof typeof KEYS): Promise<void> {
  return new Promise((resolve, reject) => {
    listenRaw(gateway.endpoint, { notifications: filter }, {}, abort.signal, () => resolve(), {
      headers: as(caller),
    }).catch(reject)
  })
}

const quick = async (caller: keyof typeof KEYS): Promise<number> =>
  (
    await modernRequest(
      gateway.endpoint,
      'tools/call',
      { name: 'app_quick', arguments: {} },
      { headers: as(caller) },
    )
  ).status

describe('subscriptions/listen', () => {
  it('with 300,000 resources is refused at once, takes no memory, and holds nobody up', async () => {
    await start()
    expect(await quick('modest')).toBe(200)
    const before = process.memoryUsage.rss()
    const refused = await listen({ resourceSubscriptions: uris(300_000) }, 'greedy')
    expect(refused.status).toBe(200)
    expect(refused.message.error).toMatchObject({
      code: -32602,
      data: { reason: 'too_many_subscriptions', limit: 1000 },
    })
    const begun = Date.now()
    expect(await quick('modest')).toBe(200)
    expect(Date.now() - begun).toBeLessThan(20_000)
    // This process is client and gateway at once: the request alone takes tens of megabytes on either side.
    expect((process.memoryUsage.rss() - before) / 1024 / 1024).toBeLessThan(400)
  })

  it('counts tasks as well as resources', async () => {
    await start({ subscriptionsPerRequest: 10 })
    const refused = await listen({ taskIds: uris(6), resourceSubscriptions: uris(6) }, 'greedy')
    expect(refused.message.error.data).toMatchObject({ reason: 'too_many_subscriptions', limit: 10 })
  })

  it('refuses a caller at its share with 429; others may listen', async () => {
    await start({ subscriptions: 10, callerShare: 0.5 })
    for (let count = 0; count < 5; count++) await listening({ toolsListChanged: true }, 'greedy')
    const refused = await listen({ toolsListChanged: true }, 'greedy')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('10')
    expect(refused.message.error.data.reason).toBe('subscriptions')
    await listening({ toolsListChanged: true }, 'modest')
    expect(await quick('greedy')).toBe(200)
  })

  it('gives back what a listener held when it ends', async () => {
    await start({ subscriptions: 2, callerShare: 1 })
    await listening({ resourceSubscriptions: ['app://thing'] }, 'greedy')
    expect((await listen({}, 'modest')).status).toBe(429)
    abort.abort()
    abort = new AbortController()
    const deadline = Date.now() + 30_000
    for (;;) {
      const again = await Promise.race([
        listening({}, 'modest').then(() => true),
        new Promise<boolean>((resolve) => setTimeout(resolve, 200, false)),
      ])
      if (again) return
      expect(Date.now()).toBeLessThan(deadline)
    }
  })
})

it('resources/subscribe of a legacy session is counted in the same way', async () => {
  await start({ subscriptions: 20, callerShare: 0.5 }, false)
  const [mine, other] = [await openSession(gateway.endpoint), await openSession(gateway.endpoint)]
  const subscribe = async (uri: string, session: string): Promise<number> =>
    (await legacyRequest(gateway.endpoint, 'resources/subscribe', { uri }, { session })).status
  const statuses: number[] = []
  for (const uri of uris(8)) statuses.push(await subscribe(`app+${uri}`, mine))
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(3)
  expect(await subscribe('app+app://thing', other)).toBe(200)
})
