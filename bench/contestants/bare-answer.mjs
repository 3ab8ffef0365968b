// What the bare servers answer: the least that loads, clients and gateways take for right.
import { longText } from './long-text.mjs'
import { extraSchema, extraTools } from './many-tools.mjs'

const serverInfo = { name: 'bare', version: '1.0.0' }
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const tools = [
  { name: 'echo', description: 'Says it back', inputSchema },
  { name: 'big', description: 'A long text', inputSchema: { type: 'object' } },
  { name: 'wait', description: 'Never ends', inputSchema: { type: 'object' } },
  ...extraTools.map((tool) => ({ ...tool, inputSchema: extraSchema })),
]
const capabilities = { tools: {} }

// Only the modern era names the type of a result.
const isModern = process.argv[2] === 'modern'
const complete = (result) => (isModern ? { resultType: 'complete', ...result } : result)
const text = (value) => complete({ content: [{ type: 'text', text: value }] })
const calls = {
  echo: (args) => text(args.text),
  big: ({ bytes }) => text(longText(bytes)),
  wait: () => undefined,
}
const both = {
  'tools/list': () => complete({ tools, ...(isModern && { ttlMs: 0, cacheScope: 'public' }) }),
  'tools/call': ({ name, arguments: args }) => calls[name](args),
  ping: () => ({}),
}
const legacy = {
  ...both,
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo }),
}
const modern = {
  ...both,
  'server/discover': () =>
    complete({
      supportedVersions: ['2026-07-28'],
      capabilities,
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
      ttlMs: 0,
      cacheScope: 'public',
    }),
}

const results = isModern ? modern : legacy

/** The answer to a message, or undefined when it gets none. */
export function answer({ id, method, params }) {
  if (id === undefined) return undefined
  const result = results[method]
  if (result === undefined)
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
  const value = result(params)
  return value && { jsonrpc: '2.0', id, result: value }
}
