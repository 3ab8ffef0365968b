import { describe, expect, it } from 'vitest'
import type { JsonRpcResponse } from '../../../jsonrpc/index.ts'
import {
  metaOf,
  type Script,
  ScriptedPeer,
  testExchange,
  type Turn,
  until,
} from '../../client/client-edge-peer.test.support.ts'
import type { AuthInfo, InputRequired, Outcome } from '../../exchange.ts'
import { LegacyClientEdge, type LegacyClientEdgeOptions } from './edge.ts'
import { MemoryContinuations } from './questions.ts'

const never = () => new Promise(() => {})
const elicit = { message: 'name?', requestedSchema: { type: 'object' } }

async function connect(script: Script, options: Partial<LegacyClientEdgeOptions> = {}, kind = 'stdio') {
  const peer = new ScriptedPeer((turn: Turn) => {
    if (turn.request.method !== 'initialize') return script(turn)
    return { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'old', version: '1' } }
  }, kind)
  const edge = await LegacyClientEdge.connect(peer, {
    info: { name: 'us', version: '1' },
    capabilities: { elicitation: {}, sampling: {}, roots: {} },
    ...options,
  })
  return { peer, edge }
}

function asInput(outcome: Outcome): Required<Pick<InputRequired, 'inputRequests' | 'requestState'>> {
  if (outcome.type !== 'input_required' || !outcome.inputRequests || !outcome.requestState) {
    throw new Error(`expected input_required with questions and state, got ${JSON.stringify(outcome)}`)
  }
  return outcome as never
}

const resultOf = (response: JsonRpcResponse) => ('result' in response ? response.result : response.error)

describe.each(['stdio', 'http'])('a request that a legacy server pushes during a call (%s)', (kind) => {
  it('is answered live when the caller can be asked', async () => {
    const { edge } = await connect(
      async ({ push }) => ({ got: resultOf(await push('elicitation/create', elicit)) }),
      {},
      kind,
    )
    const outcome = await edge.handle(
      testExchange(
        'tools/call',
        { name: 'x' },
        {
          ask: async (requests) => {
            const [[key, request]] = Object.entries(requests) as [[string, object]]
            expect(request).toEqual({ method: 'elicitation/create', params: elicit })
            return { [key]: { action: 'accept', content: { name: 'Ada' }, odd: 1 } }
          },
        },
      ),
    )
    expect(outcome).toEqual({
      type: 'complete',
      result: { got: { action: 'accept', content: { name: 'Ada' }, odd: 1 } },
    })
  })

  it('parks the call, and goes on when the caller comes back, round after round', async () => {
    const continuations = new MemoryContinuations()
    const { peer, edge } = await connect(
      async ({ push }) => {
        const first = resultOf(await push('elicitation/create', elicit))
        const second = resultOf(await push('sampling/createMessage', { maxTokens: 1 }))
        return { first, second }
      },
      { continuations },
      kind,
    )
    const params = { name: 'x', arguments: { n: 1 } }
    const first = asInput(await edge.handle(testExchange('tools/call', params)))
    expect(Object.values(first.inputRequests)).toEqual([{ method: 'elicitation/create', params: elicit }])
    expect(continuations.size).toBe(1)
    const [key] = Object.keys(first.inputRequests) as [string]
    const second = asInput(
      await edge.handle(
        testExchange('tools/call', {
          ...params,
          inputResponses: { [key]: { action: 'decline' } },
          requestState: first.requestState,
        }),
      ),
    )
    expect(second.requestState).not.toBe(first.requestState)
    const [key2] = Object.keys(second.inputRequests) as [string]
    expect(key2).not.toBe(key)
    const final = await edge.handle(
      testExchange('tools/call', {
        ...params,
        inputResponses: { [key2]: { model: 'm' } },
        requestState: second.requestState,
      }),
    )
    expect(final).toEqual({
      type: 'complete',
      result: { first: { action: 'decline' }, second: { model: 'm' } },
    })
    expect(peer.of('tools/call')).toHaveLength(1)
    expect(continuations.size).toBe(0)
  })

  it('lets questions that arrive together travel in one round', async () => {
    const { edge } = await connect(
      async ({ push }) => {
        const both = await Promise.all([push('elicitation/create', elicit), push('roots/list')])
        return { got: both.map(resultOf) }
      },
      {},
      kind,
    )
    const { inputRequests, requestState } = asInput(await edge.handle(testExchange('tools/call')))
    const [a, b] = Object.keys(inputRequests) as [string, string]
    const inputResponses = { [a]: { action: 'cancel' }, [b]: { roots: [] } }
    const outcome = await edge.handle(testExchange('tools/call', { inputResponses, requestState }))
    expect(outcome).toEqual({ type: 'complete', result: { got: [{ action: 'cancel' }, { roots: [] }] } })
  })

  it('asks again for what the retry left out', async () => {
    const { edge } = await connect(
      async ({ push }) => ({ got: resultOf(await push('roots/list')) }),
      {},
      kind,
    )
    const first = asInput(await edge.handle(testExchange('tools/call')))
    const { requestState } = first
    const inputResponses = { unknown: {}, [Object.keys(first.inputRequests)[0] as string]: 7 }
    const again = asInput(await edge.handle(testExchange('tools/call', { inputResponses, requestState })))
    expect(again.inputRequests).toEqual(first.inputRequests)
  })

  it('refuses what the caller did not declare, and anything that is not a question', async () => {
    const { edge } = await connect(
      async ({ push }) => {
        const answers = [await push('sampling/createMessage'), await push('tools/list')]
        return { codes: answers.map((answer) => ('error' in answer ? answer.error.code : 0)) }
      },
      {},
      kind,
    )
    const client = { capabilities: { elicitation: {} } }
    const outcome = await edge.handle(testExchange('tools/call', {}, { client }))
    expect(outcome).toEqual({ type: 'complete', result: { codes: [-32601, -32601] } })
  })
})

