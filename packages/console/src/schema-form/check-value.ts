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
    const isKnown = choices.some((choice) => JSON.stringify(choice.value) === JSON.stringify(value))
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

function checkParts(schema: Schema, root: Schema, value: unknown, path: string, depth: number): Issue[] {
  if (typeof value === 'string') return checkText(schema, value, path)
  if (typeof value === 'number') return checkNumber(schema, value, path)
  if (Array.isArray(value)) {
    return [
      ...checkCount(schema, value, path),
      ...value.flatMap((item, index) =>
        checkValue(schema.items ?? {}, root, item, `${path}[${index}]`, depth + 1),
      ),
    ]
  }
  if (value === null || typeof value !== 'object') return []
  const object = value as Record<string, unknown>
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
  if (typeof minProperties === 'number' && length < minProperties)
    return [{ path, message: `needs ${minProperties} ${minProperties === 1 ? 'member' : 'members'}` }]
  if (typeof maxProperties === 'number' && length > maxProperties)
    return [{ path, message: `has over ${maxProperties} ${maxProperties === 1 ? 'member' : 'members'}` }]
  return []
}

function checkText({ minLength, maxLength, pattern }: Schema, value: string, path: string): Issue[] {
  const length = [...value].length
  if (typeof minLength === 'number' && length < minLength)
    return [{ path, message: `needs ${minLength} characters` }]
  if (typeof maxLength === 'number' && length > maxLength)
    return [{ path, message: `has over ${maxLength} characters` }]
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
  if (typeof minItems === 'number' && items.length < minItems)
    return [{ path, message: `needs ${minItems} ${minItems === 1 ? 'item' : 'items'}` }]
  if (typeof maxItems === 'number' && items.length > maxItems)
    return [{ path, message: `has over ${maxItems} ${maxItems === 1 ? 'item' : 'items'}` }]
  if (uniqueItems === true && new Set(items.map((item) => JSON.stringify(item))).size < items.length)
    return [{ path, message: 'has the same item twice' }]
  return []
}

function checkNumber(schema: Schema, value: number, path: string): Issue[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  if (typeof minimum === 'number' && value < minimum) return [{ path, message: `is below ${minimum}` }]
  if (typeof maximum === 'number' && value > maximum) return [{ path, message: `is above ${maximum}` }]
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    return [{ path, message: `has to be above ${exclusiveMinimum}` }]
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    return [{ path, message: `has to be below ${exclusiveMaximum}` }]
  if (typeof multipleOf === 'number' && multipleOf > 0 && !isMultiple(value, multipleOf))
    return [{ path, message: `is not a multiple of ${multipleOf}` }]
  return []
}

/** 0.3 is a multiple of 0.1, though not for a processor. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of
  return Math.abs(times - Math.round(times)) < 1e-9
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return value !== null && typeof value === 'object' && !Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}
