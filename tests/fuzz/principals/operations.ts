import type { Random } from '../random.ts'
import { keep } from './holdings.ts'
import {
  addressed,
  ask,
  CAPABILITIES,
  earlierId,
  handle,
  inSession,
  marked,
  named,
  newId,
  type Params,
  pathOf,
  placeOf,
  places,
  sessionOf,
  type Turn,
} from './requests.ts'

const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26']
const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'skills/list']
const TASK_METHODS = ['tasks/get', 'tasks/cancel', 'tasks/update', 'tasks/result', 'tasks/list']

type Operation = (turn: Turn) => Promise<unknown>

const list: Operation = (turn) => {
  const params: Params = turn.random.chance(0.3) ? { cursor: handle(turn, 'cursors') } : {}
  return ask(turn, turn.random.pick(LISTS), params)
}

const call: Operation = async (turn) => {
  const { me, other, random } = turn
  const tool = random.pick([
    'echo',
    'ask',
    'tell',
    'slow',
    'job',
    'turn',
    'long',
    `open_${me.page}`,
    `open_${other.page}`,
  ])
  const { path, name } = named(turn, tool)
  const params = { name, arguments: marked(turn) }
  me.holdings.lastCall = { path, method: 'tools/call', params }
  await ask(turn, 'tools/call', params, path)
}

/** What one's own view, or that of the other, calls its tools; and a tool of which the view says who calls it. */
const viewed: Operation = (turn) => {
  const { me, other, random } = turn
  const [view, name] = random.pick([
    [me.view, `peek_${me.page}`],
    [other.view, `peek_${other.page}`],
    ['hall', `peek_${other.page}`],
    ['hall', `${other.vaults[1]}_open_${other.page}`],
    ['desk', 'say'],
  ] as const)
  const args = random.pick<Params>([
    {},
    marked(turn),
    { Mark: me.mark },
    JSON.parse('{"__proto__":{"mark":"x"}}'),
  ])
  return ask(turn, 'tools/call', { name, arguments: args }, `/mcp/${view}`)
}

/** Calls that fail in the same way again and again, so that the gateway answers for the target. */
const fail: Operation = (turn) => {
  const { path, name } = named(turn, 'fail')
  const args = { mark: `${turn.me.mark} ${turn.random.below(2)}` }
  return ask(turn, 'tools/call', { name, arguments: args }, path)
}

/** Reads the rest of a long result: of one's own, or of the other. */
const rest: Operation = (turn) => {
  const part = turn.random.pick(['', '?page=1', '?page=2', '?page=-1', '?search=private', '?search=', '#x'])
  return ask(turn, 'resources/read', { uri: handle(turn, 'results') + part })
}

const crash: Operation = (turn) =>
  ask(turn, 'tools/call', { name: 'fragile_crash', arguments: marked(turn) }, '/mcp')

/** Goes on with a call that asked something: one's own, or what the other left behind. */
const resume: Operation = async (turn) => {
  const { me, other, random } = turn
  const from = random.chance(0.5) ? me : other
  const found = random.pick(
    from === me ? me.holdings.states : [...other.holdings.states, ...other.bait.states],
  )
  const last = (random.chance(0.8) ? from : me).holdings.lastCall
  if (!found || !last) return
  const inputResponses = Object.fromEntries(
    found.keys.map((key) => [key, { action: 'accept', content: marked(turn) }]),
  )
  const requestState = random.chance(0.9) ? found.state : `${found.state.slice(0, -3)}abc`
  // A copy of the other's call has the other's mark in its arguments, which the answer may repeat.
  const args = from === me ? last.params.arguments : marked(turn)
  await ask(turn, last.method, { ...last.params, arguments: args, requestState, inputResponses }, last.path)
}

const task: Operation = (turn) => {
  const { random } = turn
  const inputResponses = {
    [random.pick(['1', 'q1', 'input', 'elicit-1'])]: { action: 'accept', content: marked(turn) },
  }
  const params = { taskId: handle(turn, 'tasks'), inputResponses }
  return ask(turn, random.pick(TASK_METHODS), params)
}

const read: Operation = (turn) => {
  const { path, uri } = addressed(turn)
  const method = turn.random.pick([
    'resources/read',
    'resources/read',
    'resources/subscribe',
    'resources/directory/read',
    'skills/get',
  ])
  return ask(turn, method, { uri: turn.random.chance(0.95) ? uri : [uri] }, path)
}

const prompt: Operation = (turn) => {
  const { me, other, random } = turn
  const { path, name } = named(turn, `summary_of_${random.pick([me.page, other.page, 'page'])}`)
  if (random.chance(0.5)) return ask(turn, 'prompts/get', { name }, path)
  const argument = { name: 'day', value: '' }
  if (random.chance(0.5)) {
    return ask(turn, 'completion/complete', { ref: { type: 'ref/prompt', name }, argument }, path)
  }
  const found = addressed(turn)
  const uri = random.chance(0.5) ? found.uri : found.uri.replace(/[^/]+$/, '{day}')
  return ask(turn, 'completion/complete', { ref: { type: 'ref/resource', uri }, argument }, found.path)
}

