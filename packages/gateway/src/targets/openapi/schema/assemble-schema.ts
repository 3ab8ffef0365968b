import type { JsonSchema } from '../mcp.ts'
import { openSchema, sizeOf } from './open-schema.ts'
import { pruneSchema } from './prune-schema.ts'
import type { Converted, SchemaConverter } from './schema-converter.ts'

/**
 * A schema that stands alone: the root plus the definitions it reaches, nearest first. In a description such as
 * Stripe's everything reaches everything, so the definitions beyond `maxBytes` are opened: their name and type
 * stay, their details go. What was valid remains valid.
 */
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
