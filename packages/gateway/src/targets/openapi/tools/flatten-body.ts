import type { DocumentSet, Located } from '../document/document-set.ts'
import type { RequestBody } from '../operations/operation.ts'
import { bodyKind } from '../operations/read-body.ts'
import { own, isObject, ownArray, ownEntries } from '../own.ts'
import type { PlanContext } from './plan-context.ts'

export interface BodyField {
  readonly name: string
  readonly schema: Located
  readonly required: boolean
}

/** The properties of a body that may become arguments of their own; none when it has to stay whole. */
export function flattenBody(
  body: RequestBody,
  context: PlanContext,
): { fields: BodyField[]; files: Set<string> } {
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
  if (at === undefined || !isObject(at.value) || !isPlainObject(at.value)) return undefined
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

/** False when a name is there already: two schemas for one property are not taken apart. */
function addAll(properties: Map<string, Located>, more: ReadonlyMap<string, Located>): boolean {
  for (const [name, schema] of more) {
    if (properties.has(name)) return false
    properties.set(name, schema)
  }
  return true
}
