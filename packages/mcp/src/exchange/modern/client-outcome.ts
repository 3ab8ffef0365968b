import {
  isJsonObject,
  type JsonObject,
  type JsonRpcResponse,
  type JsonRpcResult,
  McpError,
  ResultBody,
} from '../../jsonrpc/index.ts'
import type { InputRequests, InputRequired, Outcome } from '../exchange.ts'
import { received } from '../received-result.ts'

/** Reads a modern response. A missing `resultType` means complete (MCP 2026-07-28, basic, responses). */
export function modernOutcome(response: JsonRpcResponse, method: string, keepsText = false): Outcome {
  if ('error' in response) return { type: 'error', error: response.error }
  if (keepsText && resultTypeOf(response) === 'complete') {
    const kept = received(response, true)
    if (kept) return kept
  }
  const { resultType, ...result } = response.result
  if (resultType === undefined || resultType === 'complete') return { type: 'complete', result }
  if (resultType === 'input_required') return inputRequired(result, method)
  if (resultType === 'task') return { type: 'task', task: result }
  throw new McpError('bad_response', `The server answered ${method} with an unknown resultType`, {
    details: { resultType },
  })
}

function resultTypeOf(response: JsonRpcResult): unknown {
  return (response instanceof ResultBody ? response.outline : response.result).resultType
}

function inputRequired(result: JsonObject, method: string): InputRequired {
  const { inputRequests, requestState, ...extra } = result
  const hasRequests = isInputRequests(inputRequests)
  if (inputRequests !== undefined && !hasRequests) throw malformed(method, 'inputRequests')
  if (requestState !== undefined && typeof requestState !== 'string') throw malformed(method, 'requestState')
  if (!hasRequests && requestState === undefined) {
    throw new McpError(
      'bad_response',
      `The server answered ${method} with input_required, but with neither inputRequests nor requestState`,
    )
  }
  return {
    type: 'input_required',
    ...(hasRequests && { inputRequests }),
    ...(requestState !== undefined && { requestState }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

function isInputRequests(value: unknown): value is InputRequests {
  return (
    isJsonObject(value) &&
    Object.values(value).every((request) => isJsonObject(request) && typeof request.method === 'string')
  )
}

function malformed(method: string, member: string): McpError {
  return new McpError('bad_response', `The server answered ${method} with a malformed ${member}`)
}
