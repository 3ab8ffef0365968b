import { isBranch, isJsonObject, toNumber, writeJson } from '../api/json.ts'

/** A JSON Schema as servers send it. Nothing in it can be relied on. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly enumNames?: readonly string[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly [keyword: string]: unknown
}

const HOPS = 32

/** The schema with its `$ref` followed and its `allOf` merged in, one level deep. */
export function resolve(schema: unknown, root: Schema): Schema {
  let current = asSchema(schema)
  for (let hop = 0; typeof current.$ref === 'string' && hop < HOPS; hop += 1) {
    const { $ref, ...siblings } = current
    current = { ...asSchema(lookUp($ref!, root)), ...siblings }
  }
  // A circle of references, which stands for nothing.
  if (typeof current.$ref === 'string') return {}
  return Array.isArray(current.allOf) ? mergeAll(current, root) : current
}

function mergeAll({ allOf, ...schema }: Schema, root: Schema): Schema {
  // A part that is the whole again adds nothing, and would never end.
  const parts = (allOf ?? []).filter((part) => asSchema(part).$ref !== '#').map((part) => resolve(part, root))
  const all = [...parts, schema]
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required }) => required ?? []),
  }
}

function lookUp(ref: string, root: Schema): unknown {
  if (!ref.startsWith('#')) return {}
  let value: unknown = root
  for (const part of ref.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isBranch(value) || !Object.hasOwn(value, key)) return {}
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

function asSchema(value: unknown): Schema {
  return isJsonObject(value) ? value : {}
}

/** The types that a value may have; guessed where the schema does not say. */
export function typesOf(schema: Schema): readonly string[] {
  if (Array.isArray(schema.type)) return schema.type
  if (typeof schema.type === 'string') return [schema.type]
  if (schema.properties || schema.additionalProperties) return ['object']
  if (schema.items) return ['array']
  return []
}

/** Alternatives without `null`, which is a matter of its own. A list of types is one for each type. */
export function variantsOf(schema: Schema, root: Schema): readonly Schema[] {
  const all = schema.anyOf ?? schema.oneOf
  if (Array.isArray(all)) return all.filter((one) => !isNull(resolve(one, root)))
  const types = Array.isArray(schema.type) ? schema.type.filter((type) => type !== 'null') : []
  return types.length > 1 ? types.map((type) => ({ type })) : []
}

/** Whether members may have any name, and values of a kind that the schema tells. */
export function isMap({ additionalProperties: values }: Schema): boolean {
  return isJsonObject(values)
}

export function isNullable(schema: Schema, root: Schema): boolean {
  const all = schema.anyOf ?? schema.oneOf
  return (
    (Array.isArray(schema.type) && schema.type.includes('null')) ||
    (Array.isArray(all) && all.some((one) => isNull(resolve(one, root))))
  )
}

function isNull(schema: Schema): boolean {
  return schema.type === 'null' || ('const' in schema && schema.const === null)
}

export interface Choice {
  readonly value: unknown
  readonly title: string
}

/** The values of an enumeration, in any of its spellings. */
export function choicesOf(schema: Schema, root: Schema): readonly Choice[] | undefined {
  if (Array.isArray(schema.enum)) {
    return schema.enum.map((value, index) => ({ value, title: schema.enumNames?.[index] ?? toText(value) }))
  }
  if ('const' in schema) return [{ value: schema.const, title: schema.title ?? toText(schema.const) }]
  const variants = variantsOf(schema, root).map((one) => resolve(one, root))
  if (variants.length === 0 || !variants.every((one) => 'const' in one)) return undefined
  return variants.map((one) => ({ value: one.const, title: one.title ?? toText(one.const) }))
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : writeJson(value)
}

/** `string`, `integer or null`, `array of string`, `one of 3` */
export function describeType(schema: Schema, root: Schema): string {
  const choices = choicesOf(schema, root)
  if (choices) return choices.length === 1 ? `always ${choices[0]!.title}` : `one of ${choices.length}`
  const variants = variantsOf(schema, root)
  if (variants.length > 0) {
    const names = new Set(variants.map((one) => typeName(resolve(one, root), root)))
    return [...names, ...(isNullable(schema, root) ? ['null'] : [])].join(' or ')
  }
  return typeName(schema, root)
}

function typeName(schema: Schema, root: Schema): string {
  const types = typesOf(schema)
  if (types.length === 1 && types[0] === 'array' && schema.items) {
    return `array of ${typesOf(resolve(schema.items, root)).join(' or ') || 'anything'}`
  }
  const name = types.join(' or ') || schema.title || 'anything'
  return schema.format ? `${name} (${schema.format})` : name
}

/** Where a member of an object is. */
export function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** `1 to 10`, `at least 2 items`, `at most 80 characters`: what a value has to keep to, in words. */
export function limitsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, format } = schema
  const { exclusiveMinimum, exclusiveMaximum, multipleOf, minProperties, maxProperties } = schema
  const limits = [
    range(minimum, maximum, ''),
    toNumber(exclusiveMinimum) !== undefined ? `above ${exclusiveMinimum}` : '',
    toNumber(exclusiveMaximum) !== undefined ? `below ${exclusiveMaximum}` : '',
    toNumber(multipleOf) !== undefined ? `a multiple of ${multipleOf}` : '',
    range(minLength, maxLength, ' character'),
    range(minItems, maxItems, ' item'),
    schema.uniqueItems === true ? 'each once' : '',
    range(minProperties, maxProperties, ' member'),
    typeof format === 'string' ? format : '',
    typeof pattern === 'string' && pattern.length <= 60 ? `matches ${pattern}` : '',
    schema.default === undefined ? '' : `default ${shortJson(schema.default)}`,
  ]
  return limits.filter((limit) => limit !== '').join(', ')
}

function shortJson(value: unknown): string {
  const text = writeJson(value) ?? ''
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

function range(least: unknown, most: unknown, unit: string): string {
  const hasLeast = toNumber(least) !== undefined
  const hasMost = toNumber(most) !== undefined
  const units = (count: unknown) => (unit === '' || toNumber(count) === 1 ? unit : `${unit}s`)
  if (hasLeast && hasMost) return `${least} to ${most}${units(most)}`
  if (hasLeast) return `at least ${least}${units(least)}`
  return hasMost ? `at most ${most}${units(most)}` : ''
}
