import { JsonNumber } from './json-number.ts'

export type JsonObject = { [key: string]: unknown }

/** MCP forbids `null` ids; JSON-RPC allows only strings and numbers besides. */
export type RequestId = string | number

export interface JsonRpcRequest {
  jsonrpc: '2.0'
  id: RequestId
  method: string
  params?: JsonObject
}

export interface JsonRpcNotification {
  jsonrpc: '2.0'
  method: string
  params?: JsonObject
}

export interface JsonRpcError {
  code: number
  message: string
  data?: unknown
}

export interface JsonRpcResult {
  jsonrpc: '2.0'
  id: RequestId
  result: JsonObject
}

export interface JsonRpcFailure {
  jsonrpc: '2.0'
  /** `null` when the request's id could not be read (JSON-RPC 2.0, section 5). */
  id: RequestId | null
  error: JsonRpcError
}

export type JsonRpcResponse = JsonRpcResult | JsonRpcFailure
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  )
}

/** Strings and integers are ids (2026-07-28, basic). Integers beyond 2^53 would lose digits: refused. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}
