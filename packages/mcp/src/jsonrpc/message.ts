import {
  JsonNumber,
  toNumber,
  isJsonObject,
  isRequestId,
  type JsonObject,
  type RequestId,
  writeJson,
} from './json.ts'
import { INVALID_REQUEST, PARSE_ERROR } from './error-codes.ts'
import { parseJson, RefusedJson, type ReadJson } from './read-json.ts'
import { McpError } from './mcp-error.ts'
import type { JsonRpcError } from './protocol-error.ts'

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

/** Whether a text is not JSON, by its two ends alone: parsing costs a hundred times as much. */
export function isNoise(text: string): boolean {
  if (!/^\s*(?:[{["\-\d]|(?:true|false|null)\s*$|$)/.test(text)) return true
  return /^\s*\{/.test(text) && !text.endsWith('}') && !text.trimEnd().endsWith('}')
}

/** The text of our own message. Values without a JSON form are the author's fault, and nothing is sent. */
export function toJsonText(message: JsonRpcMessage): string {
  try {
    return writeJson(message)
  } catch (cause) {
    throw unwritable(message, cause)
  }
}

function unwritable(message: JsonRpcMessage, cause: unknown): McpError {
  const found = find('params' in message ? message.params : (message as { result?: unknown }).result)
  const where = found ? `${found.path} is ${found.what}` : String((cause as Error).message)
  const details = { ...(found && { path: found.path }) }
  if (!('method' in message)) {
    return new McpError('invalid_answer', `The answer cannot be written as JSON: ${where}`, {
      cause,
      details,
    })
  }
  const { method } = message
  const text = `The arguments of ${method} cannot be written as JSON: ${where}`
  return new McpError('invalid_argument', text, { cause, details: { method, ...details } })
}

interface Found {
  path: string
  what: string
}

/** Deeper than this nobody reads a path. */
const DEEPEST = 100

/** Where the first value is that cannot be written; undefined where only the depth is at fault. */
function find(value: unknown, path = '', above: readonly object[] = []): Found | undefined {
  if (typeof value === 'bigint') return { path, what: 'a BigInt' }
  if (typeof value !== 'object' || value === null || above.length > DEEPEST) return undefined
  if (above.includes(value)) return { path, what: 'part of itself' }
  const within = [...above, value]
  if (Array.isArray(value)) {
    return first(value.map((item, index) => () => find(item, `${path}[${index}]`, within)))
  }
  if (!isJsonObject(value)) return undefined
  const members = Object.entries(value)
  return first(
    members.map(
      ([name, item]) =>
        () =>
          find(item, path ? `${path}.${name}` : name, within),
    ),
  )
}

function first(looks: readonly (() => Found | undefined)[]): Found | undefined {
  for (const look of looks) {
    const found = look()
    if (found) return found
  }
  return undefined
}