const listen: Operation = (turn) => {
  const notifications = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: [addressed(turn).uri, addressed(turn).uri],
    taskIds: [handle(turn, 'tasks'), handle(turn, 'tasks')],
  }
  return ask(turn, 'subscriptions/listen', { notifications })
}

const initialize: Operation = async (turn) => {
  const { me, random } = turn
  const params = {
    protocolVersion: random.pick(LEGACY),
    capabilities: random.pick(CAPABILITIES),
    clientInfo: { name: me.mark, version: '1' },
  }
  const path = pathOf(turn)
  const answer = await me.send({
    path,
    body: { jsonrpc: '2.0', id: newId(), method: 'initialize', params },
  })
  const session = answer.headers['mcp-session-id']
  if (typeof session !== 'string') return
  keep(me.holdings.sessions, session)
  places.set(session, path)
  const body = { jsonrpc: '2.0', method: 'notifications/initialized' }
  await me.send({ path, headers: inSession(session), body })
}

const discover: Operation = (turn) => ask(turn, 'server/discover', {})

/** Opens the stream of a session, or comes back for one that broke off. */
const stream: Operation = (turn) => {
  const { me, random } = turn
  const event = random.chance(0.5) ? { 'last-event-id': handle(turn, 'events') } : {}
  const session = sessionOf(turn)
  return me.send({
    method: random.chance(0.95) ? 'GET' : 'DELETE',
    path: random.chance(0.9) ? placeOf(session) : pathOf(turn),
    headers: { accept: 'text/event-stream', ...inSession(session), ...event },
    patience: 30,
    ...(random.chance(0.5) && { hangUpAfter: 60 }),
  })
}

const oldTransport: Operation = async (turn) => {
  const { me, other, random } = turn
  if (random.chance(0.5)) {
    return me.send({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' }, patience: 30 })
  }
  const path = random.pick((random.chance(0.5) ? me : other).holdings.addresses)
  if (!path) return
  const params = { name: named(turn, 'echo').name, arguments: marked(turn) }
  const init = {
    protocolVersion: '2024-11-05',
    capabilities: {},
    clientInfo: { name: me.mark, version: '1' },
  }
  const body = random.chance(0.5)
    ? { jsonrpc: '2.0', id: newId(), method: 'tools/call', params }
    : { jsonrpc: '2.0', id: newId(), method: 'initialize', params: init }
  await me.send({ path, body })
}

/** Answers a question of a session: one's own, or the other's, in either session. */
const answer: Operation = async (turn) => {
  const { me, other, random } = turn
  const question = random.pick((random.chance(0.6) ? me : other).holdings.questions)
  if (!question) return
  const session = random.chance(0.7) ? question.session : sessionOf(turn)
  const result = { action: 'accept', content: marked(turn) }
  await me.send({
    path: placeOf(session),
    headers: inSession(session),
    body: { jsonrpc: '2.0', id: question.id, result },
  })
}

const notify: Operation = (turn) => {
  const { me, random } = turn
  const body = random.pick<object>([
    {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: earlierId(random), reason: me.mark },
    },
    {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: earlierId(random), progress: 1, message: me.mark },
    },
    { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
    { jsonrpc: '2.0', method: 'vendor/thing', params: marked(turn) },
  ])
  const session = sessionOf(turn)
  return me.send({ path: placeOf(session), headers: inSession(session), body })
}

/** Methods that nobody has, and parameters of any shape. */
const odd: Operation = (turn) => {
  const { other, random } = turn
  const method = random.pick([
    'vendor/read',
    'resources/peek',
    'tools/call',
    'resources/read',
    'ping',
    'logging/setLevel',
    'prompts/get',
  ])
  const { uri, path } = addressed(turn)
  const params = random.pick<Params>([
    { uri: [uri] },
    { uri: { uri } },
    { name: [`${other.vaults[0]}_open_${other.page}`] },
    { name: `${other.vaults[1]}_open_${other.page}`, arguments: [] },
    { level: 'debug' },
    { ref: uri, target: other.vaults[0] },
    { taskId: [handle(turn, 'tasks')] },
  ])
  return ask(turn, method, params, path)
}

const besides: Operation = (turn) => {
  const { me, random } = turn
  const path = random.pick([
    '/health',
    '/ready',
    '/ready?verbose',
    '/metrics',
    '/api/targets',
    '/api/overview',
    '/api/wire',
    '/console/',
    '/mcp/nobody',
    '//',
    '/.well-known/oauth-protected-resource',
  ])
  return me.send({ method: random.pick(['GET', 'POST']), path, patience: 200 })
}

/** Each with its weight. */
const OPERATIONS: readonly (readonly [number, Operation])[] = [
  [10, list],
  [30, call],
  [12, resume],
  [12, task],
  [18, read],
  [5, viewed],
  [3, fail],
  [6, rest],
  [8, prompt],
  [4, listen],
  [5, initialize],
  [3, discover],
  [5, stream],
  [4, oldTransport],
  [8, answer],
  [4, notify],
  [6, odd],
  [2, besides],
  [0.02, crash],
]
const TOTAL = OPERATIONS.reduce((sum, [weight]) => sum + weight, 0)

export function randomOperation(random: Random): Operation {
  let at = random.next() * TOTAL
  for (const [weight, operation] of OPERATIONS) {
    at -= weight
    if (at < 0) return operation
  }
  return call
}
