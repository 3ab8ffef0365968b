import { isJsonObject, type JsonObject, setMember } from '../jsonrpc/index.ts'
import type { JsonSchema } from '../protocol/index.ts'

/**
 * Fills in the defaults of an object schema where the value lacks a field, in nested objects too. The value is
 * not changed: what needs no default is shared, what does is copied.
 *
 * @example
 * ```ts
 * applyDefaults({ type: 'object', properties: { age: { type: 'integer', default: 30 } } }, {}) // { age: 30 }
 * ```
 */
export function applyDefaults<Value>(jsonSchema: JsonSchema, value: Value): Value {
  return withDefaults(jsonSchema, value) as Value
}

function withDefaults(schema: unknown, value: unknown): unknown {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties) || !isJsonObject(value)) return value
  let result = value
  for (const [name, property] of Object.entries(schema.properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : defaultOf(property)
    const filled = withDefaults(property, given)
    if (filled === undefined || (filled === given && Object.hasOwn(value, name))) continue
    if (result === value) result = { ...value }
    setMember(result, name, filled)
  }
  return result
}

function defaultOf(property: unknown): unknown {
  return isJsonObject(property) ? structuredClone((property as JsonObject).default) : undefined
}
