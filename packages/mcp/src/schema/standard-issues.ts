import { isJsonObject } from '../jsonrpc/index.ts'
import type { JsonSchema } from '../protocol/index.ts'
import { formatPath, type Issue } from './issues.ts'
import { MAX_ISSUES } from './limits.ts'
import type { StandardIssue } from './standard-schema.ts'

/** A library's issues in our form; fields that are required and absent are called so, whatever the library says. */
export function fromStandardIssues(
  issues: readonly StandardIssue[],
  value: unknown,
  jsonSchema: JsonSchema,
): Issue[] {
  return issues.slice(0, MAX_ISSUES).map(({ path = [], message }) => {
    const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment))
    const place = formatPath(keys)
    return { path: place, message: isMissing(keys, value, jsonSchema) ? 'is required' : tidy(message, place) }
  })
}

/** True when the path leads through `properties` to a required field that the value does not have. */
function isMissing(keys: readonly PropertyKey[], value: unknown, jsonSchema: JsonSchema): boolean {
  let holder: unknown = value
  let schema: unknown = jsonSchema
  for (const [index, key] of keys.entries()) {
    if (!isJsonObject(schema)) return false
    if (typeof key === 'number' && Array.isArray(holder)) {
      holder = holder[key]
      schema = schema.items
      continue
    }
    if (typeof key !== 'string' || !isJsonObject(holder)) return false
    if (index === keys.length - 1) {
      return !Object.hasOwn(holder, key) && Array.isArray(schema.required) && schema.required.includes(key)
    }
    holder = Object.hasOwn(holder, key) ? holder[key] : undefined
    schema =
      isJsonObject(schema.properties) && Object.hasOwn(schema.properties, key)
        ? schema.properties[key]
        : undefined
  }
  return false
}

/** Drops what only repeats: ArkType begins with the path, zod with "Invalid input". */
function tidy(message: string, place: string): string {
  const text = place !== '' && message.startsWith(`${place} `) ? message.slice(place.length + 1) : message
  return text
    .replace(/^Invalid (?:input|type|option): (?=[Ee]xpected)/, '')
    .replace(/^Expected /, 'expected ')
}
