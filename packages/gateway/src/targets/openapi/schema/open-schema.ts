import type { JsonSchema } from '@gantry/mcp/server'
import { isJsonObject } from '@gantry/mcp/exchange'

const sizes = new WeakMap<object, number>()

/** Characters of the schema as JSON, counted once. */
export function sizeOf(schema: JsonSchema): number {
  const known = sizes.get(schema)
  if (known !== undefined) return known
  const size = JSON.stringify(schema).length
  sizes.set(schema, size)
  return size
}

export function openSchema(schema: unknown): JsonSchema {
  const open: JsonSchema = {}
  if (!isJsonObject(schema)) return open
  if (schema.type !== undefined) open.type = schema.type
  if (typeof schema.title === 'string') open.title = schema.title
  if (typeof schema.description === 'string') open.description = schema.description.slice(0, 200)
  return open
}
