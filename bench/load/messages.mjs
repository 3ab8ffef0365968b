// The messages that a load sends. Their ids have ten digits, so that a load can write the next id over the
// last one without serialising again.

export const FIRST_ID = 1_000_000_000
const LEGACY = '2025-11-25'
const MODERN = '2026-07-28'
const clientInfo = { name: 'bench', version: '1.0.0' }

/** A request of an era, ready to be sent with any id. */
export function request(era, method, params = {}) {
  const whole = era === 'modern' ? { _meta: envelope, ...params } : params
  return { jsonrpc: '2.0', id: FIRST_ID, method, params: whole }
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
}

export const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: LEGACY, capabilities: {}, clientInfo },
}

export const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }

/** A call of the tool that every contestant has, and what its answer must contain. */
export function echoCall(era, text = 'to be or not to be') {
  return { message: request(era, 'tools/call', { name: 'echo', arguments: { text } }), expect: { text } }
}

/** The headers that a request of an era needs over HTTP. */
export function headersOf(era, message, session) {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'Mcp-Protocol-Version': era === 'modern' ? MODERN : LEGACY,
  }
  if (session) headers['Mcp-Session-Id'] = session
  if (era === 'modern') {
    headers['Mcp-Method'] = message.method
    if (message.params.name !== undefined) headers['Mcp-Name'] = message.params.name
  }
  return headers
}

/** Throws unless an answer is the one that was asked for: a fast error is no speed. */
export function checkAnswer(answer, expect) {
  const { result } = answer
  if (result === undefined || result.isError) fail(answer)
  const { text, length, tools } = expect ?? {}
  const got = result.content?.[0]?.text
  if (text !== undefined && got !== text) fail(answer)
  if (length !== undefined && got?.length !== length) fail(answer)
  if (tools !== undefined && result.tools?.length !== tools) fail(answer)
}

function fail(answer) {
  throw new Error(`a wrong answer: ${JSON.stringify(answer).slice(0, 300)}`)
}
