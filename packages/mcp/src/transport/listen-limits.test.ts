import { describe, expect, it } from 'vitest'
import { ServerConnection } from '../exchange/index.ts'
import { resource, Server } from '../server/index.ts'
import { HOST_KINDS, HttpHost } from './fixtures/http-hosts.test.node.ts'
import type { Guard } from './http/server/reply.ts'

const guard: Guard = ({ headers }) => ({
  ok: true,
  auth: { principal: { kind: 'key', subject: headers.authorization ?? '' }, scopes: [], claims: {} },
})

const app = (limits = {}): Server =>
  new Server({
    name: 's',
    resources: [resource({ uri: 'a://b', text: 'x' })],
    subscriptions: limits,
  }) as Server

const uris = (count: number): string[] => Array.from({ length: count }, (_, index) => `a://b/${index}`)

const subscribe = (host: HttpHost, session: Record<string, string>, uri: string): Promise<Response> =>
  host.post({ jsonrpc: '2.0', id: uri, method: 'resources/subscribe', params: { uri } }, session)

describe.each(HOST_KINDS)('what clients listen for, with the %s handler', (kind) => {
  it('300,000 resources in one request are refused', async () => {
    await using host = await HttpHost.open(kind, app(), { guard })
    const answer = await host.modern('subscriptions/listen', {
      notifications: { resourceSubscriptions: uris(300_000) },
    })
    expect((await answer.json()).error).toMatchObject({
      code: -32602,
      data: { reason: 'too_many_subscriptions', limit: 1000 },
    })
  })

  it('one caller is refused at its share with 429, and another is served', async () => {
    await using host = await HttpHost.open(kind, app({ perCaller: 4, total: 8 }), { guard })
    const abort = new AbortController()
    const listen = (authorization: string): Promise<Response> =>
      host.modern(
        'subscriptions/listen',
        { notifications: { resourceSubscriptions: ['a://b'] } },
        { headers: { authorization }, signal: abort.signal },
      )
    expect([(await listen('a')).status, (await listen('a')).status]).toEqual([200, 200])
    const refused = await listen('a')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect((await refused.json()).error.data).toEqual({ reason: 'subscriptions', retryAfter: 10 })
    expect((await listen('b')).status).toBe(200)
    abort.abort()
  })

  it('subscriptions of a legacy session count as well', async () => {
    await using host = await HttpHost.open(kind, app({ perCaller: 6, total: 100 }))
    const session = await host.session()
    const statuses: number[] = []
    for (const uri of uris(5)) {
      const answer = await subscribe(host, session, uri)
      await answer.text()
      statuses.push(answer.status)
    }
    expect(statuses.at(0)).toBe(200)
    expect(statuses.at(-1)).toBe(429)
  })

  it.each([
    { whose: 'of one principal', authorizations: ['a', 'a', 'a'], limits: { perCaller: 12, total: 100 } },
    { whose: 'without a principal', authorizations: ['', '', ''], limits: { perCaller: 100, total: 12 } },
  ])('those of many sessions $whose count together', async ({ authorizations, limits }) => {
    const isKnown = authorizations[0] !== ''
    await using host = await HttpHost.open(kind, app(limits), isKnown ? { guard } : {})
    const statuses: number[] = []
    for (const authorization of authorizations) {
      const session = await host.session('2025-11-25', {}, isKnown ? { authorization } : {})
      for (const uri of uris(5)) statuses.push((await subscribe(host, session, uri)).status)
    }
    expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200])
    expect(statuses.slice(5)).toContain(429)
    // Each counts for two: the listener and its resource. A session listens for lists, too.
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(5)
    const other = isKnown ? { headers: { authorization: 'b' } } : {}
    expect((await host.modern('resources/read', { uri: 'a://b' }, other)).status).toBe(200)
  })
})

it('20,000 subscriptions of one session are refused beyond 10,000', async () => {
  let accepted = 0
  let refused = 0
  const send = (text: string): void => {
    if (text.includes('"Too many subscriptions: end some first"')) refused++
    else if (text.endsWith('"result":{}}')) accepted++
  }
  const connection = new ServerConnection(app(), { send, maxInFlight: 20_001 })
  const ask = (id: number, method: string, params: object): void =>
    connection.receive({ jsonrpc: '2.0', id, method, params })
  const clientInfo = { name: 'c', version: '1' }
  ask(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  await connection.idle()
  for (let id = 1; id <= 20_000; id++) ask(id, 'resources/subscribe', { uri: `a://b/${id}` })
  await connection.idle()
  await expect.poll(() => accepted + refused).toBe(20_000)
  expect(accepted).toBe(10_000)
  connection.close()
})
