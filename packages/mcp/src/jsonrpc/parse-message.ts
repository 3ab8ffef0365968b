import { INVALID_REQUEST, PARSE_ERROR } from './error-codes.ts'
import { isNoise } from './is-noise.ts'
import { JsonNumber, toNumber } from './json-number.ts'
import { parseJson } from './parse-json.ts'
import { RefusedJson } from './refused-json.ts'
import {
  isJsonObject,
  isRequestId,
  type JsonObject,
  type JsonRpcFailure,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type RequestId,
} from './message.ts'
import type { ReadJson } from './read-json.ts'

export type ParsedMessage =
  | { kind: 'request'; message: JsonRpcRequest }
  | { kind: 'notification'; message: JsonRpcNotification }
  | { kind: 'response'; message: JsonRpcResponse }
  | { kind: 'invalid'; reply: JsonRpcFailure; isResponse: boolean }

/** Parses one message from text. A failure is a value: the reply that JSON-RPC wants for it. */
export function parseMessage(text: string, read: ReadJson = parseJson): ParsedMessage {
  let value: unknown
  if (isNoise(text)) return notJson()
  try {
    value = read(text)
  } catch (error) {
    return notJson(error)
  }
  return classifyMessage(value)
}

function notJson(thrown?: unknown): ParsedMessage {
  const { id, code, message } = unreadable(thrown)
  if (!(thrown instanceof RefusedJson)) return invalid(id, code, message)
  return { ...invalid(thrown.id, code, message), isResponse: thrown.isResponse }
}

/** What to answer for a text that `parseJson` refused. The id of a request with too many levels or values is known. */
export function unreadable(thrown: unknown): { id: RequestId | null; code: number; message: string } {
  return thrown instanceof RefusedJson
    ? {
        id: thrown.isResponse ? null : thrown.id,
        code: INVALID_REQUEST,
        message: `Invalid request: ${thrown.message}`,
      }
    : { id: null, code: PARSE_ERROR, message: 'Parse error: the message is not valid JSON' }
}

/** Decides what a parsed value is, by hand: this runs for every message. */
export function classifyMessage(value: unknown): ParsedMessage {
  if (!isJsonObject(value)) return invalid(null, INVALID_REQUEST, 'Invalid request: expected a JSON object')
  if (value.id instanceof JsonNumber) value.id = value.id.valueOf()
  const { id } = value
  const readableId = isRequestId(id) ? id : null
  if (value.jsonrpc !== '2.0') {
    return invalid(readableId, INVALID_REQUEST, 'Invalid request: "jsonrpc" must be "2.0"')
  }
  const method = value.method
  if (method === undefined) return classifyResponse(value, readableId)
  if (typeof method !== 'string') {
    return invalid(readableId, INVALID_REQUEST, 'Invalid request: "method" must be a string')
  }
  const params = value.params
  if (params !== undefined && !isJsonObject(params)) {
    return invalid(readableId, INVALID_REQUEST, 'Invalid request: "params" must be an object')
  }
  if (id === undefined) return { kind: 'notification', message: value as unknown as JsonRpcNotification }
  if (readableId === null) {
    return invalid(null, INVALID_REQUEST, 'Invalid request: "id" must be a string or an integer')
  }
  return { kind: 'request', message: value as unknown as JsonRpcRequest }
}

function classifyResponse(value: JsonObject, id: RequestId | null): ParsedMessage {
  const { result, error } = value
  if (error !== undefined) {
    const code = isJsonObject(error) ? toNumber(error.code) : undefined
    if (isJsonObject(error) && Number.isFinite(code) && typeof error.message === 'string') {
      return { kind: 'response', message: { ...value, id, error: { ...error, code } } as JsonRpcResponse }
    }
  } else if (isJsonObject(result) && id !== null) {
    return { kind: 'response', message: value as unknown as JsonRpcResponse }
  }
  const isResponse = result !== undefined || error !== undefined
  return {
    ...invalid(id, INVALID_REQUEST, 'Invalid request: neither a request, a notification nor a response'),
    isResponse,
  }
}

function invalid(
  id: RequestId | null,
  code: number,
  message: string,
): { kind: 'invalid'; reply: JsonRpcFailure; isResponse: boolean } {
  return { kind: 'invalid', reply: { jsonrpc: '2.0', id, error: { code, message } }, isResponse: false }
}
