import { describe, expect, it } from 'vitest'
import { McpError } from '../../../jsonrpc/index.ts'
import { META } from '../../../protocol/index.ts'
import {
  metaOf,
  type Script,
  ScriptedPeer,
  testExchange,
  type Turn,
  until,
} from '../../client/client-edge-peer.test.support.ts'
import { LegacyClientEdge, type LegacyClientEdgeOptions } from './edge.ts'

const never = () => new Promise(() => {})

const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: {
    logging: {},
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
  },
  serverInfo: { name: 'old', version: '1' },
  instructions: 'be kind',
  odd: 1,
}

function withHandshake(script: Script): Script {
  return (turn: Turn) => (turn.request.method === 'initialize' ? INITIALIZED : script(turn))
}

async function connect(script: Script, options: Partial<LegacyClientEdgeOptions> = {}, kind = 'stdio') {
  const peer = new ScriptedPeer(withHandshake(script), kind)
  const edge = await LegacyClientEdge.connect(peer, {
    info: { name: 'us', version: '1' },
    capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
    ...options,
  })
  return { peer, edge }
}

describe('LegacyClientEdge, handshake', () => {
  it('initialize, its response, initialized, and only then anything else', async () => {
    const steps: string[] = []
    const { peer, edge } = await connect(() => ({ tools: [] }), { onStep: (step) => steps.push(step) })
    await edge.handle(testExchange('tools/list'))
    expect(peer.methods).toEqual(['initialize', 'notifications/initialized', 'tools/list'])
    expect(peer.of('initialize')[0]?.params).toEqual({
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
      clientInfo: { name: 'us', version: '1' },
    })
    expect(steps).toEqual(['initialize_sent', 'initialize_answered', 'initialized_sent', 'ready'])
    expect(peer.protocolVersion).toBe('2025-11-25')
    expect(peer.listening).toBe(true)
  })

  it('an initialized that cannot be written fails the connection', async () => {
    const peer = new ScriptedPeer(() => INITIALIZED)
    peer.failSend = new McpError('closed', 'gone')
    const connecting = LegacyClientEdge.connect(peer, {
      info: { name: 'us', version: '1' },
      capabilities: {},
    })
    await expect(connecting).rejects.toMatchObject({ code: 'closed' })
  })

  it.each(['2026-07-28', '1999-01-01', undefined])('refuses version %s after initialize', async (version) => {
    const peer = new ScriptedPeer(() => ({ ...INITIALIZED, protocolVersion: version }))
    const connecting = LegacyClientEdge.connect(peer, {
      info: { name: 'us', version: '1' },
      capabilities: {},
    })
    await expect(connecting).rejects.toMatchObject({ code: 'bad_version' })
    expect(peer.methods).toEqual(['initialize'])
  })

  it('answers server/discover from the handshake', async () => {
    const { edge, peer } = await connect(never)
    expect(await edge.handle(testExchange('server/discover'))).toEqual({
      type: 'complete',
      result: {
        odd: 1,
        supportedVersions: ['2025-11-25'],
        capabilities: INITIALIZED.capabilities,
        instructions: 'be kind',
        _meta: { [META.serverInfo]: { name: 'old', version: '1' } },
      },
    })
    expect(peer.of('server/discover')).toEqual([])
  })

  it('answers a ping and keeps a request that arrives during the handshake', async () => {
    const peer: ScriptedPeer = new ScriptedPeer(async () => {
      await peer.push('ping')
      void peer.push('roots/list')
      return INITIALIZED
    })
    await LegacyClientEdge.connect(peer, {
      info: { name: 'us', version: '1' },
      capabilities: { roots: {} },
      ask: async () => ({ input: { roots: [] } }),
    })
    await until(() => peer.sent.length === 4)
    expect(peer.sent[1]).toEqual({ jsonrpc: '2.0', id: 's1', result: {} })
    expect(peer.sent[3]).toEqual({ jsonrpc: '2.0', id: 's2', result: { roots: [] } })
  })
})

