import {
  JsonNumber,
  toNumber,
  isJsonObject,
  isRequestId,
  writeJson,
  type JsonObject,
  type RequestId,
} from './json.ts'
import { INVALID_REQUEST, PARSE_ERROR } from './error-codes.ts'
import { parseJson, RefusedJson, type ReadJson } from './read-json.ts'
import type { JsonRpcError } from './protocol-error.ts'
import { unwritableMessage } from './unwritable.ts'

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

/** The answer to a text that `parseJson` refused. The id of a request with too many levels or values is known. */
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
    return invalid(null, INVALID_REQUEST, 'Invalid request: "id" must be a short string or an integer')
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

/** A response whose result keeps the JSON that it came in, as text or as bytes. */
export abstract class ResultBody implements JsonRpcResult {
  readonly jsonrpc = '2.0'
  readonly id: number

  constructor(id: number) {
    this.id = id
  }

  /** Enough to see what it is about: numbers may be rounded, and long strings that were not read are empty. */
  abstract readonly outline: JsonObject
  /** All of it, read on first use. */
  abstract readonly result: JsonObject
  /** Characters or bytes of the JSON. */
  abstract readonly length: number
  /** The JSON of `result` and of nothing else. */
  abstract text(): string

  /** The same in bytes, if it was not decoded yet. */
  bytes(): readonly Uint8Array[] | undefined {
    return undefined
  }
}

const HEAD = '{"jsonrpc":"2.0","id":'
const MIDDLE = ',"result":'
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
/** No integer with more digits is sure to be exact. */
const MAX_DIGITS = 15

/** The usual result. It has the members of any response, so a copy of them is a response, too. */
class TextResult extends ResultBody {
  readonly result: JsonObject
  readonly #text: string

  constructor(id: number, text: string, result: JsonObject) {
    super(id)
    this.result = result
    this.#text = text
  }

  get outline(): JsonObject {
    return this.result
  }

  get length(): number {
    return this.#text.length
  }

  text(): string {
    return this.#text
  }
}

/** For readers with their own numbers: those are looked at when the result is, not before. */
class LazyTextResult extends ResultBody {
  readonly outline: JsonObject
  readonly #text: string
  readonly #read: ReadJson
  #result: JsonObject | undefined

  constructor(id: number, text: string, outline: JsonObject, read: ReadJson) {
    super(id)
    this.outline = outline
    this.#text = text
    this.#read = read
  }

  get result(): JsonObject {
    this.#result ??= this.#read(this.#text) as JsonObject
    return this.#result
  }

  get length(): number {
    return this.#text.length
  }

  text(): string {
    return this.#text
  }

  /** The form in which the message is logged. */
  toJSON(): JsonRpcResult {
    const { jsonrpc, id, result } = this
    return { jsonrpc, id, result }
  }
}

/** Reads a response in the usual form; undefined otherwise. The result is parsed alone, so nothing can hide. */
export function readResult(text: string, read: ReadJson = parseJson): ResultBody | undefined {
  if (!text.startsWith(HEAD) || text.charCodeAt(text.length - 1) !== CLOSE_BRACE) return undefined
  let at = HEAD.length
  let id = 0
  for (let code = text.charCodeAt(at); code >= DIGIT_0 && code <= DIGIT_9; code = text.charCodeAt(++at)) {
    id = id * 10 + (code - DIGIT_0)
  }
  const digits = at - HEAD.length
  const isPlain =
    digits === 1 || (digits > 1 && digits <= MAX_DIGITS && text.charCodeAt(HEAD.length) !== DIGIT_0)
  if (!isPlain || !text.startsWith(MIDDLE, at)) return undefined
  const own = text.slice(at + MIDDLE.length, -1)
  if (own.charCodeAt(0) !== OPEN_BRACE) return undefined
  try {
    const outline: unknown = parseJson(own)
    if (!isJsonObject(outline)) return undefined
    return read === parseJson ? new TextResult(id, own, outline) : new LazyTextResult(id, own, outline, read)
  } catch {
    return undefined
  }
}

/** By its value: without the DOM's types, Node has no type of this name. */
type Decoder = InstanceType<typeof TextDecoder>

/** The text of bytes that came in pieces: a character may begin in one piece and end in the next piece. */
export function decodePieces(pieces: readonly Uint8Array[], decoder: Decoder): string {
  let text = ''
  for (const piece of pieces) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}

/** The text of our own message. Values without a JSON form are the author's fault, and nothing is sent. */
export function toJsonText(message: object): string {
  try {
    return writeJson(message)
  } catch (cause) {
    throw unwritableMessage(message, cause)
  }
}
