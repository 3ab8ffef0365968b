import { INVALID_PARAMS } from './error-codes.ts'
import { ProtocolError } from './protocol-error.ts'

export type JsonObject = { [key: string]: unknown }

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  )
}

/** MCP forbids `null` ids; JSON-RPC allows only strings and numbers besides. */
export type RequestId = string | number

/** Listening repeats the id of its request in every message. */
const LONGEST_ID = 4096

/** Strings and integers are ids (2026-07-28, basic). Integers beyond 2^53 would lose digits: refused. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' ? value.length <= LONGEST_ID : Number.isSafeInteger(value)
}

/** The numbers of the text that is being written, in the order in which they were met. */
let sources: string[] | undefined
let isWriting = false
let secret: string | undefined

type Replacer = (key: string, value: unknown) => unknown

/** `JSON.stringify` that writes every `JsonNumber` as it came. */
export function writeJson(value: unknown, replacer?: Replacer, space?: number): string {
  const outer = { isWriting, sources }
  isWriting = true
  sources = undefined
  try {
    const text = JSON.stringify(value, replacer, space)
    return sources === undefined ? text : restore(text, sources)
  } finally {
    isWriting = outer.isWriting
    sources = outer.sources
  }
}

/** Stands for a number until the text is written. It holds a process secret, so no peer can forge it. */
function placeholderFor(source: string): string {
  sources ??= []
  return `${mark()}${sources.push(source) - 1}`
}

function mark(): string {
  secret ??= Array.from(crypto.getRandomValues(new Uint32Array(2)), (word) => word.toString(36)).join('')
  return `${secret}:`
}

function restore(text: string, numbers: readonly string[]): string {
  const begin = `"${mark()}`
  let restored = ''
  let from = 0
  for (let at = text.indexOf(begin); at !== -1; at = text.indexOf(begin, from)) {
    const end = text.indexOf('"', at + begin.length)
    const source = numbers[Number(text.slice(at + begin.length, end))]
    restored += text.slice(from, at) + (source ?? text.slice(at, end + 1))
    from = end + 1
  }
  return restored + text.slice(from)
}

/** A number that JavaScript would write differently: 1.0, 1e400. `writeJson` writes it as it came. */
export class JsonNumber {
  /** Private, so that copying its members copies nothing. */
  readonly #source: string

  constructor(source: string) {
    this.#source = source
  }

  valueOf(): number {
    return Number(this.#source)
  }

  toString(): string {
    return this.#source
  }

  /** Called by `JSON.stringify`: within `writeJson` a placeholder, elsewhere the double. */
  toJSON(): unknown {
    return isWriting ? placeholderFor(this.#source) : this.valueOf()
  }
}

/** The value as a double where it is a number, whichever way it is kept; undefined for everything else. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (value instanceof JsonNumber) return value.valueOf()
  return typeof value === 'bigint' ? Number(value) : undefined
}

/** The value with plain numbers only; the same value where it has no others. */
export function withPlainNumbers<T>(value: T): T
export function withPlainNumbers(value: unknown): unknown {
  return mapNumbers(value, (number) => number.valueOf(), Number)
}

/** The value with integers beyond 2^53 as `bigint`, and plain numbers besides. */
export function withBigInts<T>(value: T): T
export function withBigInts(value: unknown): unknown {
  return mapNumbers(
    value,
    (number) => toExactInteger(number.toString()),
    (integer) => integer,
  )
}

/** The value with numbers that can be written: a `bigint` becomes a `JsonNumber`. */
export function withSources<T>(value: T): T
export function withSources(value: unknown): unknown {
  return mapNumbers(
    value,
    (number) => number,
    (integer) => new JsonNumber(integer.toString()),
  )
}

/** A `bigint` for an integer that a double may not hold; a double for every other number. */
export function toExactInteger(source: string): number | bigint {
  const double = Number(source)
  return Number.isSafeInteger(double) || !/^-?\d+$/.test(source) ? double : BigInt(source)
}

function mapNumbers(
  value: unknown,
  ofSource: (number: JsonNumber) => unknown,
  ofBigInt: (integer: bigint) => unknown,
): unknown {
  if (typeof value === 'bigint') return ofBigInt(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof JsonNumber) return ofSource(value)
  let copy: Record<string, unknown> | undefined
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key]
    const mapped = mapNumbers(member, ofSource, ofBigInt)
    if (mapped === member) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
    setMember(copy, key, mapped)
  }
  return copy ?? value
}

/** Sets a member as `JSON.parse` does: `__proto__` is a name like any other. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
}

/** `{ ...object, [key]: value }`, ten times faster in Node 20 (docs/adr/0010), and safe for `__proto__`. */
export function copyWith(object: object, key: string, value: unknown): { [key: string]: unknown } {
  const copy: { [key: string]: unknown } = { [key]: undefined, ...object }
  copy[key] = value
  return copy
}

/** Deeper values are refused instead of overflowing the stack. `parseJson` lets 512 levels pass; callers add a few. */
const MAX_DEPTH = 600

/** Names that JSON writes as they are. */
const PLAIN_NAME = /^\w*$/

/** JSON with members by name and no spaces (RFC 8785): equal values give equal text, however a client wrote them. */
export function canonicalJson(value: unknown, depth: number = 0): string {
  if (depth > MAX_DEPTH) {
    throw new ProtocolError(INVALID_PARAMS, `Invalid params: nested more than ${MAX_DEPTH} levels deep`)
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`
  if (!isJsonObject(value)) return writeJson(value)
  let text = ''
  for (const name of sorted(Object.keys(value))) {
    const member = value[name]
    if (member === undefined) continue
    const key = PLAIN_NAME.test(name) ? `"${name}"` : JSON.stringify(name)
    text += `${text === '' ? '{' : ','}${key}:${canonicalJson(member, depth + 1)}`
  }
  return text === '' ? '{}' : `${text}}`
}

/** Most are in order already. */
function sorted(names: string[]): string[] {
  for (let at = 1; at < names.length; at++) if (names[at - 1]! > names[at]!) return names.sort()
  return names
}
