// What the bare servers answer: the least that loads, clients and gateways take for right.

const serverInfo = { name: 'bare', version: '1.0.0' }
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const tools = [{ name: 'echo', description: 'Says it back', inputSchema }]
const capabilities = { tools: {} }

const both = {
  'tools/list': () => ({ resultType: 'complete', tools, ttlMs: 0, cacheScope: 'public' }),
  'tools/call': ({ arguments: { text } }) => ({ resultType: 'complete', content: [{ type: 'text', text }] }),
  ping: () => ({}),
}
const legacy = {
  ...both,
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo }),
}
const modern = {
  ...both,
  'server/discover': () => ({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities,
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    ttlMs: 0,
    cacheScope: 'public',
  }),
}

const results = process.argv[2] === 'modern' ? modern : legacy

/** The answer to a message, or undefined when it wants none. */
export function answer({ id, method, params }) {
  if (id === undefined) return undefined
  const result = results[method]
  if (result === undefined)
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
  return { jsonrpc: '2.0', id, result: result(params) }
}
