import type { Located, DocumentSet } from '../document/document-set.ts'
import type { JsonSchema } from '@gantry/mcp/server'
import type { Operation, Parameter, RequestBody } from '../operations/operation.ts'
import { assembleSchema } from '../schema/assemble-schema.ts'
import type { Converted } from '../schema/schema-converter.ts'
import type { PlanContext } from './plan-context.ts'
import { bodyKind } from '../operations/read-body.ts'
import { isJsonObject } from '@gantry/mcp/exchange'
import { own, ownArray, ownEntries } from '../own.ts'

export type Destination =
  | { readonly kind: 'parameter'; readonly parameter: Parameter }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'body' }

export interface InputPlan {
  readonly schema: JsonSchema
  readonly destinations: ReadonlyMap<string, Destination>
  readonly files: ReadonlySet<string>
}

export const FILE_HINT = 'Base64, or a data: URI (data:image/png;name=cat.png;base64,…).'

/** One flat object of parameters and body properties. A body that is not plain, or clashes, stays whole. */
export function planInput(operation: Operation, context: PlanContext): InputPlan {
  const arguments_ = new Arguments(operation, context)
  for (const parameter of operation.parameters) {
    if (!context.isHidden(parameter)) arguments_.addParameter(parameter)
  }
  const files = operation.body ? arguments_.addBody(operation.body) : new Set<string>()
  return { schema: arguments_.schema(), destinations: arguments_.destinations, files }
}

class Arguments {
  readonly destinations = new Map<string, Destination>()
  readonly #operation: Operation
  readonly #context: PlanContext
  readonly #schemas: [string, JsonSchema][] = []
  readonly #required: string[] = []
  readonly #refs = new Set<string>()

  constructor(operation: Operation, context: PlanContext) {
    this.#operation = operation
    this.#context = context
  }

  addParameter(parameter: Parameter): void {
    const name = this.#free(toArgumentName(parameter.name), parameter.in)
    const converted = this.#convert(parameter.schema, parameter.name)
    const notes = [parameter.description ?? converted.description, sentAs(name, parameter.name)]
    const schema = describe(converted, notes)
    if (parameter.deprecated) schema.deprecated = true
    if (parameter.example !== undefined && schema.examples === undefined)
      schema.examples = [parameter.example]
    this.#add(name, schema, parameter.required, { kind: 'parameter', parameter })
  }

