import { describe, expect, it } from 'vitest'
import { type Turn, until } from '../../exchange/client/client-edge-peer.test.support.ts'
import type { JsonObject } from '../../jsonrpc/index.ts'
import { McpError } from '../../jsonrpc/index.ts'
import { META } from '../../protocol/index.ts'
import { Client } from '../client.ts'
import { scripted } from '../scripted-connector.test.support.ts'

const never = () => new Promise(() => {})
const capabilities = {
  tools: { listChanged: true },
  prompts: {},
  resources: { listChanged: true, subscribe: true },
}

/** A server at a URL that acknowledges what it is asked to, and lets the test announce changes. */
function announcing(era: 'modern' | 'legacy') {
  const listens: Turn[] = []
  const connector = scripted(
    era,
    (turn) => {
      const { request, notify } = turn
      if (request.method !== 'subscriptions/listen') return { content: [], tools: [] }
      listens.push(turn)
      const _meta = { [META.subscriptionId]: request.id }
      const { notifications } = request.params as JsonObject
      notify('notifications/subscriptions/acknowledged', { _meta, notifications })
      return never()
    },
    { capabilities, kind: 'http' },
  )
  const openFilters = () =>
    listens.filter(({ signal }) => !signal.aborted).map(({ request }) => request.params?.notifications)
  const announce = (method: string, params: JsonObject = {}) => {
    if (era === 'legacy') return connector.peer.notify(method, params)
    for (const { request, notify } of listens) {
      notify(method, { ...params, _meta: { [META.subscriptionId]: request.id } })
    }
  }
  return { connector, openFilters, announce }
}

describe.each(['modern', 'legacy'] as const)('changes of a %s server', (era) => {
  it('reach those who listen, and nobody after that', async () => {
    const { connector, openFilters, announce } = announcing(era)
    await using client = new Client({ connector })
    const heard: string[] = []
    const off = client.on('toolsChanged', () => heard.push('tools'))
    client.on('resourcesChanged', () => heard.push('resources'))
    await client.connect()
    if (era === 'modern') {
      await until(() => openFilters().length === 1)
      expect(openFilters()[0]).toEqual({ toolsListChanged: true, resourcesListChanged: true })
    }
    await until(() => {
      announce('notifications/tools/list_changed')
      return heard.includes('tools')
    })
    off()
    const before = heard.filter((event) => event === 'tools').length
    await until(() => {
      announce('notifications/tools/list_changed')
      announce('notifications/resources/list_changed')
      return heard.includes('resources')
    })
    expect(heard.filter((event) => event === 'tools')).toHaveLength(before)
  })

  it('subscribe reports updates of that resource until it is closed', async () => {
    const { connector, openFilters, announce } = announcing(era)
    await using client = new Client({ connector })
    const updated: string[] = []
    client.on('resourceUpdated', ({ uri }) => updated.push(uri))
    const subscription = await client.subscribe('file:///a')
    const other = await client.subscribe('file:///b')
    announce('notifications/resources/updated', { uri: 'file:///a' })
    await until(() => updated.length === 1)
    expect(updated).toEqual(['file:///a'])
    subscription.close()
    subscription.close()
    if (era === 'legacy') {
      await until(() => connector.peer.of('resources/unsubscribe').length === 1)
      expect(connector.peer.of('resources/subscribe').map(({ params }) => params?.uri)).toEqual([
        'file:///a',
        'file:///b',
      ])
    } else {
      await until(() => JSON.stringify(openFilters()) === '[{"resourceSubscriptions":["file:///b"]}]')
    }
    other.close()
  })

  it('is listened to again after the connection was lost', async () => {
    const { connector, announce } = announcing(era)
    await using client = new Client({ connector })
    let heard = 0
    client.on('toolsChanged', () => heard++)
    await client.subscribe('file:///a')
    connector.peer.die(new McpError('exited', 'gone'))
    await client.call('x')
    expect(connector.peers).toHaveLength(2)
    await until(() => {
      announce('notifications/tools/list_changed')
      return heard > 0
    })
    if (era === 'legacy') expect(connector.peer.of('resources/subscribe')).toHaveLength(1)
  })
})

describe('listening', () => {
  it('is one request for all, opened anew before the old one is given up', async () => {
    const { connector, openFilters } = announcing('modern')
    await using client = new Client({ connector })
    await client.connect()
    client.on('toolsChanged', () => {})
    client.on('resourcesChanged', () => {})
    await until(() => connector.peer.of('subscriptions/listen').length === 1)
    await client.subscribe('file:///a')
    await until(() => openFilters().length === 1)
    expect(connector.peer.methods.slice(1)).toEqual(['subscriptions/listen', 'subscriptions/listen'])
    expect(openFilters()[0]).toEqual({
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['file:///a'],
    })
  })

  it('is opened again when the server ends it', async () => {
    let opened = 0
    const connector = scripted(
      'modern',
      ({ request, notify }) => {
        const _meta = { [META.subscriptionId]: request.id }
        notify('notifications/subscriptions/acknowledged', {
          _meta,
          notifications: { toolsListChanged: true },
        })
        return ++opened === 1 ? { resultType: 'complete', _meta } : never()
      },
      { capabilities },
    )
    await using client = new Client({ connector })
    client.on('toolsChanged', () => {})
    await client.connect()
    await until(() => opened === 2)
  })

  it('is not tried again with a server that has no such method', async () => {
    const connector = scripted('modern', () => ({ error: { code: -32601, message: 'no' } }), { capabilities })
    await using client = new Client({ connector })
    const warnings: string[] = []
    client.on('warning', (error) => warnings.push(error.message))
    client.on('toolsChanged', () => {})
    await client.connect()
    await until(() => warnings.length === 1)
    expect(connector.peer.of('subscriptions/listen')).toHaveLength(1)
  })

  it('asks for nothing that the server does not offer', async () => {
    const connector = scripted('modern', () => ({ content: [] }), { capabilities: { tools: {} } })
    await using client = new Client({ connector })
    client.on('toolsChanged', () => {})
    await client.connect()
    await client.call('x')
    expect(connector.peer.of('subscriptions/listen')).toEqual([])
    await expect(client.subscribe('file:///a')).rejects.toMatchObject({ code: 'unsupported' })
  })

  it('subscribe fails when the server does not grant it', async () => {
    const connector = scripted(
      'modern',
      ({ request, notify }) => {
        const _meta = { [META.subscriptionId]: request.id }
        notify('notifications/subscriptions/acknowledged', { _meta, notifications: {} })
        return never()
      },
      { capabilities },
    )
    await using client = new Client({ connector })
    await expect(client.subscribe('file:///a')).rejects.toMatchObject({ code: 'unsupported' })
    await until(() => connector.peer.of('notifications/cancelled').length === 1)
  })
})

describe('a server that does not answer', () => {
  it.each(['modern', 'legacy'] as const)('cannot keep subscribe waiting for ever (%s)', async (era) => {
    const connector = scripted(era, never, { capabilities })
    await using client = new Client({ connector })
    await expect(client.subscribe('file:///a', { timeout: 30 })).rejects.toMatchObject({ code: 'timeout' })
  })

  it('cannot keep a call waiting with logging/setLevel', async () => {
    const connector = scripted('legacy', never, { capabilities: { logging: {} } })
    await using client = new Client({ connector })
    const call = client.call('x', {}, { logLevel: 'info', timeout: 30 })
    await expect(call).rejects.toMatchObject({ code: 'timeout' })
  })
})
