import type { DocumentSet, Located } from '../document/document-set.ts'
import type { JsonSchema } from '@gantry/mcp/server'
import { isJsonObject } from '@gantry/mcp/exchange'
import { define, own, ownEntries, ownString } from '../own.ts'
import type { Warnings } from '../warnings.ts'
import { DefinitionNames } from './definition-names.ts'
import {
  ONE_SCHEMA,
  OFTEN_BROKEN,
  PART_KEYWORDS,
  PLAIN,
  SCHEMA_LISTS,
  SCHEMA_MAPS,
  usablePattern,
} from './keywords.ts'
import { openSchema } from './open-schema.ts'
import { convertEnum, convertNullable, convertRequired, convertType } from './older-keywords.ts'

/** `input` leaves out what is read-only, `output` what is write-only. */
export type Direction = 'input' | 'output'

/** A schema whose `$ref`s all point into `#/$defs`; `refs` are the names it uses itself. */
export interface Converted {
  readonly schema: JsonSchema
  readonly refs: ReadonlySet<string>
  /** The names that are about the same value, and not about a part of it. */
  readonly inPlace: ReadonlySet<string>
}

const MOST_DEPTH = 100
const MOST_NODES = 50_000

interface Walk {
  readonly base: string
  readonly where: string
  readonly refs: Set<string>
  readonly inPlace: Set<string>
  /** How many of the schemas around this one are about parts of the value. */
  inside: number
  depth: number
  nodes: number
}

/** Converts OpenAPI and Swagger schemas to 2020-12. A `$ref` becomes a name in `$defs`, converted once. */
export class SchemaConverter {
  readonly #documents: DocumentSet
  readonly #direction: Direction
  readonly #lenient: boolean
  readonly #warnings: Warnings
  readonly #names = new DefinitionNames()
  readonly #sources = new Map<string, Converted>()
  readonly #definitions = new Map<string, Converted>()

  constructor(
    documents: DocumentSet,
    options: { direction: Direction; lenient?: boolean; warnings: Warnings },
  ) {
    this.#documents = documents
    this.#direction = options.direction
    this.#lenient = options.lenient ?? false
    this.#warnings = options.warnings
  }

  /** `where` names the place in warnings. */
  convert(schema: Located, where: string): Converted {
    const { base } = schema
    const walk: Walk = { base, where, refs: new Set(), inPlace: new Set(), inside: 0, depth: 0, nodes: 0 }
    const converted = this.#convert(schema.value, walk)
    const { refs, inPlace } = walk
    return { schema: typeof converted === 'boolean' ? fromBoolean(converted) : converted, refs, inPlace }
  }

  /** The schema behind a name that {@link convert} put into a `$ref`. */
  definition(name: string): Converted {
    const known = this.#definitions.get(name)
    if (known) return known
    let definition = this.#read(name)
    if (this.#isEndless(name)) {
      this.#warnings.add('the schema is defined by itself; anything is allowed there', `#/$defs/${name}`)
      definition = { schema: openSchema(definition.schema), refs: new Set(), inPlace: new Set() }
    }
    this.#definitions.set(name, definition)
    return definition
  }

  /** OpenAPI 3.0, "readOnly" and "writeOnly": the property is no part of the other direction. */
  isHidden({ value: property, base }: Located): boolean {
    const keyword = this.#direction === 'input' ? 'readOnly' : 'writeOnly'
    if (own(property, keyword) === true) return true
    if (typeof own(property, '$ref') !== 'string') return false
    return own(this.#documents.follow({ value: property, base })?.value, keyword) === true
  }

  #read(name: string): Converted {
    const known = this.#sources.get(name)
    if (known) return known
    const referent = this.#names.referent(name)!
    const read = this.convert(referent, referent.key.slice(referent.key.indexOf('#')))
    this.#sources.set(name, read)
    return read
  }

