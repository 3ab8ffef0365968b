import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  isJsonObject,
  isResourceNotFound,
  METHOD_NOT_FOUND,
  ProtocolError,
  resourceNotFound,
  type Failure,
} from '@gantry/mcp/exchange'
import type { GatewayExchange, ResolvedExchange } from './gateway-exchange.ts'

/** The answer to a request for something that is not there for its caller: denied and missing look the same. */
export function absent({
  method,
  origin: { params },
}: Pick<GatewayExchange, 'method' | 'origin'>): ProtocolError {
  switch (method) {
    case 'tools/call':
      return unknown('tool', params.name)
    case 'prompts/get':
      return unknown('prompt', params.name)
    case 'resources/read':
    case 'resources/directory/read':
    case 'skills/get':
      return resourceNotFound(String(params.uri))
    case 'completion/complete': {
      const ref = isJsonObject(params.ref) ? params.ref : {}
      return ref.type === 'ref/prompt' ? unknown('prompt', ref.name) : resourceNotFound(String(ref.uri))
    }
    case 'tasks/get':
    case 'tasks/update':
    case 'tasks/cancel':
      return unknown('task', params.taskId)
    default:
      return methodNotFound(method)
  }
}

/** Whether a request was answered that what it names is not there for its caller. */
export function isAbsent(thrown: unknown, exchange: Pick<GatewayExchange, 'method' | 'origin'>): boolean {
  if (!(thrown instanceof ProtocolError)) return false
  const { code, message } = absent(exchange)
  return thrown.code === code && thrown.message === message
}

/** The answer to a request that a rule denies: what the rule says, or else as if there were nothing. */
export function refused(
  exchange: Pick<GatewayExchange, 'method' | 'origin'>,
  message: string | undefined,
): ProtocolError {
  return message === undefined ? absent(exchange) : new ProtocolError(INVALID_REQUEST, message)
}

/** No target has the method, or the caller may not know which target has it. */
export function methodNotFound(method: string): ProtocolError {
  return new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`)
}

function unknown(kind: string, name: unknown): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Unknown ${kind}: ${String(name)}`)
}

/** Servers use many codes to say that there is no such resource. These are the words. */
const MISSING =
  /\b(not found|unknown resource|no such|does(n't| not) exist|is not served|no skill is served|there is no)\b/i
const BY_URI: ReadonlySet<string> = new Set(['resources/read', 'resources/directory/read', 'skills/get'])

/** Whether a target says that it does not have what it was asked for. */
export function isMissing(error: Failure['error'], { method, resolved, origin }: ResolvedExchange): boolean {
  if (resolved.kind === 'methods') return error.code === METHOD_NOT_FOUND
  if (!BY_URI.has(method) || typeof origin.params.uri !== 'string') return false
  return isResourceNotFound(method, error) || MISSING.test(error.message)
}
