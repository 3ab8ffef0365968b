import type { JsonObject, JsonRpcResult } from './message.ts'
import { isJsonObject } from './message.ts'
import { parseJson } from './parse-json.ts'
import type { ReadJson } from './read-json.ts'

const HEAD = '{"jsonrpc":"2.0","id":'
const MIDDLE = ',"result":'
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
/** No integer with more digits is sure to be exact. */
const MAX_DIGITS = 15

/** A result with the text that it was read from. */
export abstract class TextResult implements JsonRpcResult {
  readonly jsonrpc = '2.0'
  readonly id: number
  readonly #text: string
  /** The result as `JSON.parse` reads it: enough to see what it is about. */
  abstract readonly outline: JsonObject
  /** The result with its numbers as the reader wants them. */
  abstract readonly result: JsonObject

  constructor(id: number, text: string) {
    this.id = id
    this.#text = text
  }

  /** The JSON of `result` and of nothing else. */
  get resultText(): string {
    return this.#text
  }
}

/** The usual one. Its members are those of any response, so a copy of them is one. */
class PlainTextResult extends TextResult {
  readonly result: JsonObject

  constructor(id: number, text: string, result: JsonObject) {
    super(id, text)
    this.result = result
  }

  get outline(): JsonObject {
    return this.result
  }
}

/** For readers with their own numbers: those are looked at when the result is, not before. */
class LazyTextResult extends TextResult {
  readonly outline: JsonObject
  readonly #read: ReadJson
  #result: JsonObject | undefined

  constructor(id: number, text: string, outline: JsonObject, read: ReadJson) {
    super(id, text)
    this.outline = outline
    this.#read = read
  }

  get result(): JsonObject {
    this.#result ??= this.#read(this.resultText) as JsonObject
    return this.#result
  }

  /** What it looks like to those who write it down. */
  toJSON(): JsonRpcResult {
    const { jsonrpc, id, result } = this
    return { jsonrpc, id, result }
  }
}

/** Reads a response in the usual form; undefined otherwise. The result is parsed alone, so nothing can hide. */
export function readResult(text: string, read: ReadJson = parseJson): TextResult | undefined {
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
    return read === parseJson
      ? new PlainTextResult(id, own, outline)
      : new LazyTextResult(id, own, outline, read)
  } catch {
    return undefined
  }
}
