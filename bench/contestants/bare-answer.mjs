/** What the bare servers answer: the least that any of the loads can take for a right answer. */
export function answer({ id, method, params }) {
  if (id === undefined) return undefined
  return { jsonrpc: '2.0', id, result: results[method]?.(params) ?? {} }
}

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'bare', version: '1.0.0' },
  }),
  'tools/call': ({ arguments: { text } }) => ({
    resultType: 'complete',
    content: [{ type: 'text', text }],
  }),
}