  addBody(body: RequestBody): Set<string> {
    const { fields, files } = flattenBody(body, this.#context)
    const names = fields.map((field) => toArgumentName(field.name))
    const fits = new Set(names).size === names.length && !names.some((name) => this.destinations.has(name))
    if (fields.length > 0 && fits) {
      for (const [index, field] of fields.entries()) this.#addField(names[index]!, field, body, files)
    } else {
      this.#addWholeBody(body)
    }
    return files
  }

  schema(): JsonSchema {
    const schema: JsonSchema = { type: 'object', properties: Object.fromEntries(this.#schemas) }
    if (this.#required.length > 0) schema.required = this.#required
    schema.additionalProperties = false
    const { input, maxSchemaBytes } = this.#context
    return assembleSchema({ schema, refs: this.#refs, inPlace: new Set() }, input, maxSchemaBytes)
  }

  #addField(
    name: string,
    field: { name: string; schema: Located; required: boolean },
    body: RequestBody,
    files: ReadonlySet<string>,
  ): void {
    const converted = this.#convert(field.schema, field.name)
    const notes = [converted.description, sentAs(name, field.name)]
    if (files.has(field.name)) notes.push(FILE_HINT)
    if (field.required && !body.required) notes.push('Required when a body is sent.')
    const required = field.required && body.required
    this.#add(name, describe(converted, notes), required, { kind: 'field', name: field.name })
  }

  #addWholeBody(body: RequestBody): void {
    const notes: unknown[] = [body.description]
    let schema: JsonSchema = {}
    if (body.kind === 'binary') {
      schema = { type: 'string', contentEncoding: 'base64', contentMediaType: body.mediaType }
      notes.push(FILE_HINT)
    } else if (body.kind === 'text') {
      schema = { type: 'string', contentMediaType: body.mediaType }
      notes.push(`The body as ${body.mediaType} text.`)
    } else if (body.schema) {
      schema = this.#convert(body.schema, 'body')
      notes[0] ??= schema.description
    }
    const name = this.#free('body', 'request')
    this.#add(name, describe(schema, notes), body.required, { kind: 'body' })
  }

  #convert(schema: Located, what: string): JsonSchema {
    const converted: Converted = this.#context.input.convert(schema, `${this.#operation.key} ${what}`)
    for (const name of converted.refs) this.#refs.add(name)
    return converted.schema
  }

  #free(wanted: string, suffix: string): string {
    return freeName(wanted, suffix, (name) => this.destinations.has(name))
  }

  #add(name: string, schema: JsonSchema, required: boolean, destination: Destination): void {
    this.#schemas.push([name, schema])
    if (required) this.#required.push(name)
    this.destinations.set(name, destination)
  }
}

function sentAs(argument: string, name: string): string | undefined {
  return argument === name ? undefined : `Sent as \`${name}\`.`
}

function describe(schema: JsonSchema, notes: readonly unknown[]): JsonSchema {
  const description = notes.filter((note) => typeof note === 'string' && note !== '').join(' ')
  return description === '' ? { ...schema } : { ...schema, description }
}

interface BodyField {
  readonly name: string
  readonly schema: Located
  readonly required: boolean
}

/** The properties of a body that may become arguments of their own; empty when the body has to stay whole. */
function flattenBody(body: RequestBody, context: PlanContext): { fields: BodyField[]; files: Set<string> } {
  const files = new Set<string>()
  const { documents, input } = context
  const isObjectKind = body.kind === 'json' || body.kind === 'form' || body.kind === 'multipart'
  const shape = body.schema && isObjectKind ? readObjectShape(documents, body.schema) : undefined
  if (shape === undefined) return { fields: [], files }
  const shown = [...shape.properties].filter(([, schema]) => !input.isHidden(schema))
  const fields = shown.map(([name, schema]) => ({ name, schema, required: shape.required.has(name) }))
  if (body.kind === 'multipart') {
    for (const { name, schema } of fields) {
      if (isFile(documents, schema, body.encodings.get(name)?.mediaType)) files.add(name)
    }
  }
  return { fields, files }
}

/** A file, or a list of files: `format: binary`, `type: file`, or 3.1's `contentMediaType` and no encoding. */
function isFile(documents: DocumentSet, schema: Located, mediaType: string | undefined): boolean {
  const at = documents.follow(schema)
  if (at === undefined) return false
  const items = own(at.value, 'items')
  if (items !== undefined) return isFile(documents, { value: items, base: at.base }, mediaType)
  if (own(at.value, 'format') === 'binary' || own(at.value, 'type') === 'file') return true
  const type = own(at.value, 'type')
  if ((type !== undefined && type !== 'string') || own(at.value, 'contentEncoding') !== undefined)
    return false
  const content = own(at.value, 'contentMediaType') ?? mediaType
  return typeof content === 'string' && bodyKind(content) === 'binary'
}

interface ObjectShape {
  readonly properties: ReadonlyMap<string, Located>
  readonly required: ReadonlySet<string>
}

/** Keywords that say something about the object as a whole, which its separate properties could not say. */
const WHOLE = [
  'oneOf',
  'anyOf',
  'not',
  'if',
  'patternProperties',
  'propertyNames',
  'dependentSchemas',
  'dependentRequired',
  'minProperties',
  'maxProperties',
  'unevaluatedProperties',
  'enum',
  'const',
]
const MOST_DEPTH = 16

/** Takes an object schema apart, through `$ref` and `allOf`; undefined when that would lose something. */
function readObjectShape(documents: DocumentSet, schema: Located, depth = 0): ObjectShape | undefined {
  const at = depth > MOST_DEPTH ? undefined : documents.follow(schema)
  if (at === undefined || !isJsonObject(at.value) || !isPlainObject(at.value)) return undefined
  const properties = new Map<string, Located>()
  const required = new Set<string>()
  for (const branch of ownArray(at.value, 'allOf')) {
    const shape = readObjectShape(documents, { value: branch, base: at.base }, depth + 1)
    if (shape === undefined || !addAll(properties, shape.properties)) return undefined
    for (const name of shape.required) required.add(name)
  }
  const direct = ownEntries(own(at.value, 'properties'))
  const located = direct.map(([name, value]): [string, Located] => [name, { value, base: at.base }])
  if (!addAll(properties, new Map(located))) return undefined
  for (const name of ownArray(at.value, 'required')) if (typeof name === 'string') required.add(name)
  return { properties, required }
}

function isPlainObject(schema: object): boolean {
  const type = own(schema, 'type')
  if (type !== undefined && type !== 'object') return false
  if (own(schema, 'nullable') === true || WHOLE.some((keyword) => Object.hasOwn(schema, keyword)))
    return false
  const additional = own(schema, 'additionalProperties')
  return additional === undefined || additional === false
}

/** Returns false when a name is there already: two schemas for the same property are not merged. */
function addAll(properties: Map<string, Located>, more: ReadonlyMap<string, Located>): boolean {
  for (const [name, schema] of more) {
    if (properties.has(name)) return false
    properties.set(name, schema)
  }
  return true
}

/** The longest name of an argument that model providers accept. One bad name makes them refuse every tool. */
const MOST_CHARACTERS = 64

/** `filter[name]` → `filter_name`; a plain name stays as it is. */
export function toArgumentName(name: string): string {
  // Validators skip a property of this name, to be safe, and then report it as unknown.
  if (name === '__proto__') return 'proto'
  const clean = name
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+(?=[^_])/, (run) => (name.startsWith('_') ? run : ''))
    .replace(/(?<=[^_])_+$/, (run) => (name.endsWith('_') ? run : ''))
    .slice(0, MOST_CHARACTERS)
  return /[A-Za-z0-9_]/.test(clean) ? clean : 'value'
}

/** The wanted name, or the first free one of `name_suffix`, `name_suffix_2` and so on. */
export function freeName(wanted: string, suffix: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(wanted)) return wanted
  const start = wanted.slice(0, MOST_CHARACTERS - suffix.length - 4)
  let name = `${start}_${suffix}`
  for (let n = 2; isTaken(name); n++) name = `${start}_${suffix}_${n}`
  return name
}