describe('LegacyClientEdge, requests', () => {
  it('strips the envelope and keeps everything else', async () => {
    const { peer, edge } = await connect(() => ({ content: [], odd: 1 }))
    const outcome = await edge.handle(
      testExchange('tools/call', {
        name: 'x',
        strange: [1],
        _meta: {
          [META.protocolVersion]: '2026-07-28',
          [META.clientInfo]: {},
          [META.logLevel]: 'info',
          mine: 1,
        },
      }),
    )
    expect(outcome).toEqual({ type: 'complete', result: { content: [], odd: 1 } })
    expect(peer.of('tools/call')[0]?.params).toEqual({ name: 'x', strange: [1], _meta: { mine: 1 } })
  })

  it('sets the log level when it changes, before the request, and filters what comes', async () => {
    const { peer, edge } = await connect(({ request, notify }) => {
      if (request.method !== 'tools/call') return {}
      notify('notifications/message', { level: 'debug', data: 1 })
      notify('notifications/message', { level: 'error', data: 2 })
      return {}
    })
    const exchange = testExchange('tools/call', {}, { logLevel: 'warning' })
    await edge.handle(exchange)
    await edge.handle(testExchange('tools/call', {}, { logLevel: 'warning' }))
    await edge.handle(testExchange('tools/call', {}, { logLevel: 'debug' }))
    expect(peer.methods.slice(2)).toEqual([
      'logging/setLevel',
      'tools/call',
      'tools/call',
      'logging/setLevel',
      'tools/call',
    ])
    expect(exchange.notifications.map(({ params }) => params?.data)).toEqual([2])
  })

  it('sends log messages that nobody in flight wants to the connection', async () => {
    const logs: unknown[] = []
    const { peer } = await connect(never, { onLog: ({ params }) => logs.push(params?.data) })
    peer.notify('notifications/message', { level: 'error', data: 'x' })
    expect(logs).toEqual(['x'])
  })

  it('attributes progress by token among several calls', async () => {
    const { peer, edge } = await connect(never)
    const exchanges = ['a', 'b'].map((progressToken) =>
      testExchange('tools/call', { name: 'x', _meta: { progressToken } }),
    )
    for (const exchange of exchanges) edge.handle(exchange).catch(() => {})
    await until(() => peer.of('tools/call').length === 2)
    const token = metaOf(peer.of('tools/call')[1], 'progressToken')
    peer.notify('notifications/progress', { progressToken: token, progress: 1 })
    expect(exchanges[0]?.notifications).toEqual([])
    expect(exchanges[1]?.notifications).toEqual([
      { method: 'notifications/progress', params: { progressToken: 'b', progress: 1 } },
    ])
    peer.die()
  })

  it.each(['stdio', 'http'])('cancels with a notification on every transport (%s)', async (kind) => {
    const { peer, edge } = await connect(never, {}, kind)
    const exchange = testExchange('tools/call')
    const pending = edge.handle(exchange)
    await until(() => peer.of('tools/call').length === 1)
    exchange.abort.abort()
    await expect(pending).rejects.toMatchObject({ code: 'cancelled' })
    expect(peer.of('notifications/cancelled')[0]?.params).toEqual({ requestId: peer.of('tools/call')[0]?.id })
  })

  it('sends nothing for an exchange that is already cancelled', async () => {
    const { peer, edge } = await connect(never)
    const exchange = testExchange('tools/call')
    exchange.abort.abort()
    await expect(edge.handle(exchange)).rejects.toMatchObject({ code: 'cancelled' })
    expect(peer.methods).toEqual(['initialize', 'notifications/initialized'])
  })

  it('rejects what is pending with the reason of the wire', async () => {
    const closes: unknown[] = []
    const { peer, edge } = await connect(never)
    edge.onClose = (reason) => closes.push(reason)
    const call = edge.handle(testExchange('tools/call'))
    const listen = edge.handle(testExchange('subscriptions/listen', { notifications: {} }))
    await until(() => peer.of('tools/call').length === 1)
    const reason = new McpError('exited', 'The server exited with code 3')
    peer.die(reason)
    await expect(call).rejects.toBe(reason)
    await expect(listen).rejects.toBe(reason)
    expect(closes).toEqual([reason])
  })
})

