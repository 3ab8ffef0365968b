import { type JsonObject, setMember } from '../jsonrpc/index.ts'
import { MAX_SCHEMA_DEPTH, MAX_SCHEMA_TEXT, MAX_SCHEMA_VALUES } from './limits.ts'
import { pointerTo, schemaError } from './schema-error.ts'
import { isStandardSchema } from './standard-schema.ts'

/** Copies a schema as JSON would, within limits, so that the listed schema is the enforced one. */
export function copySchema(source: object): JsonObject {
  if (Array.isArray(source)) throw schemaError('', 'a schema is an object, not an array')
  const spent: Spent = { values: 0, text: 0 }
  return copyValue(source, '', spent, 0) as JsonObject
}

interface Spent {
  values: number
  text: number
}

function copyValue(value: unknown, pointer: string, spent: Spent, depth: number): unknown {
  spent.values += 1
  if (typeof value === 'string') spent.text += value.length
  if (spent.values > MAX_SCHEMA_VALUES || spent.text > MAX_SCHEMA_TEXT) {
    throw schemaError('', `too large: at most ${MAX_SCHEMA_VALUES} values and ${MAX_SCHEMA_TEXT} characters`)
  }
  if (isScalar(value)) return value
  if (depth > 0 && isStandardSchema(value)) {
    throw schemaError(
      pointer,
      'a library schema inside plain JSON Schema; wrap the fields in an object of that library, such as z.object({ … })',
    )
  }
  if (typeof value !== 'object' || value === null) throw schemaError(pointer, `${nameOf(value)} is not JSON`)
  // A cycle of JavaScript references ends here too.
  if (depth >= MAX_SCHEMA_DEPTH) throw schemaError('', `nested more than ${MAX_SCHEMA_DEPTH} levels deep`)
  if (Array.isArray(value)) {
    return value.map((item, index) => copyValue(item, pointerTo(pointer, index), spent, depth + 1))
  }
  return copyObject(value, pointer, spent, depth)
}

function copyObject(source: object, pointer: string, spent: Spent, depth: number): JsonObject {
  refuseForeignValue(source, pointer)
  const copy: JsonObject = {}
  for (const [key, value] of Object.entries(tupleInPresentSpelling(source))) {
    if (value === undefined) continue
    spent.text += key.length
    setMember(copy, key, copyValue(value, pointerTo(pointer, key), spent, depth + 1))
  }
  return copy
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return value === null || typeof value === 'string' || typeof value === 'boolean'
}

function refuseForeignValue(source: object, pointer: string): void {
  const prototype: unknown = Object.getPrototypeOf(source)
  // Plain objects of another realm have another Object.prototype, which has no prototype itself.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw schemaError(pointer, `${nameOf(source)} is not JSON`)
  }
  if ('~codec' in source || '~refine' in source) {
    throw schemaError(
      pointer,
      'a TypeBox codec or refinement runs only inside TypeBox and would be skipped here; check in the handler instead',
    )
  }
}

/** TypeBox 1.x spells tuples as draft-07 did; JSON Schema 2020-12 has `prefixItems` and `items: false`. */
function tupleInPresentSpelling(source: object): object {
  if (!('~kind' in source) || source['~kind'] !== 'Tuple' || !('items' in source)) return source
  const { items, additionalItems, ...rest } = source as { items: unknown; additionalItems?: unknown }
  return { ...rest, prefixItems: items, items: additionalItems }
}

function nameOf(value: unknown): string {
  if (typeof value === 'object') return `a ${value?.constructor?.name ?? 'null'}`
  return typeof value === 'number' ? String(value) : `a ${typeof value}`
}
