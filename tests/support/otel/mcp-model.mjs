/**
 * The semantic conventions of OpenTelemetry for MCP as a table: which attributes spans and measurements have, of which
 * type, and when. Facts of the published model (semantic-conventions-genai, model/mcp), which is still under development.
 *
 * `required` is what a span must have, by what is known of it; everything else may be missing.
 */
const isTool = ({ method }) => method === 'tools/call'
const isPrompt = ({ method }) => method === 'prompts/get'
const isResource = ({ method }) => /^resources\/(read|subscribe|unsubscribe)$/.test(method)
const isNamed = ({ code }) => code === undefined
const never = () => false
const always = () => true

/** Codes by which a server says that its caller was wrong: the server has not failed. */
export const CALLERS = ['-32700', '-32600', '-32601', '-32602', '-32002']

/** Of spans and measurements alike. `only`: nothing else may have it. */
const COMMON = {
  'mcp.method.name': { type: 'string', required: always },
  // A tool that the server does not have has no name: callers make names up.
  'gen_ai.tool.name': { type: 'string', required: (span) => isTool(span) && isNamed(span), only: isTool },
  'gen_ai.operation.name': { type: 'string', required: never, only: isTool, value: 'execute_tool' },
  'gen_ai.prompt.name': {
    type: 'string',
    required: (span) => isPrompt(span) && isNamed(span),
    only: isPrompt,
  },
  'error.type': { type: 'string', required: ({ failed }) => failed, only: ({ failed }) => failed },
  'rpc.response.status_code': { type: 'string', required: never },
  'mcp.protocol.version': { type: 'string', required: never },
  'network.transport': { type: 'string', required: never, values: ['tcp', 'quic', 'pipe', 'unix', 'udp'] },
  'network.protocol.name': { type: 'string', required: never },
  'network.protocol.version': { type: 'string', required: never },
  'jsonrpc.protocol.version': { type: 'string', required: never },
}

const SPAN = {
  ...COMMON,
  'mcp.session.id': { type: 'string', required: never },
  'mcp.resource.uri': {
    type: 'string',
    required: (span) => isResource(span) && isNamed(span),
    only: ({ method }) => method.startsWith('resources/'),
  },
  'jsonrpc.request.id': { type: 'string', required: always },
  'gen_ai.tool.call.arguments': { type: 'string', required: never, only: isTool, optIn: true },
  'gen_ai.tool.call.result': { type: 'string', required: never, only: isTool, optIn: true },
}

const SERVER = {
  'server.address': { type: 'string', required: never },
  'server.port': { type: 'int', required: never },
}
const CLIENT = {
  'client.address': { type: 'string', required: never },
  'client.port': { type: 'int', required: never },
}
/** What the gateway adds to its server spans: docs/telemetry.md. */
const OWN = {
  'gantry.target': { type: 'string', required: never },
  'gantry.kept': { type: 'string', required: never, values: ['share', 'error', 'slow'] },
}

/** By kind of span. */
export const SPANS = {
  SERVER: { ...SPAN, ...CLIENT, ...OWN },
  CLIENT: { ...SPAN, ...SERVER },
}

const SESSION = {
  'mcp.protocol.version': COMMON['mcp.protocol.version'],
  'network.transport': COMMON['network.transport'],
  'network.protocol.name': COMMON['network.protocol.name'],
  'jsonrpc.protocol.version': COMMON['jsonrpc.protocol.version'],
  'error.type': { type: 'string', required: never },
}

/** Histograms in seconds. */
export const METRICS = {
  'mcp.server.operation.duration': COMMON,
  'mcp.client.operation.duration': { ...COMMON, ...SERVER },
  'mcp.server.session.duration': SESSION,
  'mcp.client.session.duration': { ...SESSION, ...SERVER },
}

/** Method names that the model knows, and the name for all others. */
export const METHODS = new Set([
  '_OTHER',
  'initialize',
  'ping',
  'server/discover',
  'subscriptions/listen',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'tools/list',
  'tools/call',
  'logging/setLevel',
  'completion/complete',
  'sampling/createMessage',
  'roots/list',
  'elicitation/create',
  // Of the extensions for tasks, skills and directories, which the model does not list yet.
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/update',
  'tasks/cancel',
  'skills/list',
  'skills/get',
  'resources/directory/read',
])
