import { isJsonObject, isRequestId, type RequestId, JsonNumber, setMember, toExactInteger } from './json.ts'

/** How many levels a foreign text may have. Real schemas have fewer; recursive functions have room for it. */
export const MAX_DEPTH = 512

/** How many values a foreign text may have: short text can become much memory. 20 MB of embeddings fit. */
export const MAX_VALUES = 1_000_000

const TOO_MANY = `the JSON has more than ${MAX_VALUES} values`

/** `JSON.parse` for foreign texts: throws `RefusedJson` (a `SyntaxError`) beyond the limits. */
export function parseJson(text: string): unknown {
  if (hasTooManyValues(text)) throw new RefusedJson(TOO_MANY, outlineOfMessage(text))
  const value: unknown = JSON.parse(text)
  if (couldBeDeep(text) && isTooDeep(value)) throw tooDeep(value)
  return value
}

export function tooDeep(value: unknown): RefusedJson {
  return new RefusedJson(`the JSON has more than ${MAX_DEPTH} levels of arrays and objects`, value)
}

/**
 * Each level has an opening and a closing bracket. Few texts have so many brackets, so most texts need no closer look.
 */
function couldBeDeep(text: string): boolean {
  return text.length > 2 * MAX_DEPTH && afterSigns(text, '[{', MAX_DEPTH) < 0
}

/** Every value but the first stands behind one of these signs. Most texts have too few of them, in strings or not. */
function hasTooManyValues(text: string): boolean {
  return (
    text.length > 2 * MAX_VALUES &&
    afterSigns(text, ',[{', MAX_VALUES - 1) < 0 &&
    countValues(text) > MAX_VALUES
  )
}

/** Subtracts 1 from `left` for each of the signs in the text, and stops below 0. */
function afterSigns(text: string, signs: string, left: number): number {
  let rest = left
  for (const sign of signs) {
    for (let at = text.indexOf(sign); at !== -1 && rest >= 0; at = text.indexOf(sign, at + 1)) rest--
  }
  return rest
}

const NEXT_SIGN = /[",[{]/g

function countValues(text: string): number {
  let count = 1
  NEXT_SIGN.lastIndex = 0
  for (let found = NEXT_SIGN.exec(text); found && count <= MAX_VALUES; found = NEXT_SIGN.exec(text)) {
    if (found[0] === '"') NEXT_SIGN.lastIndex = endOfString(text, found.index) + 1
    else count++
  }
  return count
}

/** Whether a value that was parsed elsewhere has more than `MAX_DEPTH` levels. */
export function isTooDeep(value: unknown): boolean {
  return isDeeper(value, MAX_DEPTH)
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (isDeeper(value[index], levels - 1)) return true
    return false
  }
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true
  return false
}

interface MessageHead {
  /** Null when the message has no id. */
  readonly id: RequestId | null
  readonly isResponse: boolean
}

/** The text is JSON, but has too many levels or values. */
export class RefusedJson extends SyntaxError {
  /** The messages of the text, so that the request can be answered or the caller told. */
  readonly heads: readonly MessageHead[]

  constructor(why: string, value: unknown) {
    super(why)
    this.name = 'RefusedJson'
    this.heads = (Array.isArray(value) ? value : [value]).flatMap((message) => {
      if (!isJsonObject(message)) return []
      const id = isRequestId(message.id) ? message.id : null
      return [{ id, isResponse: message.method === undefined }]
    })
  }

  get isResponse(): boolean {
    return this.heads[0]?.isResponse === true
  }

  /** The id of a single message; null for everything else. */
  get id(): RequestId | null {
    const [first] = this.heads
    return first && this.heads.length === 1 ? first.id : null
  }
}

const QUOTE = 0x22
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
/** A message is short apart from the contents of `params` or `result`. */
const MAX_OUTLINE = 64 * 1024

/**
 * The message with `null` in the place of every array and object, to learn its id; undefined for batches and long
 * messages.
 */
function outlineOfMessage(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined
  let outline = ''
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth === 2) outline += text.slice(from, at)
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth-- !== 2) continue
      outline += 'null'
      from = at + 1
      if (outline.length > MAX_OUTLINE) return undefined
    }
  }
  if (depth !== 0 || outline.length + text.length - from > MAX_OUTLINE) return undefined
  try {
    return JSON.parse(outline + text.slice(from))
  } catch {
    return undefined
  }
}

