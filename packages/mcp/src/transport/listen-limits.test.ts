import { describe, expect, it } from 'vitest'
import { resource, Server } from '../server/index.ts'
import { HOST_KINDS, HttpHost } from './fixtures/http-hosts.test.node.ts'
import type { Guard } from './http/server/guard.ts'

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
      const message = { jsonrpc: '2.0', id: uri, method: 'resources/subscribe', params: { uri } }
      const answer = await host.post(message, session)
      await answer.text()
      statuses.push(answer.status)
    }
    expect(statuses.at(0)).toBe(200)
    expect(statuses.at(-1)).toBe(429)
  })
})
