import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'

/** The JSON Schema dialects that Gantry knows. Without `$schema` a document is 2020-12 (MCP, basic). */
export type Dialect = '2020-12' | 'draft-07'

/** The form of the value of a keyword. */
export type Shape =
  | 'schema'
  | 'schema-list'
  | 'schema-map'
  | 'items'
  | 'dependencies'
  | 'type'
  | 'enum'
  | 'pattern'
  | 'pattern-map'
  | 'string'
  | 'boolean'
  | 'number'
  | 'positive'
  | 'count'
  | 'string-list'
  | 'string-list-map'

type Table = ReadonlyMap<string, Shape>

const COMMON: Partial<Record<Shape, string>> = {
  string: '$id $schema $ref $comment title description format',
  boolean: 'readOnly writeOnly uniqueItems',
  number: 'minimum maximum exclusiveMinimum exclusiveMaximum',
  positive: 'multipleOf',
  count: 'minLength maxLength minItems maxItems minProperties maxProperties',
  type: 'type',
  enum: 'enum',
  pattern: 'pattern',
  'string-list': 'required',
  'schema-list': 'allOf anyOf oneOf',
  schema: 'not if then else additionalProperties propertyNames contains additionalItems',
  'schema-map': 'properties definitions',
  'pattern-map': 'patternProperties',
  items: 'items',
  dependencies: 'dependencies',
}

const ONLY_2020_12: Partial<Record<Shape, string>> = {
  string: '$anchor $dynamicAnchor $dynamicRef',
  boolean: 'deprecated',
  count: 'minContains maxContains',
  'string-list-map': 'dependentRequired',
  'schema-list': 'prefixItems',
  schema: 'unevaluatedItems unevaluatedProperties contentSchema',
  'schema-map': '$defs dependentSchemas',
}

function toTable(...parts: Partial<Record<Shape, string>>[]): Table {
  const entries = parts.flatMap((part) => Object.entries(part) as [Shape, string][])
  return new Map(entries.flatMap(([shape, names]) => names.split(' ').map((name) => [name, shape] as const)))
}

// Generators write draft-07 keywords without naming that dialect, so 2020-12 knows them too.
const KEYWORDS: Record<Dialect, Table> = {
  '2020-12': toTable(COMMON, ONLY_2020_12),
  'draft-07': toTable(COMMON),
}

/** The shape of a keyword's value; `undefined` for keywords that the dialect does not know. */
export function shapeOf(keyword: string, dialect: Dialect): Shape | undefined {
  return KEYWORDS[dialect].get(keyword)
}

/** Keywords whose subschemas look at the same value as the schema they stand in. */
export const IN_PLACE: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
])

export interface Subschema {
  readonly keyword: string
  /** The member of the keyword's list or map; absent when the keyword's value is the subschema. */
  readonly key?: string | number
  readonly value: unknown
}

/** The subschemas directly inside a schema, values of malformed keywords left out. */
export function* subschemasOf(schema: JsonObject, dialect: Dialect): Generator<Subschema> {
  for (const [keyword, value] of Object.entries(schema)) {
    const shape = shapeOf(keyword, dialect)
    if (shape === 'schema' || (shape === 'items' && !Array.isArray(value))) yield { keyword, value }
    else if (shape === 'schema-list' || shape === 'items') yield* listMembers(keyword, value)
    else if (shape === 'schema-map' || shape === 'pattern-map') yield* mapMembers(keyword, value)
    else if (shape === 'dependencies') yield* schemaDependencies(keyword, value)
  }
}

function* listMembers(keyword: string, value: unknown): Generator<Subschema> {
  if (!Array.isArray(value)) return
  for (const [key, member] of value.entries()) yield { keyword, key, value: member }
}

function* mapMembers(keyword: string, value: unknown): Generator<Subschema> {
  if (!isJsonObject(value)) return
  for (const [key, member] of Object.entries(value)) yield { keyword, key, value: member }
}

function* schemaDependencies(keyword: string, value: unknown): Generator<Subschema> {
  for (const member of mapMembers(keyword, value)) if (!Array.isArray(member.value)) yield member
}
