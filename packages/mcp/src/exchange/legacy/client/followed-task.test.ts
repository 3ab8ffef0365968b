import { expect, it } from 'vitest'
import { McpError } from '../../../jsonrpc/index.ts'
import { META } from '../../../protocol/index.ts'
import { ScriptedPeer, testExchange, type Turn } from '../../client/client-edge-peer.test.support.ts'
import type { Exchange, InputRequired } from '../../exchange.ts'
import { LegacyClientEdge } from './edge.ts'

const TASK = {
  taskId: 't1',
  status: 'working',
  createdAt: '2025-11-25T00:00:00Z',
  lastUpdatedAt: '2025-11-25T00:00:00Z',
  ttl: 60_000,
  pollInterval: 1,
}
const RESULT = {
  content: [{ type: 'text', text: 'done' }],
  _meta: { [META.relatedTask]: { taskId: 't1' } },
}

async function connect(script: (turn: Turn) => unknown, hasTasks = true) {
  const peer = new ScriptedPeer((turn) => {
    if (turn.request.method !== 'initialize') return script(turn)
    const capabilities = { tools: {}, ...(hasTasks && { tasks: {} }) }
    return { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'old', version: '1' } }
  })
  const edge = await LegacyClientEdge.connect(peer, {
    info: { name: 'us', version: '1' },
    capabilities: { elicitation: { form: {} } },
  })
  return { peer, edge }
}

function call(more: Partial<Exchange> = {}, params: object = {}): Exchange {
  const exchange = testExchange('tools/call', { name: 'must', ...params })
  return Object.assign(exchange, { asTask: { ttl: 60_000 } }, more)
}

it('is polled until it has ended, and its result is that of the call', async () => {
  let polls = 0
  const { peer, edge } = await connect(({ request }) => {
    if (request.method === 'tools/call') return { task: TASK }
    if (request.method === 'tasks/result') return RESULT
    return { ...TASK, status: ++polls < 2 ? 'working' : 'completed' }
  })
  expect(await edge.handle(call())).toEqual({ type: 'complete', result: { content: RESULT.content } })
  expect(peer.methods.slice(2)).toEqual(['tools/call', 'tasks/get', 'tasks/get', 'tasks/result'])
  expect(peer.of('tools/call')[0]?.params).toMatchObject({ name: 'must', task: { ttl: 60_000 } })
})

it('survives a poll that fails on the way', async () => {
  let polls = 0
  const { edge } = await connect(({ request }) => {
    if (request.method === 'tools/call') return { task: TASK }
    if (request.method === 'tasks/result') return RESULT
    if (++polls === 1) throw new McpError('network', 'reset')
    return { ...TASK, status: 'completed' }
  })
  expect(await edge.handle(call())).toMatchObject({ type: 'complete' })
})

it('asks in rounds of the call, which goes on with the answers', async () => {
  const { edge } = await connect(async ({ request, push }) => {
    if (request.method === 'tools/call') return { task: { ...TASK, status: 'input_required' } }
    const params = {
      message: 'name?',
      requestedSchema: { type: 'object', properties: {} },
      _meta: { [META.relatedTask]: { taskId: 't1' } },
    }
    const answer = await push('elicitation/create', params)
    return { content: [{ type: 'text', text: JSON.stringify('result' in answer && answer.result) }] }
  })
  const first = (await edge.handle(call())) as InputRequired
  expect(first.type).toBe('input_required')
  const [key] = Object.keys(first.inputRequests!)
  const inputResponses = { [key!]: { action: 'accept', content: {} } }
  const last = await edge.handle(call({}, { inputResponses, requestState: first.requestState }))
  expect(last).toMatchObject({ type: 'complete', result: { content: [{ text: /accept/ }] } })
})

it('is cancelled with its call', async () => {
  const abort = new AbortController()
  const { peer, edge } = await connect(({ request }) => {
    if (request.method === 'tools/call') return { task: TASK }
    if (request.method === 'tasks/get') abort.abort()
    return TASK
  })
  await expect(edge.handle(call({ signal: abort.signal }))).rejects.toMatchObject({ code: 'cancelled' })
  await expect.poll(() => peer.of('tasks/cancel')[0]?.params).toEqual({ taskId: 't1' })
})

it('is not made by a server that has none: the call is sent as it is', async () => {
  const { peer, edge } = await connect(() => ({ content: [] }), false)
  await edge.handle(call())
  expect(peer.of('tools/call')[0]?.params).toEqual({ name: 'must' })
})