describe('LegacyClientEdge, subscriptions', () => {
  it('acknowledges first with what is granted, then fans out to those who asked', async () => {
    const { peer, edge } = await connect(() => ({}))
    const tools = testExchange('subscriptions/listen', {
      notifications: { toolsListChanged: true, promptsListChanged: true },
    })
    const file = testExchange('subscriptions/listen', {
      notifications: { resourceSubscriptions: ['f:///a'] },
    })
    edge.handle(tools).catch(() => {})
    edge.handle(file).catch(() => {})
    await until(() => tools.notifications.length === 1 && file.notifications.length === 1)
    peer.notify('notifications/tools/list_changed')
    peer.notify('notifications/resources/updated', { uri: 'f:///a', odd: 1 })
    peer.notify('notifications/resources/updated', { uri: 'f:///ab' })
    expect(tools.notifications.map(({ method, params }) => [method, params?.notifications])).toEqual([
      ['notifications/subscriptions/acknowledged', { toolsListChanged: true }],
      ['notifications/tools/list_changed', undefined],
    ])
    expect(file.notifications.map(({ params }) => params?.uri ?? params?.notifications)).toEqual([
      { resourceSubscriptions: ['f:///a'] },
      'f:///a',
    ])
    const ids = [tools, file].map(({ notifications }) =>
      notifications.map((notification) => metaOf(notification, META.subscriptionId)),
    )
    expect(ids[0]?.[0]).toBeDefined()
    expect(ids[0]?.[0]).toBe(ids[0]?.[1])
    expect(ids[0]?.[0]).not.toBe(ids[1]?.[0])
  })

  it('subscribes once per URI and unsubscribes with the last listener', async () => {
    const { peer, edge } = await connect(() => ({}))
    const params = { notifications: { resourceSubscriptions: ['f:///a'] } }
    const first = testExchange('subscriptions/listen', params)
    const second = testExchange('subscriptions/listen', params)
    edge.handle(first).catch(() => {})
    edge.handle(second).catch(() => {})
    await until(() => first.notifications.length + second.notifications.length === 2)
    first.abort.abort()
    await until(() => peer.methods.length === 3)
    expect(peer.methods.slice(2)).toEqual(['resources/subscribe'])
    second.abort.abort()
    await until(() => peer.of('resources/unsubscribe').length === 1)
    const third = testExchange('subscriptions/listen', params)
    edge.handle(third).catch(() => {})
    await until(() => third.notifications.length === 1)
    expect(peer.methods.slice(2)).toEqual([
      'resources/subscribe',
      'resources/unsubscribe',
      'resources/subscribe',
    ])
  })

  it('leaves out of the acknowledgement what the server refuses', async () => {
    const { edge } = await connect(() => ({ error: { code: -32002, message: 'no' } }))
    const exchange = testExchange('subscriptions/listen', {
      notifications: { resourceSubscriptions: ['x:y'] },
    })
    edge.handle(exchange).catch(() => {})
    await until(() => exchange.notifications.length === 1)
    expect(exchange.notifications[0]?.params?.notifications).toEqual({})
  })

  it('holds notifications back until the acknowledgement is out', async () => {
    let accept = (_: object) => {}
    const { peer, edge } = await connect(
      () =>
        new Promise((resolve) => {
          accept = resolve
        }),
    )
    const exchange = testExchange('subscriptions/listen', {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['x:y'] },
    })
    edge.handle(exchange).catch(() => {})
    await until(() => peer.of('resources/subscribe').length === 1)
    peer.notify('notifications/tools/list_changed')
    expect(exchange.notifications).toEqual([])
    accept({})
    await until(() => exchange.notifications.length === 2)
    expect(exchange.notifications[0]?.method).toBe('notifications/subscriptions/acknowledged')
  })
})

