import { isJsonObject, type JsonObject, setMember } from '../jsonrpc/index.ts'
import type { CheckedSchema } from './check-schema.ts'
import { MAX_UNIQUE_ITEMS } from './limits.ts'
import { toUnicodePattern } from './pattern/check-pattern.ts'

/** A schema for validators: 2020-12, assertions only, references as `#/$defs/N`, nothing ambiguous. */
export interface ValidationSchema {
  readonly schema: JsonObject | boolean
  /** The referenced schemas, by their name in `$defs`; also inside `schema`. */
  readonly definitions: Readonly<Record<string, JsonObject | boolean>>
  /** The parts of each definition, itself included: what entering it once counts. */
  readonly costs: Readonly<Record<string, number>>
  readonly size: number
  readonly keywords: ReadonlySet<string>
}

interface Build {
  readonly checked: CheckedSchema
  readonly names: Map<unknown, string>
  readonly definitions: Record<string, JsonObject | boolean>
  readonly keywords: Set<string>
}

export function toValidationSchema(checked: CheckedSchema): ValidationSchema {
  const build: Build = { checked, names: new Map(), definitions: {}, keywords: new Set() }
  for (const targets of checked.references.values()) {
    for (const target of targets) {
      if (isJsonObject(target) && !build.names.has(target)) build.names.set(target, String(build.names.size))
    }
  }
  for (const [target, name] of build.names) build.definitions[name] = rewrite(target as JsonObject, build)
  const root = place(checked.root, build)
  const { definitions } = build
  const costs = Object.fromEntries(
    Object.entries(definitions).map(([name, part]) => [name, countParts(part)]),
  )
  const schema = build.names.size === 0 || typeof root === 'boolean' ? root : { ...root, $defs: definitions }
  return { schema, definitions, costs, size: countParts(schema), keywords: build.keywords }
}

function countParts(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((count: number, member) => count + countParts(member), 1)
}

/** A schema where it stands: a reference when others refer to it, so that it is compiled once. */
function place(schema: unknown, build: Build): JsonObject | boolean {
  if (!isJsonObject(schema)) return schema !== false
  const name = build.names.get(schema)
  return name === undefined ? rewrite(schema, build) : { $ref: `#/$defs/${name}` }
}

const ASSERTIONS = [
  'type',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
]
const SCHEMA_KEYWORDS = ['not', 'additionalProperties', 'propertyNames']
const LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf']
const ONLY_2020_12 = ['unevaluatedItems', 'unevaluatedProperties']

/** The formats that both validators check alike. Not `url`: its expression takes exponential time. */
const FORMATS = new Set([
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uri-template',
  'uuid',
  'json-pointer',
  'relative-json-pointer',
  'regex',
])

function rewrite(schema: JsonObject, build: Build): JsonObject | boolean {
  const modern = build.checked.dialect === '2020-12'
  const targets = build.checked.references.get(schema) ?? []
  const out: JsonObject = {}
  const also: (JsonObject | boolean)[] = targets.slice(1).map((target) => place(target, build))
  if (targets.length > 0) {
    const target = place(targets[0], build)
    // Draft-07: a schema with `$ref` is that reference and nothing else.
    if (!modern) return target
    if (typeof target === 'boolean') also.push(target)
    else out.$ref = target.$ref
  }
  for (const keyword of ASSERTIONS) if (keyword in schema) out[keyword] = schema[keyword]
  for (const keyword of modern ? [...SCHEMA_KEYWORDS, ...ONLY_2020_12] : SCHEMA_KEYWORDS) {
    if (keyword in schema) out[keyword] = place(schema[keyword], build)
  }
  for (const keyword of LIST_KEYWORDS) if (keyword in schema) out[keyword] = placeList(schema[keyword], build)
  if (typeof schema.pattern === 'string') out.pattern = toUnicodePattern(schema.pattern)
  if (typeof schema.format === 'string' && FORMATS.has(schema.format)) out.format = schema.format
  rewriteConditions(schema, out, build)
  rewriteItems(schema, out, build, modern)
  rewriteProperties(schema, out, build)
  rewriteDependencies(schema, out, build, modern)
  if ('contains' in schema) also.push(contains(schema, build, modern))
  if (schema.uniqueItems === true) also.push(uniqueItems(schema, out))
  if (also.length > 0) out.allOf = [...((out.allOf as unknown[] | undefined) ?? []), ...also]
  for (const keyword of Object.keys(out)) build.keywords.add(keyword)
  return out
}

