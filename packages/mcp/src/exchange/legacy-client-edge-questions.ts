import { INVALID_PARAMS, type JsonRpcRequest, METHOD_NOT_FOUND, ProtocolError } from '../jsonrpc/index.ts'
import type { ClientCapabilities } from '../protocol/index.ts'
import type { InputRequest } from './exchange.ts'
import { missingCapability } from './input-capabilities.ts'

/** What a server may ask of a client. */
const QUESTIONS: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])

/** The request as a question: without its frame, everything else as it was. */
export function toQuestion(request: JsonRpcRequest): InputRequest {
  const { jsonrpc: _, id: __, ...question } = request
  return question
}

/** Why a server's request cannot be passed on to a client with these capabilities; undefined when it can. */
export function refusal(
  request: JsonRpcRequest,
  capabilities: ClientCapabilities,
): ProtocolError | undefined {
  const { method } = request
  if (!QUESTIONS.has(method)) return new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`)
  const missing = missingCapability(request, capabilities)
  if (!missing) return undefined
  const name = Object.keys(missing)[0] ?? method
  // A mode or an option that was not declared is a bad parameter (MCP 2025-11-25, client/elicitation and
  // client/sampling, error handling); without the whole capability there is no such method.
  return capabilities[name] === undefined
    ? new ProtocolError(METHOD_NOT_FOUND, `The client did not declare the ${name} capability`)
    : new ProtocolError(INVALID_PARAMS, `The client did not declare ${JSON.stringify(missing)}`)
}
