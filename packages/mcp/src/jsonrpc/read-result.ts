import type { JsonObject, JsonRpcResult } from './message.ts'
import { isJsonObject } from './message.ts'

const HEAD = '{"jsonrpc":"2.0","id":'
const MIDDLE = ',"result":'
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
/** No integer with more digits is sure to be exact. */
const MAX_DIGITS = 15

/** A result with the text that it was read from. Only `result` is looked at by whoever copies or writes it. */
export class TextResult implements JsonRpcResult {
  readonly jsonrpc = '2.0'
  readonly id: number
  readonly result: JsonObject
  readonly #text: string

  constructor(id: number, result: JsonObject, text: string) {
    this.id = id
    this.result = result
    this.#text = text
  }

  /** The JSON of `result` and of nothing else. */
  get resultText(): string {
    return this.#text
  }
}

/**
 * Reads a response that is written the usual way, `{"jsonrpc":"2.0","id":7,"result":{…}}`; undefined for
 * everything else. What stands between the head and the last brace is parsed by itself, so it is one JSON value and
 * can be put into another frame as it is: no member can hide behind it.
 */
export function readResult(text: string): TextResult | undefined {
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
    const result: unknown = JSON.parse(own)
    return isJsonObject(result) ? new TextResult(id, result, own) : undefined
  } catch {
    return undefined
  }
}
