import { JsonNumber } from '@gantry/mcp/exchange'
import type { Meter } from './work.ts'

/** Makes the map of the members of an object. */
type ToMap = (members: [string, unknown][]) => Map<string, unknown>

const asTheyAre: ToMap = (members) => new Map(members)

/**
 * A JSON value for expressions. Objects become maps, so that names of members (`constructor`, `__proto__`) have no
 * special meaning. Integers become `int`, other numbers `double`.
 */
export function toCel(value: unknown, meter: Meter, depth = 0, toMap: ToMap = asTheyAre): unknown {
  meter.value(depth)
  switch (typeof value) {
    case 'string':
      return meter.text(value)
    case 'number':
      return Number.isSafeInteger(value) ? BigInt(value) : value
    case 'object':
      if (value === null) return null
      if (Array.isArray(value)) return value.map((item) => toCel(item, meter, depth + 1, toMap))
      if (value instanceof JsonNumber) return fromSource(value.toString())
      return toMap(
        Object.entries(value).map(([name, item]) => [meter.text(name), toCel(item, meter, depth + 1, toMap)]),
      )
    case 'boolean':
    case 'bigint':
      return value
    default:
      return null
  }
}

const MOST_DIGITS = 19

/** A number that is kept as it was written: 9007199254740993 is an integer, 1.0 and 1e400 are not. */
function fromSource(source: string): bigint | number {
  return /^-?\d+$/.test(source) && source.length <= MOST_DIGITS ? BigInt(source) : Number(source)
}
