import {
  INVALID_PARAMS,
  isJsonObject,
  METHOD_NOT_FOUND,
  ProtocolError,
  resourceNotFound,
} from '@gantry/mcp/exchange'
import type { GatewayExchange } from './gateway-exchange.ts'

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

/** Nobody has it, or nobody may know who has. */
export function methodNotFound(method: string): ProtocolError {
  return new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`)
}

function unknown(kind: string, name: unknown): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Unknown ${kind}: ${String(name)}`)
}
