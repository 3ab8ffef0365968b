import type { JsonSchema } from '@gantry/mcp/server'
import { own, ownArray } from '../own.ts'
import { TYPES } from './keywords.ts'

// What OpenAPI 3.0 and Swagger 2.0 write differently from JSON Schema 2020-12, and what is often written wrong.

type Warn = (problem: string) => void

/** A model cannot choose among thousands of values, and every listing would carry them. */
const MOST_ENUM_VALUES = 1_000

/** `type`, and the keywords that depend on it: `format: binary | byte`, boolean `exclusiveMinimum`. */
export function convertType(source: JsonSchema, warn: Warn): JsonSchema {
  const schema: JsonSchema = {}
  const type = own(source, 'type')
  const types = (Array.isArray(type) ? type : [type]).filter((name) => TYPES.has(name))
  const format = own(source, 'format')
  if (type === 'file') Object.assign(schema, { type: 'string', contentEncoding: 'base64' })
  else if (types.length > 0) schema.type = types.length === 1 ? types[0] : [...new Set(types)]
  else if (type !== undefined && type !== 'any')
    warn(`${JSON.stringify(type)} is not a type; it was left out`)
  if (format === 'binary' || format === 'byte') schema.contentEncoding = 'base64'
  for (const side of ['Minimum', 'Maximum']) {
    const bound = own(source, side.toLowerCase())
    if (own(source, `exclusive${side}`) === true && typeof bound === 'number')
      schema[`exclusive${side}`] = bound
  }
  return schema
}

export function convertEnum(value: unknown, warn: Warn): JsonSchema {
  if (!Array.isArray(value) || value.length === 0) {
    warn('"enum" is not a list of values; it was left out')
    return {}
  }
  if (value.length > MOST_ENUM_VALUES) {
    warn(`"enum" has ${value.length} values, more than ${MOST_ENUM_VALUES}; it was left out`)
    return {}
  }
  const distinct = new Map(value.map((item) => [JSON.stringify(item), item]))
  return { enum: [...distinct.values()] }
}

/** Swagger authors write `required: true` into a property, where it means nothing. */
export function convertRequired(value: unknown, isHidden: (name: string) => boolean, warn: Warn): JsonSchema {
  if (typeof value === 'boolean') return {}
  if (!Array.isArray(value)) {
    warn('"required" is not a list of names; it was left out')
    return {}
  }
  const names = value.filter((name): name is string => typeof name === 'string')
  const required = [...new Set(names)].filter((name) => !isHidden(name))
  return required.length > 0 ? { required } : {}
}

/** OpenAPI 3.0 `nullable`, wherever authors put it: beside a type, an enum, a `$ref` or `allOf`. */
export function convertNullable(schema: JsonSchema, source: JsonSchema, always: boolean): JsonSchema {
  if (own(source, 'nullable') !== true && !always) return schema
  if (schema.enum !== undefined) {
    const values = ownArray(schema, 'enum')
    if (!values.includes(null)) schema.enum = [...values, null]
  }
  if (schema.type !== undefined) {
    const types = Array.isArray(schema.type) ? schema.type : [schema.type]
    if (!types.includes('null')) schema.type = [...types, 'null']
  }
  const composed = ['$ref', 'allOf', 'anyOf', 'oneOf', 'const'].some(
    (keyword) => schema[keyword] !== undefined,
  )
  if (!composed) return schema
  const { title, description, default: preset, ...rest } = schema
  const annotations = Object.entries({ title, description, default: preset })
  return {
    ...Object.fromEntries(annotations.filter(([, value]) => value !== undefined)),
    anyOf: [rest, { type: 'null' }],
  }
}
