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
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return {}
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

function asSchema(value: unknown): Schema {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Schema) : {}
}

/** The types that a value may have; guessed where the schema does not say. */
export function typesOf(schema: Schema): readonly string[] {
  if (Array.isArray(schema.type)) return schema.type
  if (typeof schema.type === 'string') return [schema.type]
  if (schema.properties || schema.additionalProperties) return ['object']
  if (schema.items) return ['array']
  return []
}

/** Alternatives without `null`, which is a matter of its own. */
export function variantsOf(schema: Schema, root: Schema): readonly Schema[] {
  const all = schema.anyOf ?? schema.oneOf
  return Array.isArray(all) ? all.filter((one) => !isNull(resolve(one, root))) : []
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
  return typeof value === 'string' ? value : JSON.stringify(value)
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
