import { isJsonObject, toNumber, writeJson } from '../api/json.ts'
import {
  choicesOf,
  isMap,
  isNullable,
  memberPath,
  resolve,
  typesOf,
  variantsOf,
  type Schema,
} from './schema.ts'

export interface Issue {
  /** Such as `filter.limit`. */
  readonly path: string
  readonly message: string
}

const DEPTH = 12

/**
 * What a form can tell before it is sent. It is no validator: the server is, and it may be sent what is wrong on
 * purpose. Alternatives pass when one of them does.
 */
export function checkValue(schema: unknown, root: Schema, value: unknown, path = '', depth = 0): Issue[] {
  const resolved = resolve(schema, root)
  if (depth > DEPTH || (value === null && isNullable(resolved, root))) return []
  const choices = choicesOf(resolved, root)
  if (choices) {
    const isKnown = choices.some((choice) => isSame(choice.value, value))
    return isKnown ? [] : [{ path, message: 'is not one of the choices' }]
  }
  const types = typesOf(resolved)
  if (types.length > 0 && !types.some((type) => hasType(value, type))) {
    return [{ path, message: `has to be ${types.join(' or ')}` }]
  }
  const variants = variantsOf(resolved, root)
  const found = variants.map((one) => checkValue(one, root, value, path, depth + 1))
  const best = found.length > 0 && !found.some((issues) => issues.length === 0) ? found[0]! : []
  return [...best, ...checkParts(resolved, root, value, path, depth)]
}

/** 1 and 1.0 are the same number. */
function isSame(one: unknown, other: unknown): boolean {
  const number = toNumber(one)
  return number === undefined ? writeJson(one) === writeJson(other) : number === toNumber(other)
}

function checkParts(schema: Schema, root: Schema, value: unknown, path: string, depth: number): Issue[] {
  if (typeof value === 'string') return checkText(schema, value, path)
  const number = toNumber(value)
  if (number !== undefined) return checkNumber(schema, number, path)
  if (Array.isArray(value)) {
    return [
      ...checkCount(schema, value, path),
      ...value.flatMap((item, index) =>
        checkValue(schema.items ?? {}, root, item, `${path}[${index}]`, depth + 1),
      ),
    ]
  }
  if (!isJsonObject(value)) return []
  const object: Record<string, unknown> = value
  const missing = (schema.required ?? []).filter((name) => object[name] === undefined)
  const known = schema.properties ?? {}
  const others = isMap(schema) ? Object.keys(object).filter((name) => !Object.hasOwn(known, name)) : []
  const unknown = isClosed(schema) ? Object.keys(object).filter((name) => !Object.hasOwn(known, name)) : []
  return [
    ...checkMembers(schema, object, path),
    ...others.flatMap((name) =>
      checkValue(schema.additionalProperties, root, object[name], memberPath(path, name), depth + 1),
    ),
    ...missing.map((name) => ({ path: memberPath(path, name), message: 'is required' })),
    ...unknown.map((name) => ({ path: memberPath(path, name), message: 'is not known to the schema' })),
    ...Object.entries(known).flatMap(([name, property]) =>
      object[name] === undefined
        ? []
        : checkValue(property, root, object[name], memberPath(path, name), depth + 1),
    ),
  ]
}

function checkMembers({ minProperties, maxProperties }: Schema, object: object, path: string): Issue[] {
  const { length } = Object.keys(object)
  if (isBelow(length, minProperties))
    return [{ path, message: `needs ${minProperties} ${minProperties === 1 ? 'member' : 'members'}` }]
  if (isAbove(length, maxProperties))
    return [{ path, message: `has over ${maxProperties} ${maxProperties === 1 ? 'member' : 'members'}` }]
  return []
}

function checkText({ minLength, maxLength, pattern }: Schema, value: string, path: string): Issue[] {
  const length = [...value].length
  if (isBelow(length, minLength)) return [{ path, message: `needs ${minLength} characters` }]
  if (isAbove(length, maxLength)) return [{ path, message: `has over ${maxLength} characters` }]
  // Short patterns only: they come from the server, and some take for ever.
  if (typeof pattern !== 'string' || pattern.length > 200 || value.length > 200) return []
  try {
    return new RegExp(pattern, 'u').test(value) ? [] : [{ path, message: `does not match ${pattern}` }]
  } catch {
    return []
  }
}

function isClosed(schema: Schema): boolean {
  return schema.additionalProperties === false && !schema.patternProperties
}

function checkCount(schema: Schema, items: readonly unknown[], path: string): Issue[] {
  const { minItems, maxItems, uniqueItems } = schema
  if (isBelow(items.length, minItems))
    return [{ path, message: `needs ${minItems} ${minItems === 1 ? 'item' : 'items'}` }]
  if (isAbove(items.length, maxItems))
    return [{ path, message: `has over ${maxItems} ${maxItems === 1 ? 'item' : 'items'}` }]
  if (uniqueItems === true && new Set(items.map((item) => writeJson(item))).size < items.length)
    return [{ path, message: 'has the same item twice' }]
  return []
}

function checkNumber(schema: Schema, value: number, path: string): Issue[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  if (isBelow(value, minimum)) return [{ path, message: `is below ${minimum}` }]
  if (isAbove(value, maximum)) return [{ path, message: `is above ${maximum}` }]
  if (isBelow(value, exclusiveMinimum, true))
    return [{ path, message: `has to be above ${exclusiveMinimum}` }]
  if (isAbove(value, exclusiveMaximum, true))
    return [{ path, message: `has to be below ${exclusiveMaximum}` }]
  const step = toNumber(multipleOf) ?? 0
  if (step > 0 && !isMultiple(value, step)) return [{ path, message: `is not a multiple of ${multipleOf}` }]
  return []
}

function isBelow(value: number, limit: unknown, excludes = false): boolean {
  const least = toNumber(limit)
  return least !== undefined && (value < least || (excludes && value === least))
}

function isAbove(value: number, limit: unknown, excludes = false): boolean {
  const most = toNumber(limit)
  return most !== undefined && (value > most || (excludes && value === most))
}

/** 0.3 is a multiple of 0.1, though not for a processor. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of
  return Math.abs(times - Math.round(times)) < 1e-9
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isJsonObject(value)
  if (type === 'integer') return Number.isInteger(toNumber(value))
  if (type === 'number') return toNumber(value) !== undefined
  return typeof value === type
}