describe('LegacyClientEdge, URL elicitation required (−32042)', () => {
  const elicitation = { mode: 'url', elicitationId: 'e1', url: 'https://x.test/', message: 'sign in' }
  const error = { code: -32042, message: 'more', data: { elicitations: [elicitation] } }

  it('becomes an input_required outcome, and the retry is an ordinary request', async () => {
    const { peer, edge } = await connect(() =>
      peer.of('tools/call').length > 1 ? { content: [] } : { error },
    )
    const outcome = await edge.handle(testExchange('tools/call', { name: 'x' }))
    expect(outcome).toEqual({
      type: 'input_required',
      inputRequests: { 'url-1': { method: 'elicitation/create', params: elicitation } },
      requestState: expect.any(String),
    })
    const inputResponses = { 'url-1': { action: 'accept' } }
    const { requestState } = outcome as { requestState: string }
    const retry = edge.handle(testExchange('tools/call', { name: 'x', inputResponses, requestState }))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(peer.of('tools/call')).toHaveLength(1)
    peer.notify('notifications/elicitation/complete', { elicitationId: 'e1' })
    expect(await retry).toEqual({ type: 'complete', result: { content: [] } })
    expect(peer.of('tools/call')[1]?.params).toEqual({ name: 'x' })
  })

  it('asks for the pages of the next error when those of the first are done', async () => {
    const next = { ...elicitation, elicitationId: 'e2' }
    const { peer, edge } = await connect(() =>
      peer.of('tools/call').length > 1 ? { error: { ...error, data: { elicitations: [next] } } } : { error },
    )
    const first = await edge.handle(testExchange('tools/call', { name: 'x' }))
    const { requestState } = first as { requestState: string }
    peer.notify('notifications/elicitation/complete', { elicitationId: 'e1' })
    const inputResponses = { 'url-1': { action: 'accept' } }
    const second = await edge.handle(testExchange('tools/call', { name: 'x', inputResponses, requestState }))
    expect(second).toMatchObject({
      type: 'input_required',
      inputRequests: { 'url-1': { params: { elicitationId: 'e2' } } },
    })
  })

  it('finds out by itself when the server does not say that a page is done, and asks once', async () => {
    const started = Date.now()
    const { peer, edge } = await connect(() => (Date.now() - started > 1_000 ? { content: [] } : { error }))
    let asked = 0
    const ask = async () => {
      asked++
      return { 'url-1': { action: 'accept' } }
    }
    const outcome = await edge.handle(testExchange('tools/call', { name: 'x' }, { ask }))
    expect(outcome).toEqual({ type: 'complete', result: { content: [] } })
    expect([asked, peer.of('tools/call').length]).toEqual([1, 2])
  })

  it('ends when the URL was declined', async () => {
    const { peer, edge } = await connect(() => ({ error }))
    const inputResponses = { 'url-1': { action: 'decline' } }
    const outcome = await edge.handle(testExchange('tools/call', { name: 'x', inputResponses }))
    expect(outcome).toMatchObject({ type: 'error', error: { code: -32600 } })
    expect(peer.of('tools/call')).toEqual([])
    const asked = await edge.handle(testExchange('tools/call', { name: 'x' }))
    const { requestState } = asked as { requestState: string }
    const declined = await edge.handle(
      testExchange('tools/call', { name: 'x', inputResponses, requestState }),
    )
    expect(declined).toMatchObject({ type: 'error', error: { code: -32600 } })
  })

  it('asks live, waits for the completion and retries', async () => {
    const { peer, edge } = await connect(() =>
      peer.of('tools/call').length > 1 ? { content: [] } : { error },
    )
    let asked = false
    const pending = edge.handle(
      testExchange(
        'tools/call',
        { name: 'x' },
        {
          ask: async () => {
            asked = true
            return { 'url-1': { action: 'accept' } }
          },
        },
      ),
    )
    await until(() => asked)
    expect(peer.of('tools/call')).toHaveLength(1)
    peer.notify('notifications/elicitation/complete', { elicitationId: 'unknown' })
    peer.notify('notifications/elicitation/complete', { elicitationId: 'e1' })
    expect(await pending).toEqual({ type: 'complete', result: { content: [] } })
  })

  it('stays an error for a caller without URL mode', async () => {
    const { edge } = await connect(() => ({ error }))
    const client = { capabilities: { elicitation: {} } }
    const outcome = await edge.handle(testExchange('tools/call', { name: 'x' }, { client }))
    expect(outcome).toEqual({ type: 'error', error })
  })
})
