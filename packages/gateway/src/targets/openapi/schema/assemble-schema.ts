import type { JsonSchema } from '@gantry/mcp/server'
import { openSchema, sizeOf } from './open-schema.ts'
import type { Converted, SchemaConverter } from './schema-converter.ts'
import { isJsonObject } from '@gantry/mcp/exchange'
import { ONE_SCHEMA, SCHEMA_LISTS, SCHEMA_MAPS } from './keywords.ts'

/** The root plus the definitions that it reaches. Those beyond `maxBytes` keep only name and type. */
export function assembleSchema(root: Converted, converter: SchemaConverter, maxBytes: number): JsonSchema {
  const schema = pruneSchema(root.schema, maxBytes)
  const definitions = new Map<string, JsonSchema>()
  const waiting = [...root.refs]
  let left = maxBytes - sizeOf(schema)
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (definitions.has(name)) continue
    const { schema: full, refs } = converter.definition(name)
    const size = sizeOf(full)
    if (size <= left) {
      left -= size
      definitions.set(name, full)
      waiting.push(...refs)
    } else {
      definitions.set(name, openSchema(full))
    }
  }
  return definitions.size > 0 ? { ...schema, $defs: Object.fromEntries(definitions) } : schema
}

const FIRST_DEPTH = 8

/** Opens the deepest levels of a schema, one after the other, until it is small enough. */
function pruneSchema(schema: JsonSchema, maxBytes: number): JsonSchema {
  let pruned = schema
  for (let depth = FIRST_DEPTH; depth > 0 && sizeOf(pruned) > maxBytes; depth--) {
    pruned = cut(schema, depth) as JsonSchema
  }
  return pruned
}

function cut(schema: unknown, depth: number): unknown {
  if (!isJsonObject(schema)) return schema
  if (depth === 0) return openSchema(schema)
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, cutKeyword(keyword, value, depth - 1)]),
  )
}

function cutKeyword(keyword: string, value: unknown, depth: number): unknown {
  if (ONE_SCHEMA.has(keyword) || keyword === 'items') return cut(value, depth)
  if (SCHEMA_LISTS.has(keyword) && Array.isArray(value)) return value.map((item) => cut(item, depth))
  if ((SCHEMA_MAPS.has(keyword) || keyword === 'properties') && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member, depth)]))
  }
  return value
}
