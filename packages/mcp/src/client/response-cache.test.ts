import { describe, expect, it } from 'vitest'
import { until } from '../exchange/client/client-edge-peer.test.support.ts'
import type { JsonObject } from '../jsonrpc/index.ts'
import { META } from '../protocol/index.ts'
import { Client } from './client.ts'
import { ResponseCache } from './response-cache.ts'
import { scripted } from './scripted-connector.test.support.ts'

const never = () => new Promise(() => {})

describe('the response cache', () => {
  const fresh = { tools: [], ttlMs: 60_000, cacheScope: 'public' }

  it.each([
    [{ tools: [], ttlMs: 0 }],
    [{ tools: [], ttlMs: -5 }],
    [{ tools: [] }],
    [{ tools: [], ttlMs: 'long' }],
  ])('keeps nothing without a positive ttlMs: %j', (result) => {
    const cache = new ResponseCache()
    cache.slot('tools/list', {})?.store(result)
    expect(cache.slot('tools/list', {})?.found).toBeUndefined()
  })

  it('keeps a result until its time is over', async () => {
    const cache = new ResponseCache()
    cache.slot('tools/list', {})?.store({ ...fresh, ttlMs: 20 })
    expect(cache.slot('tools/list', {})?.found).toMatchObject({ tools: [] })
    await until(() => cache.slot('tools/list', {})?.found === undefined)
  })

  it('tells requests apart by everything but _meta, whatever the order of members', () => {
    const cache = new ResponseCache()
    cache.slot('resources/read', { uri: 'a', x: { p: 1, q: 2 }, _meta: { t: 1 } })?.store({ ...fresh })
    expect(
      cache.slot('resources/read', { x: { q: 2, p: 1 }, uri: 'a', _meta: { t: 2 } })?.found,
    ).toBeDefined()
    expect(cache.slot('resources/read', { uri: 'a' })?.found).toBeUndefined()
    expect(cache.slot('tools/list', { cursor: '1' })?.found).toBeUndefined()
  })

  it('has no place for retried rounds and for methods that are not cacheable', () => {
    const cache = new ResponseCache()
    expect(cache.slot('resources/read', { uri: 'a', requestState: 's' })).toBeUndefined()
    expect(cache.slot('resources/read', { uri: 'a', inputResponses: {} })).toBeUndefined()
    expect(cache.slot('tools/call', { name: 'a' })).toBeUndefined()
  })

  it('forgets what a notification makes stale, also while it is on its way', () => {
    const cache = new ResponseCache()
    cache.slot('tools/list', {})?.store(fresh)
    cache.slot('prompts/list', {})?.store(fresh)
    cache.slot('resources/read', { uri: 'file:///a' })?.store(fresh)
    const late = cache.slot('tools/list', { cursor: 'x' })
    cache.invalidate('notifications/tools/list_changed', {})
    late?.store(fresh)
    expect(cache.slot('tools/list', {})?.found).toBeUndefined()
    expect(cache.slot('tools/list', { cursor: 'x' })?.found).toBeUndefined()
    expect(cache.slot('prompts/list', {})?.found).toBeDefined()
    cache.invalidate('notifications/resources/updated', { uri: 'file:///a' })
    expect(cache.slot('resources/read', { uri: 'file:///a' })?.found).toBeUndefined()
  })

  it('is bounded, and what it hands out is a copy', () => {
    const cache = new ResponseCache({ maxEntries: 2 })
    for (const cursor of ['1', '2', '3']) cache.slot('tools/list', { cursor })?.store(fresh)
    expect(cache.slot('tools/list', { cursor: '1' })?.found).toBeUndefined()
    const found = cache.slot('tools/list', { cursor: '3' })?.found as { tools: unknown[] }
    found.tools.push('mine')
    expect(cache.slot('tools/list', { cursor: '3' })?.found?.tools).toEqual([])
  })
})

describe('a client with a cache', () => {
  it('asks once while the answer is fresh, and again after a change or when told to', async () => {
    const connector = scripted(
      'modern',
      ({ request, notify }) => {
        if (request.method !== 'subscriptions/listen')
          return { tools: [], ttlMs: 60_000, cacheScope: 'private' }
        const _meta = { [META.subscriptionId]: request.id }
        notify('notifications/subscriptions/acknowledged', {
          _meta,
          notifications: { toolsListChanged: true },
        })
        return never()
      },
      { capabilities: { tools: { listChanged: true } } },
    )
    await using client = new Client({ connector })
    let changes = 0
    client.on('toolsChanged', () => changes++)
    await client.listTools().all()
    await client.listTools().all()
    expect(connector.peer.of('tools/list')).toHaveLength(1)
    await client.listTools({ fresh: true }).all()
    expect(connector.peer.of('tools/list')).toHaveLength(2)
    await until(() => connector.peer.of('subscriptions/listen').length === 1)
    const [listen] = connector.peer.of('subscriptions/listen')
    await until(() => {
      connector.peer.notify('notifications/tools/list_changed', {
        _meta: { [META.subscriptionId]: listen?.id },
      })
      return changes > 0
    })
    await client.listTools().all()
    expect(connector.peer.of('tools/list')).toHaveLength(3)
  })

  it('does not keep what took more than one round', async () => {
    const connector = scripted('modern', ({ request }) => {
      const { requestState } = request.params as JsonObject
      if (requestState === undefined) return { resultType: 'input_required', requestState: 's' }
      return { contents: [], ttlMs: 60_000, cacheScope: 'private' }
    })
    await using client = new Client({ connector })
    await client.readResource('file:///a')
    await client.readResource('file:///a')
    expect(connector.peer.of('resources/read')).toHaveLength(4)
  })

  it('keeps nothing when it is switched off', async () => {
    const connector = scripted('modern', () => ({ tools: [], ttlMs: 60_000, cacheScope: 'public' }))
    await using client = new Client({ connector, cache: false })
    await client.listTools().all()
    await client.listTools().all()
    expect(connector.peer.of('tools/list')).toHaveLength(2)
  })
})
