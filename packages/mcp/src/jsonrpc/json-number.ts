import { isWritingJson, placeholderFor } from './write-json.ts'

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
    return isWritingJson() ? placeholderFor(this.#source) : this.valueOf()
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
