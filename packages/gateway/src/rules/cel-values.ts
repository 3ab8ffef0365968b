import { JsonNumber } from '@gantry/mcp/exchange'
import type { Meter } from './work.ts'

/**
 * A JSON value as expressions see it. Objects become maps: no name of a member (`constructor`, `__proto__`) means
 * anything then. Integers become `int`, other numbers `double`.
 */
export function toCel(value: unknown, meter: Meter, depth = 0): unknown {
  meter.value(depth)
  switch (typeof value) {
    case 'string':
      return meter.text(value)
    case 'number':
      return Number.isSafeInteger(value) ? BigInt(value) : value
    case 'object':
      if (value === null) return null
      if (Array.isArray(value)) return value.map((item) => toCel(item, meter, depth + 1))
      if (value instanceof JsonNumber) return fromSource(value.toString())
      return new Map(Object.entries(value).map(([name, item]) => member(name, item, meter, depth + 1)))
    case 'boolean':
    case 'bigint':
      return value
    default:
      return null
  }
}

function member(name: string, value: unknown, meter: Meter, depth: number): [string, unknown] {
  return [meter.text(name), toCel(value, meter, depth)]
}

const MOST_DIGITS = 19

/** A number that is kept as it was written: 9007199254740993 is an integer, 1.0 and 1e400 are not. */
function fromSource(source: string): bigint | number {
  return /^-?\d+$/.test(source) && source.length <= MOST_DIGITS ? BigInt(source) : Number(source)
}