const BACKSLASH = 0x5c

/** The position of the quotation mark that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

/** An odd number of backslashes in front of a character escapes it. */
function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text.charCodeAt(before - 1) === BACKSLASH) before--
  return (at - before) % 2 === 1
}

/**
 * What numbers become that a double may not hold as they were written. `rounded`: the nearest double, as
 * `JSON.parse` does. `exact`: a `bigint` for integers beyond 2^53. `source`: a `JsonNumber`, which is written back
 * as it came; for programs that pass values on.
 */
export type NumberMode = 'rounded' | 'exact' | 'source'

export type ReadJson = (text: string) => unknown

/** The reader for a mode. Throws what `parseJson` throws. */
export function jsonReader(mode: NumberMode | undefined): ReadJson {
  if (mode === 'exact') return readExact
  return mode === 'source' ? readSource : parseJson
}

function readWith(text: string, toNumber: (source: string) => unknown): unknown {
  const value: unknown = parseJson(text)
  return mayLoseNumbers(text) ? new Reader(text, toNumber).read() : value
}

const readExact: ReadJson = (text) => readWith(text, toExactInteger)
const readSource: ReadJson = (text) => readWith(text, keepSource)

function keepSource(source: string): unknown {
  const double = Number(source)
  return String(double) === source ? double : new JsonNumber(source)
}

const DOT = 0x2e
const MINUS = 0x2d
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const UPPER_E = 0x45
const LOWER_E = 0x65
/** Every integer with fewer digits is exact. */
const LONG_NUMBER = 16

/** Whether `JSON.parse` may change a number of this text. Runs for every message, so it only looks. */
function mayLoseNumbers(text: string): boolean {
  const { length } = text
  let digits = 0
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code >= DIGIT_0 && code <= DIGIT_9) {
      if (++digits === LONG_NUMBER) return true
    } else if (code === QUOTE) {
      at = endOfString(text, at)
      digits = 0
    } else if (code === DOT || (digits > 0 && (code === LOWER_E || code === UPPER_E))) return true
    else if (code === MINUS && text.charCodeAt(at + 1) === DIGIT_0) return true
    else digits = 0
  }
  return false
}

/** Characters that end a number or a name such as `true`. */
const END = /[\s,\]}]/g

/** Reads a text that is known to be JSON. `JSON.parse` shows the source of a number from Node 22 on only. */
class Reader {
  readonly #text: string
  readonly #toNumber: (source: string) => unknown
  #at = 0

  constructor(text: string, toNumber: (source: string) => unknown) {
    this.#text = text
    this.#toNumber = toNumber
  }

  read(): unknown {
    switch (this.#next()) {
      case '{':
        return this.#object()
      case '[':
        return this.#array()
      case '"':
        return this.#string()
      default:
        return this.#word()
    }
  }

  #next(): string {
    while (this.#text.charCodeAt(this.#at) <= 0x20) this.#at++
    return this.#text[this.#at]!
  }

  #object(): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    this.#at++
    while (this.#next() !== '}') {
      const key = this.#string()
      this.#next()
      this.#at++
      setMember(object, key, this.read())
      if (this.#next() === ',') this.#at++
    }
    this.#at++
    return object
  }

  #array(): unknown[] {
    const items: unknown[] = []
    this.#at++
    while (this.#next() !== ']') {
      items.push(this.read())
      if (this.#next() === ',') this.#at++
    }
    this.#at++
    return items
  }

  #string(): string {
    const from = this.#at
    this.#at = endOfString(this.#text, from) + 1
    const inner = this.#text.slice(from + 1, this.#at - 1)
    return inner.includes('\\') ? (JSON.parse(this.#text.slice(from, this.#at)) as string) : inner
  }

  #word(): unknown {
    END.lastIndex = this.#at
    const end = END.exec(this.#text)?.index ?? this.#text.length
    const word = this.#text.slice(this.#at, end)
    this.#at = end
    switch (word) {
      case 'true':
        return true
      case 'false':
        return false
      case 'null':
        return null
      default:
        return this.#toNumber(word)
    }
  }
}
