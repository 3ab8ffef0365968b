import { describe, expect, it } from 'vitest'
import { McpError } from '../../jsonrpc/index.ts'
import { META } from '../../protocol/index.ts'
import { ScriptedPeer, testExchange, until } from '../client/client-edge-peer.test.support.ts'
import { ModernClientEdge } from './client-edge.ts'

const never = () => new Promise(() => {})

describe('ModernClientEdge', () => {
  it('sends the envelope of the caller, its own version and an integer id', async () => {
    const peer = new ScriptedPeer(() => ({ resultType: 'complete', content: [], surprise: 1 }))
    const edge = new ModernClientEdge(peer)
    const outcome = await edge.handle(
      testExchange(
        'tools/call',
        { name: 'x', odd: true, _meta: { 'com.example/k': 1, [META.protocolVersion]: '2025-11-25' } },
        { logLevel: 'info', client: { version: '2025-11-25' } },
      ),
    )
    expect(outcome).toEqual({ type: 'complete', result: { content: [], surprise: 1 } })
    const [request] = peer.of('tools/call')
    expect(Number.isInteger(request?.id)).toBe(true)
    expect(request?.params).toEqual({
      name: 'x',
      odd: true,
      _meta: {
        'com.example/k': 1,
        [META.protocolVersion]: '2026-07-28',
        [META.clientInfo]: { name: 'caller', version: '1.0.0' },
        [META.clientCapabilities]: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
        [META.logLevel]: 'info',
        // On a shared channel it wants to know which request a log message belongs to.
        'dev.gantry/relatedRequest': true,
      },
    })
    expect(peer.protocolVersion).toBe('2026-07-28')
  })

  it.each(['stdio', 'http'])(
    'gives progress back under the caller’s token, unknown members kept (%s)',
    async (kind) => {
      const peer = new ScriptedPeer(({ request, notify }) => {
        const meta = request.params?._meta as { progressToken: unknown }
        notify('notifications/progress', { progressToken: meta.progressToken, progress: 1, flavour: 'x' })
        notify('notifications/progress', { progressToken: 'someone else', progress: 2 })
        return {}
      }, kind)
      const edge = new ModernClientEdge(peer)
      const exchange = testExchange('tools/call', { name: 'x', _meta: { progressToken: 'mine' } })
      await edge.handle(exchange)
      expect(exchange.notifications).toEqual([
        { method: 'notifications/progress', params: { progressToken: 'mine', progress: 1, flavour: 'x' } },
      ])
    },
  )

  it('returns input_required as a value when the caller cannot be asked', async () => {
    const inputRequests = { a: { method: 'elicitation/create', params: { message: 'who?' } } }
    const peer = new ScriptedPeer(() => ({
      resultType: 'input_required',
      inputRequests,
      requestState: 's\u00e9',
      _meta: { k: 1 },
    }))
    const outcome = await new ModernClientEdge(peer).handle(testExchange('tools/call', { name: 'x' }))
    expect(outcome).toEqual({
      type: 'input_required',
      inputRequests,
      requestState: 's\u00e9',
      extra: { _meta: { k: 1 } },
    })
  })

  it('plays the rounds: answers, the exact state and a new id', async () => {
    const state = ' {"opaque": "\\u00e9"}\n'
    const peer = new ScriptedPeer(({ request }) => {
      const { params } = request
      if (params?.inputResponses) return { content: [], got: params }
      return {
        resultType: 'input_required',
        inputRequests: { q: { method: 'roots/list' } },
        requestState: state,
      }
    })
    const outcome = await new ModernClientEdge(peer).handle(
      testExchange(
        'tools/call',
        { name: 'x', arguments: { n: 1 } },
        { ask: async () => ({ q: { roots: [] } }) },
      ),
    )
    const [first, retry] = peer.of('tools/call')
    expect(retry?.id).not.toBe(first?.id)
    expect(first?.params?.requestState).toBeUndefined()
    expect(outcome.type === 'complete' && outcome.result.got).toMatchObject({
      name: 'x',
      arguments: { n: 1 },
      inputResponses: { q: { roots: [] } },
      requestState: state,
    })
  })

  it('sends no requestState when the server gave none, and no inputResponses without questions', async () => {
    const answers = [
      { resultType: 'input_required', inputRequests: { q: { method: 'roots/list' } } },
      { resultType: 'input_required', requestState: 'later' },
      { content: [] },
    ]
    const peer = new ScriptedPeer(() => answers.shift())
    await new ModernClientEdge(peer).handle(
      testExchange('tools/call', { name: 'x' }, { ask: async () => ({ q: { roots: [] } }) }),
    )
    const [, second, third] = peer.of('tools/call')
    expect(second?.params).not.toHaveProperty('requestState')
    expect(third?.params).not.toHaveProperty('inputResponses')
    expect(third?.params?.requestState).toBe('later')
  })

  it('gives up after the round limit', async () => {
    const peer = new ScriptedPeer(() => ({
      resultType: 'input_required',
      inputRequests: { q: { method: 'roots/list' } },
    }))
    const edge = new ModernClientEdge(peer, { maxRounds: 3 })
    const exchange = testExchange('tools/call', {}, { ask: async () => ({ q: { roots: [] } }) })
    await expect(edge.handle(exchange)).rejects.toMatchObject({ code: 'too_many_rounds' })
    expect(peer.of('tools/call')).toHaveLength(4)
  })

  it('hands tasks out, and refuses resultTypes that it does not know', async () => {
    const peer = new ScriptedPeer(({ request }) =>
      request.params?.name === 'slow'
        ? { resultType: 'task', taskId: 't', status: 'working' }
        : { resultType: 'surprise' },
    )
    const edge = new ModernClientEdge(peer)
    expect(await edge.handle(testExchange('tools/call', { name: 'slow' }))).toEqual({
      type: 'task',
      task: { taskId: 't', status: 'working' },
    })
    await expect(edge.handle(testExchange('tools/call', { name: 'odd' }))).rejects.toMatchObject({
      code: 'bad_response',
    })
  })

  it('refuses an input_required without questions and without state', async () => {
    const edge = new ModernClientEdge(new ScriptedPeer(() => ({ resultType: 'input_required' })))
    await expect(edge.handle(testExchange('tools/call'))).rejects.toMatchObject({ code: 'bad_response' })
  })

  it('passes a JSON-RPC error on as an outcome, data included', async () => {
    const error = { code: -32021, message: 'no', data: { requiredCapabilities: { sampling: {} } } }
    const edge = new ModernClientEdge(new ScriptedPeer(() => ({ error })))
    expect(await edge.handle(testExchange('tools/call'))).toEqual({ type: 'error', error })
  })

  it.each([
    ['stdio', ['tools/call', 'notifications/cancelled']],
    ['http', ['tools/call']],
  ])('cancels in the way of the transport (%s)', async (kind, methods) => {
    let streamClosed = false
    const peer = new ScriptedPeer(({ signal }) => {
      signal.addEventListener('abort', () => {
        streamClosed = true
      })
      return never()
    }, kind)
    const exchange = testExchange('tools/call', { name: 'x' })
    const pending = new ModernClientEdge(peer).handle(exchange)
    await until(() => peer.sent.length === 1)
    exchange.abort.abort(new McpError('timeout', 'too slow'))
    await expect(pending).rejects.toMatchObject({ code: 'timeout' })
    expect(peer.methods).toEqual(methods)
    expect(streamClosed).toBe(true)
    if (kind === 'stdio') expect(peer.of('notifications/cancelled')[0]?.params).toEqual({ requestId: 1 })
  })

  it('sends nothing for an exchange that is already cancelled', async () => {
    const peer = new ScriptedPeer(() => ({}))
    const exchange = testExchange('tools/call')
    exchange.abort.abort()
    await expect(new ModernClientEdge(peer).handle(exchange)).rejects.toMatchObject({ code: 'cancelled' })
    expect(peer.sent).toEqual([])
  })

  it('correlates subscriptions on a shared channel by subscription id', async () => {
    const peer = new ScriptedPeer(never)
    const edge = new ModernClientEdge(peer)
    const tools = testExchange('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const prompts = testExchange('subscriptions/listen', { notifications: { promptsListChanged: true } })
    const ended = [edge.handle(tools), edge.handle(prompts)]
    await until(() => peer.of('subscriptions/listen').length === 2)
    const [first, second] = peer.of('subscriptions/listen')
    for (const request of [second, first]) {
      const _meta = { [META.subscriptionId]: request?.id }
      peer.notify('notifications/subscriptions/acknowledged', { _meta, notifications: {} })
    }
    peer.notify('notifications/tools/list_changed', { _meta: { [META.subscriptionId]: first?.id } })
    expect(tools.notifications.map(({ method }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
    ])
    expect(prompts.notifications).toHaveLength(1)
    tools.abort.abort()
    await expect(ended[0]).rejects.toMatchObject({ code: 'cancelled' })
    peer.notify('notifications/cancelled', { requestId: second?.id })
    expect(await ended[1]).toMatchObject({ type: 'complete' })
  })

  it('gives a log message to the request that it names, whatever else was given up', async () => {
    const stray: unknown[] = []
    const peer = new ScriptedPeer(() => new Promise(() => {}))
    const edge = new ModernClientEdge(peer, { onLog: (log) => stray.push(log.params?.data) })
    const [one, two] = [1, 2].map(() => testExchange('tools/call', {}, { logLevel: 'info' }))
    const given = edge.handle(one!)
    edge.handle(two!).catch(() => {})
    one!.abort.abort()
    await expect(given).rejects.toMatchObject({ code: 'cancelled' })
    const [first, second] = peer.of('tools/call').map(({ id }) => id)
    const say = (data: string, id?: unknown) => {
      const _meta = id === undefined ? {} : { _meta: { 'dev.gantry/relatedRequest': id } }
      peer.notify('notifications/message', { level: 'info', data, ..._meta })
    }
    say('for the second', second)
    say('for the first', first)
    say('for either')
    expect(two!.notifications.map(({ params }) => params)).toEqual([
      { level: 'info', data: 'for the second' },
    ])
    expect(one!.notifications).toEqual([])
    expect(stray).toEqual(['for the first', 'for either'])
    peer.die()
  })

  it('gives a log message to the only request that wants it, else to the connection', async () => {
    const stray: unknown[] = []
    const peer = new ScriptedPeer(never)
    const edge = new ModernClientEdge(peer, { onLog: (log) => stray.push(log.params?.data) })
    const quiet = testExchange('tools/call')
    const curious = testExchange('tools/call', {}, { logLevel: 'warning' })
    const pending = [edge.handle(quiet), edge.handle(curious)]
    await until(() => peer.sent.length === 2)
    peer.notify('notifications/message', { level: 'error', data: 'a' })
    peer.notify('notifications/message', { level: 'info', data: 'b' })
    expect(curious.notifications.map(({ params }) => params?.data)).toEqual(['a'])
    expect(quiet.notifications).toEqual([])
    expect(stray).toEqual(['b'])
    peer.die()
    await Promise.allSettled(pending)
  })

  it('neither answers nor forwards requests of a modern server, which must not send any', async () => {
    const peer = new ScriptedPeer(() => ({}))
    const edge = new ModernClientEdge(peer)
    void peer.push('sampling/createMessage', {})
    await edge.handle(testExchange('tools/call'))
    expect(peer.methods).toEqual(['tools/call'])
  })

  it('passes extra headers to the wire', async () => {
    const peer = new ScriptedPeer(() => ({}), 'http')
    const edge = new ModernClientEdge(peer, { headersFor: () => ({ 'mcp-param-region': 'eu' }) })
    await edge.handle(testExchange('tools/call'))
    expect(peer.headers).toEqual([{ 'mcp-param-region': 'eu' }])
  })
})
