import type { JsonRpcResponse } from '../../../jsonrpc/index.ts'

const statuses = new WeakMap<JsonRpcResponse, number>()

/**
 * The HTTP status that an error response came with, when it was not 2xx. Negotiation needs it: 400 with a
 * modern error is a modern server, 404 with -32601 is a method that it does not have.
 */
export function httpStatusOf(response: JsonRpcResponse): number | undefined {
  return statuses.get(response)
}

export function setHttpStatus(response: JsonRpcResponse, status: number): void {
  statuses.set(response, status)
}
