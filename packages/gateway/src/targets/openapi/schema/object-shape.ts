import type { DocumentSet, Located } from '../document/document-set.ts'
import { isObject, own, ownArray, ownEntries } from '../own.ts'

/** An object schema taken apart: its properties can stand beside other arguments. */
export interface ObjectShape {
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

/**
 * Takes a plain object schema apart, through `$ref` and `allOf`. Undefined when that would lose something: the
 * schema is no object, is open by declaration, or has keywords about the whole.
 */
export function readObjectShape(documents: DocumentSet, schema: Located, depth = 0): ObjectShape | undefined {
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
