import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import { referredSchema } from '../../model/index.ts'

const HOLDERS = ['$defs', 'definitions'] as const

/** A schema without the definitions that nothing in it refers to. */
export function withoutUnused(schema: JsonObject): JsonObject {
  const { $defs: _defs, definitions: _definitions, ...rest } = schema
  const needed = new Set<unknown>()
  const read = new Set<unknown>()
  const waiting: unknown[] = [rest]
  while (waiting.length > 0) {
    for (const reference of referencesIn(waiting.pop(), read)) {
      const found = referredSchema(reference, schema)
      if (found === schema || needed.has(found)) continue
      needed.add(found)
      waiting.push(found)
    }
  }
  const shown: JsonObject = { ...schema }
  for (const key of HOLDERS) {
    if (!isJsonObject(schema[key])) continue
    const kept = Object.entries(schema[key]).filter(([, one]) => holdsOneOf(one, needed))
    if (kept.length > 0) shown[key] = Object.fromEntries(kept)
    else delete shown[key]
  }
  return shown
}

function referencesIn(value: unknown, read: Set<unknown>): string[] {
  return insideOf(value, read).flatMap(({ $ref, $dynamicRef }) =>
    [$ref, $dynamicRef].filter((one) => typeof one === 'string'),
  )
}

/** References can lead into the middle of a definition. */
function holdsOneOf(definition: unknown, wanted: ReadonlySet<unknown>): boolean {
  return insideOf(definition).some((one) => wanted.has(one))
}

/** All objects and lists in a value, with itself, but for those that were read before. */
function insideOf(value: unknown, read: Set<unknown> = new Set()): JsonObject[] {
  const found: JsonObject[] = []
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (typeof one !== 'object' || one === null || read.has(one)) continue
    read.add(one)
    found.push(one as JsonObject)
    for (const inner of Object.values(one)) waiting.push(inner)
  }
  return found
}