describe('a parked call', () => {
  const asking: Script = async ({ push }) => ({ got: resultOf(await push('elicitation/create', elicit)) })

  it('keeps the last notifications, within bounds, for the one who comes back, under the new token', async () => {
    const { peer, edge } = await connect(asking)
    const first = testExchange('tools/call', { _meta: { progressToken: 'one' } })
    const { inputRequests, requestState } = asInput(await edge.handle(first))
    const token = metaOf(peer.of('tools/call')[0], 'progressToken')
    for (let progress = 1; progress <= 300; progress++) {
      peer.notify('notifications/progress', { progressToken: token, progress })
    }
    const inputResponses = { [Object.keys(inputRequests)[0] as string]: { action: 'cancel' } }
    const second = testExchange('tools/call', {
      inputResponses,
      requestState,
      _meta: { progressToken: 'two' },
    })
    await edge.handle(second)
    expect(first.notifications).toEqual([])
    expect(second.notifications).toHaveLength(256)
    expect(second.notifications[0]?.params).toEqual({ progressToken: 'two', progress: 45 })
    expect(second.notifications.at(-1)?.params?.progress).toBe(300)
  })

  it('has a token that works once and only for the same call and principal', async () => {
    const { edge } = await connect(asking)
    const auth: AuthInfo = { principal: { kind: 'person', subject: 'ada' }, scopes: [], claims: {} }
    const first = asInput(await edge.handle(testExchange('tools/call', { name: 'x' }, { auth })))
    const { requestState } = first
    const inputResponses = { [Object.keys(first.inputRequests)[0] as string]: { action: 'cancel' } }
    const refused = { type: 'error', error: { code: -32602 } }
    const attempt = (params: object, by = auth) =>
      edge.handle(
        testExchange('tools/call', { name: 'x', inputResponses, requestState, ...params }, { auth: by }),
      )
    expect(await attempt({ requestState: 'guess' })).toMatchObject(refused)
    expect(await attempt({ requestState: 7 })).toMatchObject(refused)
    expect(await attempt({ name: 'y' })).toMatchObject(refused)
    expect(await attempt({}, { ...auth, principal: { kind: 'key', subject: 'ada' } })).toMatchObject(refused)
    expect(await attempt({})).toMatchObject({ type: 'complete' })
    expect(await attempt({})).toMatchObject(refused)
  })

  it('is given up when nobody comes back: the server gets an error and a cancellation', async () => {
    let answer: JsonRpcResponse | undefined
    const continuations = new MemoryContinuations({ ttl: 20 })
    const { peer, edge } = await connect(
      async ({ push }) => {
        answer = await push('elicitation/create', elicit)
        return never()
      },
      { continuations },
    )
    const { requestState } = asInput(await edge.handle(testExchange('tools/call')))
    await until(() => answer !== undefined && peer.of('notifications/cancelled').length === 1)
    expect(answer).toMatchObject({ error: { code: -32603 } })
    expect(await edge.handle(testExchange('tools/call', { requestState }))).toMatchObject({ type: 'error' })
    expect(continuations.size).toBe(0)
  })

  it('is not parked when there is no room: the server is told', async () => {
    const continuations = new MemoryContinuations({ maxParked: 0 })
    const { edge } = await connect(async ({ push }) => ({ got: resultOf(await push('roots/list')) }), {
      continuations,
    })
    expect(await edge.handle(testExchange('tools/call'))).toMatchObject({
      type: 'complete',
      result: { got: { code: -32603 } },
    })
  })

  it('hands out the final result when the server did not wait for the answer', async () => {
    let finish = (_: object) => {}
    const { peer, edge } = await connect(({ push }) => {
      void push('elicitation/create', elicit)
      return new Promise((resolve) => {
        finish = resolve
      })
    })
    const { requestState } = asInput(await edge.handle(testExchange('tools/call')))
    finish({ content: ['gave up'] })
    await until(() => peer.sent.length === 3)
    expect(await edge.handle(testExchange('tools/call', { requestState }))).toEqual({
      type: 'complete',
      result: { content: ['gave up'] },
    })
  })

  it('does not mind the end of the exchange that was parked', async () => {
    const { peer, edge } = await connect(async ({ push }) => ({ got: resultOf(await push('roots/list')) }))
    const first = testExchange('tools/call')
    const { inputRequests, requestState } = asInput(await edge.handle(first))
    first.abort.abort()
    const inputResponses = { [Object.keys(inputRequests)[0] as string]: { roots: [] } }
    const outcome = await edge.handle(testExchange('tools/call', { inputResponses, requestState }))
    expect(outcome).toEqual({ type: 'complete', result: { got: { roots: [] } } })
    expect(peer.of('notifications/cancelled')).toEqual([])
  })

  it('drops a question that the server withdrew', async () => {
    let aborted = false
    const { peer, edge } = await connect(async ({ push }) => {
      void push('elicitation/create', elicit)
      await until(() => true)
      peer.notify('notifications/cancelled', { requestId: 's1' })
      return { content: [] }
    })
    const ask = (_: unknown, signal?: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => {
          aborted = true
          reject(new Error('withdrawn'))
        })
      })
    expect(await edge.handle(testExchange('tools/call', {}, { ask }))).toMatchObject({ type: 'complete' })
    expect(aborted).toBe(true)
    expect(peer.methods).not.toContain('response')
  })
})

