import type { Random } from './random.ts'

type Json = unknown

const NASTY: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53 + 2,
  '',
  'x',
  '__proto__',
  'constructor',
  '\u0000',
  '\ud800',
  '😀'.repeat(10),
  'x'.repeat(3000),
  [],
  {},
  [[[[[]]]]],
  { a: { b: { c: {} } } },
  JSON.parse('{"__proto__":{"polluted":true}}'),
]

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, sampling: {}, roots: {} },
}

/** What a client may properly say, of either era. */
const METHODS: readonly [string, () => object][] = [
  ['ping', () => ({})],
  ['tools/list', () => ({})],
  ['tools/list', () => ({ cursor: 'YWZ0ZXI6MQ' })],
  ['tools/call', () => ({ name: 'echo', arguments: { text: 'hi' } })],
  ['tools/call', () => ({ name: 'fail', arguments: {} })],
  ['tools/call', () => ({ name: 'ask', arguments: {} })],
  ['tools/call', () => ({ name: 'ask', inputResponses: { q: { action: 'accept' } }, requestState: 'AAAA' })],
  ['tools/call', () => ({ name: 'report', arguments: {}, _meta: { progressToken: 1 } })],
  ['tools/call', () => ({ name: '__proto__' })],
  ['prompts/list', () => ({})],
  ['prompts/get', () => ({ name: 'hello', arguments: { who: 'me' } })],
  ['resources/list', () => ({})],
  ['resources/templates/list', () => ({})],
  ['resources/read', () => ({ uri: 'note://1' })],
  ['resources/read', () => ({ uri: 'note://a/b%20c' })],
  [
    'completion/complete',
    () => ({ ref: { type: 'ref/prompt', name: 'hello' }, argument: { name: 'who', value: 'a' } }),
  ],
  ['server/discover', () => ({})],
  [
    'initialize',
    () => ({ protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'f', version: '1' } }),
  ],
  [
    'initialize',
    () => ({ protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'f', version: '1' } }),
  ],
  ['logging/setLevel', () => ({ level: 'error' })],
  ['resources/subscribe', () => ({ uri: 'note://1' })],
  ['resources/unsubscribe', () => ({ uri: 'note://1' })],
]
const NOTIFICATIONS: readonly [string, () => object][] = [
  ['notifications/initialized', () => ({})],
  ['notifications/cancelled', () => ({ requestId: 1 })],
  ['notifications/roots/list_changed', () => ({})],
  ['notifications/progress', () => ({ progressToken: 1, progress: 1 })],
]

export function validMessage(random: Random): Record<string, unknown> {
  if (random.chance(0.1)) {
    const [method, params] = random.pick(NOTIFICATIONS)
    return { jsonrpc: '2.0', method, params: params() }
  }
  if (random.chance(0.05)) return { jsonrpc: '2.0', id: random.below(50), result: { action: 'accept' } }
  if (random.chance(0.03)) return { jsonrpc: '2.0', id: random.below(50), error: { code: -1, message: 'no' } }
  const [method, make] = random.pick(METHODS)
  const params = make() as Record<string, unknown>
  const id = random.chance(0.8) ? random.below(1_000_000) : `id${random.below(1000)}`
  if (random.chance(0.5)) return { jsonrpc: '2.0', id, method, params }
  return {
    jsonrpc: '2.0',
    id,
    method,
    params: { ...params, _meta: { ...(params._meta as object), ...ENVELOPE } },
  }
}

/** Changes a message somewhere: a member gone, renamed, doubled or made into something else. */
export function mutated(value: Json, random: Random, depth = 0): Json {
  if (depth > 6 || typeof value !== 'object' || value === null || random.chance(0.08))
    return random.pick(NASTY)
  if (Array.isArray(value)) {
    return random.chance(0.3)
      ? [...value, random.pick(NASTY)]
      : value.map((item) => mutated(item, random, depth + 1))
  }
  const keys = Object.keys(value)
  const key = random.pick(keys.length > 0 ? keys : ['x'])
  const copy: Record<string, Json> = { ...(value as Record<string, Json>) }
  switch (random.below(5)) {
    case 0:
      delete copy[key]
      break
    case 1:
      copy[random.pick(['id', 'method', 'params', 'name', 'arguments', '_meta', 'uri', 'extra'])] =
        random.pick(NASTY)
      break
    case 2:
      copy[key] = random.pick(NASTY)
      break
    default:
      copy[key] = mutated(copy[key], random, depth + 1)
  }
  return copy
}

/** A message as text, now and then with bytes lost, added or turned. */
export function mutatedText(random: Random): string {
  const message = validMessage(random)
  const shaped = random.chance(0.7) ? mutated(message, random) : message
  let text = JSON.stringify(random.chance(0.03) ? [shaped, message] : shaped) ?? 'null'
  if (random.chance(0.25)) {
    const at = random.below(text.length)
    switch (random.below(3)) {
      case 0:
        text = text.slice(0, at)
        break
      case 1:
        text =
          text.slice(0, at) +
          random.pick(['"', '{', '}', '[', ',', ':', '\\', '\u0000', '\u2028']) +
          text.slice(at)
        break
      default:
        text = text.slice(0, at) + text.slice(at + 1)
    }
  }
  return text
}
