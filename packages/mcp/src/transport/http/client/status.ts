import type { JsonRpcResponse } from '../../../jsonrpc/index.ts'

const statuses = new WeakMap<JsonRpcResponse, number>()

/** The HTTP status of an error response, if it was not 2xx. Negotiation needs it. */
export function httpStatusOf(response: JsonRpcResponse): number | undefined {
  return statuses.get(response)
}

export function setHttpStatus(response: JsonRpcResponse, status: number): void {
  statuses.set(response, status)
}