describe('attribution on a shared channel', () => {
  it('refuses a request that two calls could own, and reports it', async () => {
    const reports: unknown[] = []
    const { peer, edge } = await connect(never, { onAmbiguous: (report) => reports.push(report) })
    for (const name of ['a', 'b']) edge.handle(testExchange('tools/call', { name })).catch(() => {})
    await until(() => peer.of('tools/call').length === 2)
    expect(await peer.push('roots/list')).toMatchObject({ error: { code: -32600 } })
    expect(reports).toEqual([{ method: 'roots/list', calls: ['tools/call', 'tools/call'] }])
    peer.die()
  })

  it('gives it to the only call that can own it, whatever lists are being read', async () => {
    const { peer, edge } = await connect(({ request, push }) =>
      request.method === 'tools/list'
        ? never()
        : push('roots/list').then((answer) => ({ got: resultOf(answer) })),
    )
    edge.handle(testExchange('tools/list')).catch(() => {})
    await until(() => peer.of('tools/list').length === 1)
    asInput(await edge.handle(testExchange('tools/call')))
    peer.die()
  })

  it('outside any call it goes to the connection’s handlers, or gets −32601', async () => {
    const { peer } = await connect(never)
    expect(await peer.push('roots/list')).toMatchObject({ error: { code: -32601 } })
    expect(await peer.push('nonsense')).toMatchObject({ error: { code: -32601 } })
    const other = await connect(never, { ask: async () => ({ input: { roots: [{ uri: 'file:///' }] } }) })
    expect(await other.peer.push('roots/list')).toMatchObject({ result: { roots: [{ uri: 'file:///' }] } })
  })
})

describe('answers that come with the first request', () => {
  const named = { ...elicit, _meta: { 'dev.gantry/inputKey': 'user_name' } }
  const inputResponses = {
    user_name: { action: 'accept', content: { name: 'Ada' } },
    other: { action: 'cancel' },
  }

  it('go to the question that the server calls by that name, once', async () => {
    const { edge } = await connect(async ({ push }) => {
      const first = resultOf(await push('elicitation/create', named))
      return { first, second: resultOf(await push('elicitation/create', named)) }
    })
    const again = asInput(await edge.handle(testExchange('tools/call', { inputResponses })))
    expect(Object.keys(again.inputRequests)).toEqual(['user_name'])
    const outcome = await edge.handle(
      testExchange('tools/call', {
        inputResponses: { user_name: { action: 'decline' } },
        requestState: again.requestState,
      }),
    )
    expect(outcome).toEqual({
      type: 'complete',
      result: { first: inputResponses.user_name, second: { action: 'decline' } },
    })
  })

  it('never go to a question that has no name of the server’s', async () => {
    const { edge } = await connect(async ({ push }) => resultOf(await push('elicitation/create', elicit)))
    const guessed = { 'input-1': { action: 'accept', content: {} } }
    const outcome = await edge.handle(testExchange('tools/call', { inputResponses: guessed }))
    expect(asInput(outcome).inputRequests).toEqual({
      'input-1': { method: 'elicitation/create', params: elicit },
    })
  })
})
