import { JsonNumber, setMember, toExactInteger } from './json-number.ts'
import { endOfString } from './json-strings.ts'
import { parseJson } from './parse-json.ts'

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

const QUOTE = 0x22
const DOT = 0x2e
const MINUS = 0x2d
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const UPPER_E = 0x45
const LOWER_E = 0x65
/** Every integer with fewer digits is exact. */
const LONG_NUMBER = 16

/** Whether `JSON.parse` may change a number of this text. Runs for every message, so it only looks. */
export function mayLoseNumbers(text: string): boolean {
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

/** What ends a number or a name such as `true`. */
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