function placeList(value: unknown, build: Build): unknown[] {
  return (value as unknown[]).map((member) => place(member, build))
}

function placeMap(value: unknown, build: Build): JsonObject {
  const out: JsonObject = {}
  for (const [name, member] of Object.entries(value as JsonObject)) setMember(out, name, place(member, build))
  return out
}

function rewriteConditions(schema: JsonObject, out: JsonObject, build: Build): void {
  if (!('if' in schema)) return
  for (const keyword of ['if', 'then', 'else']) {
    if (keyword in schema) out[keyword] = place(schema[keyword], build)
  }
}

function rewriteItems(schema: JsonObject, out: JsonObject, build: Build, modern: boolean): void {
  if (Array.isArray(schema.items)) {
    out.prefixItems = placeList(schema.items, build)
    if ('additionalItems' in schema) out.items = place(schema.additionalItems, build)
  } else {
    if (modern && 'prefixItems' in schema) out.prefixItems = placeList(schema.prefixItems, build)
    if ('items' in schema) out.items = place(schema.items, build)
  }
  if (modern && 'contains' in schema) {
    for (const keyword of ['minContains', 'maxContains'])
      if (keyword in schema) out[keyword] = schema[keyword]
  }
}

/** Apart from `prefixItems`: Ajv skips what stands beside it when a list is shorter. */
function contains(schema: JsonObject, build: Build, modern: boolean): JsonObject {
  const out: JsonObject = { contains: place(schema.contains, build) }
  if (!modern) return out
  for (const keyword of ['minContains', 'maxContains']) if (keyword in schema) out[keyword] = schema[keyword]
  return out
}

/** Longer lists fail before their items are compared. */
function uniqueItems(schema: JsonObject, out: JsonObject): JsonObject {
  const limit = Math.min(MAX_UNIQUE_ITEMS, (schema.maxItems as number | undefined) ?? MAX_UNIQUE_ITEMS)
  out.maxItems = limit
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword
  return { if: { maxItems: limit }, then: { uniqueItems: true } }
}

function rewriteProperties(schema: JsonObject, out: JsonObject, build: Build): void {
  if ('properties' in schema) out.properties = placeMap(schema.properties, build)
  const patterns: JsonObject = {}
  for (const [pattern, member] of Object.entries(
    (schema.patternProperties as JsonObject | undefined) ?? {},
  )) {
    const name = toUnicodePattern(pattern) ?? pattern
    const schema = place(member, build)
    // Two spellings of one expression can meet here.
    setMember(patterns, name, Object.hasOwn(patterns, name) ? { allOf: [patterns[name], schema] } : schema)
  }
  // Ajv leaves a property of this name out of `properties`; as a pattern it is checked like any other.
  const named = out.properties as JsonObject | undefined
  if (named !== undefined && Object.hasOwn(named, '__proto__')) {
    const { ['__proto__']: member, ...others } = named
    out.properties = others
    patterns['^__proto__$'] = member
  }
  if (Object.keys(patterns).length > 0) out.patternProperties = patterns
}

function rewriteDependencies(schema: JsonObject, out: JsonObject, build: Build, modern: boolean): void {
  const lists: JsonObject = {}
  const schemas: JsonObject = {}
  for (const [name, member] of Object.entries((schema.dependencies as JsonObject | undefined) ?? {})) {
    if (Array.isArray(member)) setMember(lists, name, member)
    else setMember(schemas, name, place(member, build))
  }
  if (modern) {
    Object.assign(lists, schema.dependentRequired)
    if ('dependentSchemas' in schema) Object.assign(schemas, placeMap(schema.dependentSchemas, build))
  }
  if (Object.keys(lists).length > 0) out.dependentRequired = lists
  if (Object.keys(schemas).length > 0) out.dependentSchemas = schemas
}