  /** A tree of trees is fine; a thing that is itself sends validators round in circles. */
  #isEndless(name: string): boolean {
    const seen = new Set<string>()
    const waiting = [...this.#read(name).inPlace]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next === name) return true
      if (seen.has(next)) continue
      seen.add(next)
      waiting.push(...this.#read(next).inPlace)
    }
    return false
  }

  #convert(value: unknown, walk: Walk): JsonSchema | boolean {
    if (typeof value === 'boolean') return value
    if (!isJsonObject(value)) {
      this.#warn(walk, 'a schema is neither an object nor a boolean; anything is allowed there')
      return {}
    }
    if (walk.depth > MOST_DEPTH || walk.nodes > MOST_NODES) {
      this.#warn(walk, 'the schema is too deep or too large; anything is allowed beyond the limit')
      return {}
    }
    walk.depth++
    walk.nodes++
    const schema = this.#convertObject(value, walk)
    walk.depth--
    return schema
  }

  #convertObject(source: JsonSchema, walk: Walk): JsonSchema {
    const schema: JsonSchema = {}
    const reference = this.#reference(source, walk)
    if (reference !== undefined) schema.$ref = reference
    Object.assign(
      schema,
      convertType(source, (problem) => this.#warn(walk, problem)),
    )
    for (const [keyword, value] of Object.entries(source)) {
      const isPart = PART_KEYWORDS.has(keyword)
      if (isPart) walk.inside++
      this.#keyword(schema, keyword, value, source, walk)
      if (isPart) walk.inside--
    }
    if (this.#lenient) for (const keyword of OFTEN_BROKEN) delete schema[keyword]
    else discriminate(schema, source)
    return convertNullable(schema, source, this.#lenient && walk.inside > 0)
  }

  #keyword(schema: JsonSchema, keyword: string, value: unknown, source: JsonSchema, walk: Walk): void {
    const plain = PLAIN.get(keyword)
    if (plain) this.#plain(schema, keyword, value, plain, walk)
    else if (ONE_SCHEMA.has(keyword)) schema[keyword] = this.#convert(value, walk)
    else if (SCHEMA_LISTS.has(keyword)) this.#list(schema, keyword, value, walk)
    else if (SCHEMA_MAPS.has(keyword))
      schema[keyword] = this.#map(value, keyword === 'patternProperties', walk)
    else if (keyword === 'properties') schema.properties = this.#properties(value, walk)
    else if (keyword === 'items') this.#items(schema, value, walk)
    else if (keyword === 'pattern') this.#pattern(schema, value, walk)
    else if (keyword === 'enum')
      Object.assign(
        schema,
        convertEnum(value, (problem) => this.#warn(walk, problem)),
      )
    else if (keyword === 'required') {
      const hidden = (name: string) =>
        this.isHidden({ value: own(own(source, 'properties'), name), base: walk.base })
      Object.assign(
        schema,
        convertRequired(value, hidden, (problem) => this.#warn(walk, problem)),
      )
    } else if (keyword === 'example' && own(source, 'examples') === undefined) schema.examples = [value]
    else if (keyword === 'examples' && Array.isArray(value)) schema.examples = value
  }

  /** Values that 3.0 and the older drafts write differently are handled by `older-keywords`. */
  #plain(
    schema: JsonSchema,
    keyword: string,
    value: unknown,
    check: (v: unknown) => boolean,
    walk: Walk,
  ): void {
    if (keyword === 'format' && (value === 'binary' || value === 'byte')) return
    if (/^exclusiveM(in|ax)imum$/.test(keyword) && typeof value === 'boolean') return
    if (schema[keyword] !== undefined) return
    if (check(value)) define(schema, keyword, value)
    else this.#warn(walk, `"${keyword}" has a value that JSON Schema does not allow; it was left out`)
  }

  #reference(source: JsonSchema, walk: Walk): string | undefined {
    const reference = own(source, '$ref') ?? own(source, '$dynamicRef')
    if (reference === undefined) return undefined
    const referent = typeof reference === 'string' ? this.#documents.resolve(reference, walk.base) : undefined
    if (referent === undefined) return undefined
    const name = this.#names.nameOf(referent)
    walk.refs.add(name)
    if (walk.inside === 0) walk.inPlace.add(name)
    return `#/$defs/${name}`
  }

  #list(schema: JsonSchema, keyword: string, value: unknown, walk: Walk): void {
    if (Array.isArray(value) && value.length > 0)
      schema[keyword] = value.map((item) => this.#convert(item, walk))
    else this.#warn(walk, `"${keyword}" is not a list of schemas; it was left out`)
  }

  #map(value: unknown, keysArePatterns: boolean, walk: Walk): JsonSchema {
    const entries = isJsonObject(value) ? Object.entries(value) : []
    const usable = keysArePatterns ? entries.filter(([key]) => usablePattern(key) !== undefined) : entries
    return Object.fromEntries(usable.map(([key, member]) => [key, this.#convert(member, walk)]))
  }

  #properties(value: unknown, walk: Walk): JsonSchema {
    if (!isJsonObject(value)) {
      this.#warn(walk, '"properties" is not an object; it was left out')
      return {}
    }
    const shown = Object.entries(value).filter(
      ([, member]) => !this.isHidden({ value: member, base: walk.base }),
    )
    return Object.fromEntries(shown.map(([name, member]) => [name, this.#convert(member, walk)]))
  }

  /** Draft 4 wrote tuples as a list in `items`. */
  #items(schema: JsonSchema, value: unknown, walk: Walk): void {
    if (!Array.isArray(value)) schema.items = this.#convert(value, walk)
    else if (value.length > 0) schema.prefixItems = value.map((item) => this.#convert(item, walk))
  }

  #pattern(schema: JsonSchema, value: unknown, walk: Walk): void {
    const pattern = usablePattern(value)
    if (pattern !== undefined) schema.pattern = pattern
    else
      this.#warn(walk, `the pattern ${JSON.stringify(value)} is not an ECMAScript pattern; it was left out`)
  }

  #warn(walk: Walk, problem: string): void {
    this.#warnings.add(problem, walk.where)
  }
}

/** `true` and `false` are schemas, but a tool's schema has to be an object. */
function fromBoolean(schema: boolean): JsonSchema {
  return schema ? {} : { not: {} }
}

/** Turns OpenAPI's `discriminator` into a constant in each branch, for JSON Schema has no such keyword. */
function discriminate(schema: JsonSchema, source: JsonSchema): void {
  const property = ownString(own(source, 'discriminator'), 'propertyName')
  if (property === undefined) return
  for (const keyword of ['oneOf', 'anyOf']) {
    const sources = own(source, keyword)
    const branches = own(schema, keyword)
    if (!Array.isArray(sources) || !Array.isArray(branches)) continue
    schema[keyword] = branches.map((branch, index) => {
      const values = valuesOf(sources[index], own(source, 'discriminator'))
      if (values.length === 0 || !isJsonObject(branch)) return branch
      const expected = values.length === 1 ? { const: values[0] } : { enum: values }
      return { ...branch, properties: Object.fromEntries([[property, expected]]), required: [property] }
    })
  }
}

/** The mapping's values for a branch, else the name of the schema that the branch refers to. */
function valuesOf(branch: unknown, discriminator: unknown): string[] {
  const reference = ownString(branch, '$ref')
  if (reference === undefined || Object.keys(branch as JsonSchema).length > 1) return []
  const name = reference.split('/').at(-1)!
  const mapping = ownEntries(own(discriminator, 'mapping'))
  const mapped = mapping
    .filter(([, target]) => target === reference || target === name)
    .map(([value]) => value)
  if (mapped.length > 0) return mapped
  return reference.startsWith('#/') ? [name] : []
}
