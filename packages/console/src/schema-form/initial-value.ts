import { choicesOf, isNullable, resolve, typesOf, variantsOf, type Schema } from './schema.ts'

const DEPTH = 8

/** What a form begins with: defaults, and the shape of what is required. `undefined` leaves it out. */
export function initialValue(schema: unknown, root: Schema, isRequired = true, depth = 0): unknown {
  const resolved = resolve(schema, root)
  if (resolved.default !== undefined) return resolved.default
  if (depth > DEPTH) return undefined
  const choices = choicesOf(resolved, root)
  if (choices?.length === 1 && isRequired) return choices[0]!.value
  if (choices) return undefined
  const variants = variantsOf(resolved, root)
  if (variants.length > 0 && !resolved.properties) {
    if (!isRequired) return undefined
    return isNullable(resolved, root) ? null : initialValue(variants[0], root, true, depth + 1)
  }
  // An optional member stays out unless it has a default of its own: schemas may refer to themselves.
  if (!isRequired) return undefined
  return typesOf(resolved)[0] === 'object'
    ? initialObject(resolved, root, depth)
    : emptyOf(typesOf(resolved)[0])
}

function initialObject(schema: Schema, root: Schema, depth: number): unknown {
  const required = new Set(schema.required)
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const value = initialValue(property, root, required.has(name), depth + 1)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

function emptyOf(type: string | undefined): unknown {
  // Numbers and texts stay empty until they are typed: 0 and "" are answers, too.
  if (type === 'array') return []
  if (type === 'boolean') return false
  return undefined
}
