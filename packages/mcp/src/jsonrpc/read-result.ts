import { type JsonObject, isJsonObject } from './json.ts'
import type { JsonRpcResult } from './message.ts'
import { parseJson, type ReadJson } from './read-json.ts'

/** A response whose result keeps the JSON that it came in, as text or as bytes. */
export abstract class ResultBody implements JsonRpcResult {
  readonly jsonrpc = '2.0'
  readonly id: number

  constructor(id: number) {
    this.id = id
  }

  /** Enough to see what it is about: numbers may be rounded, and long strings that nobody read are empty. */
  abstract readonly outline: JsonObject
  /** All of it, read when somebody wants it. */
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

/** The usual one. Its members are those of any response, so a copy of them is one. */
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

  /** What it looks like to those who write it down. */
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

/** The text of bytes that came in pieces: a character may begin in one and end in the next. */
export function decodePieces(pieces: readonly Uint8Array[], decoder: TextDecoder): string {
  let text = ''
  for (const piece of pieces) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}
