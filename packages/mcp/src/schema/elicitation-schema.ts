import { isJsonObject, McpError, type JsonObject } from '../jsonrpc/index.ts'
import type { JsonSchema } from '../protocol/index.ts'
import { compileSchema } from './compile-schema.ts'
import type { Schema } from './standard-schema.ts'

export interface ElicitationSchema extends JsonObject {
  type: 'object'
  properties: { [name: string]: JsonSchema }
  required?: string[]
}

const UNFIT = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'patternProperties', '$ref']

/** Turns a schema into elicitation's form, without constraints it lacks, or throws `invalid_definition`. */
export function elicitationSchema(schema: Schema): ElicitationSchema {
  const { jsonSchema } = compileSchema(schema, { io: 'input' })
  const root = resolveLocal(jsonSchema, jsonSchema)
  const unfit = UNFIT.find((keyword) => keyword in root)
  if (unfit !== undefined) throw unfitForm(`its schema has "${unfit}"`)
  const properties = isJsonObject(root.properties) ? root.properties : {}
  const names = Object.keys(properties)
  const fields = names.map((name) => {
    const field = isJsonObject(properties[name])
      ? toFormField(resolveLocal(properties[name], jsonSchema))
      : 'a boolean schema'
    if (typeof field === 'string') throw unfitForm(`the property "${name}" is ${field}`)
    return [name, field] as const
  })
  const required = ((root.required as string[] | undefined) ?? []).filter((name) =>
    Object.hasOwn(properties, name),
  )
  const form: ElicitationSchema = { type: 'object', properties: Object.fromEntries(fields) }
  if (required.length > 0) form.required = required
  return form
}

function unfitForm(reason: string): McpError {
  return new McpError(
    'invalid_definition',
    `An elicitation form holds only strings, numbers, booleans and choices of strings: ${reason}`,
  )
}

/** Follows `$ref`s into the document; libraries write shared schemas that way. Siblings add to the target. */
function resolveLocal(schema: JsonObject, root: JsonObject): JsonObject {
  let { $ref, ...own } = schema
  for (let hops = 0; typeof $ref === 'string' && hops < 20; hops++) {
    const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec($ref)?.[1]
    const definitions = isJsonObject(root.$defs) ? root.$defs : root.definitions
    const target = name !== undefined && isJsonObject(definitions) ? definitions[name] : undefined
    if (!isJsonObject(target)) return { ...own, $ref }
    const { $ref: further, ...rest } = target
    own = { ...rest, ...own }
    $ref = further
  }
  return own
}

const FORMATS = new Set(['email', 'uri', 'date', 'date-time'])

/** A property as a field of an elicitation form, or what it is instead: "an object". */
function toFormField(schema: JsonObject): JsonSchema | string {
  const type = schema.type ?? typeOfOptions(schema)
  if (type === 'array') return multiSelect(schema)
  const options = optionsOf(schema)
  if (options !== undefined) return type === 'boolean' ? booleanField(schema) : singleSelect(schema, options)
  if ('anyOf' in schema || 'oneOf' in schema || 'allOf' in schema || 'not' in schema)
    return 'a combination of schemas'
  if (type === 'string') return stringField(schema)
  if (type === 'number' || type === 'integer') return numberField(schema, type)
  if (type === 'boolean') return booleanField(schema)
  if (Array.isArray(type))
    return `of several types (${type.join(', ')}); make it optional instead of nullable`
  return type === undefined ? 'without a type' : `of the type ${String(type)}`
}

/** Members that every field may have. */
function common(schema: JsonObject, ...more: string[]): JsonObject {
  const field: JsonObject = {}
  for (const member of ['title', 'description', ...more, 'default']) {
    if (schema[member] !== undefined) field[member] = schema[member]
  }
  return field
}

function stringField(schema: JsonObject): JsonSchema {
  const field = { type: 'string', ...common(schema, 'minLength', 'maxLength') }
  return FORMATS.has(schema.format as string) ? { ...field, format: schema.format } : field
}

function numberField(schema: JsonObject, type: 'number' | 'integer'): JsonSchema {
  const { exclusiveMinimum, exclusiveMaximum } = schema
  const step = type === 'integer' ? 1 : 0
  const bounded = { ...schema }
  if (typeof exclusiveMinimum === 'number') bounded.minimum ??= exclusiveMinimum + step
  if (typeof exclusiveMaximum === 'number') bounded.maximum ??= exclusiveMaximum - step
  // Libraries bound integers by what a double can hold; on a form that is noise.
  if (bounded.minimum === Number.MIN_SAFE_INTEGER) delete bounded.minimum
  if (bounded.maximum === Number.MAX_SAFE_INTEGER) delete bounded.maximum
  return { type, ...common(bounded, 'minimum', 'maximum') }
}

function booleanField(schema: JsonObject): JsonSchema {
  return { type: 'boolean', ...common(schema) }
}

interface Option {
  readonly value: unknown
  readonly title?: string | undefined
}

/** The choices that a schema leaves, however it writes them: `enum`, `const`, or alternatives of constants. */
function optionsOf(schema: JsonObject): Option[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => ({ value }))
  if ('const' in schema) return [{ value: schema.const }]
  const alternatives = schema.oneOf ?? schema.anyOf
  if (!Array.isArray(alternatives) || alternatives.length === 0) return undefined
  const options = alternatives.map((alternative) => {
    if (!isJsonObject(alternative) || !('const' in alternative)) return undefined
    return { value: alternative.const, title: alternative.title as string | undefined }
  })
  return options.every((option) => option !== undefined) ? options : undefined
}

function typeOfOptions(schema: JsonObject): unknown {
  const options = optionsOf(schema) ?? []
  const types = new Set(options.map(({ value }) => typeof value))
  return types.size === 1 ? [...types][0] : undefined
}

function singleSelect(schema: JsonObject, options: Option[]): JsonSchema | string {
  if (options.some(({ value }) => typeof value !== 'string')) return 'a choice of values that are not strings'
  return { type: 'string', ...choices(options, 'oneOf'), ...common(schema, 'enumNames') }
}

/** With titles when every option has one. */
function choices(options: Option[], titled: 'oneOf' | 'anyOf'): JsonObject {
  if (options.some(({ title }) => title === undefined)) return { enum: options.map(({ value }) => value) }
  return { [titled]: options.map(({ value, title }) => ({ const: value, title })) }
}

function multiSelect(schema: JsonObject): JsonSchema | string {
  const items = isJsonObject(schema.items) ? schema.items : {}
  const options = optionsOf(items)
  if (options === undefined || options.some(({ value }) => typeof value !== 'string')) {
    return 'a list of anything but a choice of strings'
  }
  const chosen = choices(options, 'anyOf')
  return {
    type: 'array',
    ...common(schema, 'minItems', 'maxItems'),
    items: 'enum' in chosen ? { type: 'string', ...chosen } : chosen,
  }
}
