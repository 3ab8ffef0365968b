import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import { createMatcher } from './pattern/create-matcher.ts'

export type MatchesFormat = (format: string, text: string) => boolean

/**
 * A value of another type, or one that differs from the only allowed constant, was probably meant for another schema.
 */
export interface ValueProblems {
  readonly kind: 'type' | 'constant' | 'detail'
  readonly messages: readonly string[]
}

/** The faults of a value by the assertions of one schema: messages that read on from its path. */
export function explainValue(
  schema: JsonObject,
  value: unknown,
  matchesFormat: MatchesFormat,
): ValueProblems {
  const wrongType = typeProblem(schema.type, value)
  if (wrongType !== undefined) return { kind: 'type', messages: [wrongType] }
  if ('const' in schema && !jsonEqual(schema.const, value)) {
    return { kind: 'constant', messages: [`must be ${JSON.stringify(schema.const)}`] }
  }
  if (Array.isArray(schema.enum) && !schema.enum.some((option) => jsonEqual(option, value))) {
    return { kind: 'constant', messages: [`must be one of ${listOptions(schema.enum)}`] }
  }
  return { kind: 'detail', messages: explainDetails(schema, value, matchesFormat) }
}

function explainDetails(schema: JsonObject, value: unknown, matchesFormat: MatchesFormat): string[] {
  if (typeof value === 'number') return explainNumber(schema, value)
  if (typeof value === 'string') return explainString(schema, value, matchesFormat)
  if (Array.isArray(value)) return explainCounts(schema, value.length, ['minItems', 'maxItems'], 'items')
  if (!isJsonObject(value)) return []
  return explainCounts(schema, Object.keys(value).length, ['minProperties', 'maxProperties'], 'fields')
}

function typeProblem(type: unknown, value: unknown): string | undefined {
  if (type === undefined) return undefined
  const types = Array.isArray(type) ? (type as string[]) : [type as string]
  return types.some((name) => isOfType(name, value)) ? undefined : `must be ${types.join(' or ')}`
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isJsonObject(value)
    default:
      return typeof value === type
  }
}

const MAX_LISTED_OPTIONS = 30

function listOptions(options: readonly unknown[]): string {
  const listed = options.slice(0, MAX_LISTED_OPTIONS).map((option) => JSON.stringify(option))
  return options.length > MAX_LISTED_OPTIONS ? `${listed.join(', ')}, …` : listed.join(', ')
}

function explainNumber(schema: JsonObject, value: number): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<
    string,
    number
  >
  const messages: string[] = []
  if (minimum !== undefined && value < minimum) messages.push(`must be at least ${minimum}`)
  if (maximum !== undefined && value > maximum) messages.push(`must be at most ${maximum}`)
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    messages.push(`must be above ${exclusiveMinimum}`)
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    messages.push(`must be below ${exclusiveMaximum}`)
  if (multipleOf !== undefined) {
    const quotient = value / multipleOf
    if (Math.abs(Math.round(quotient) - quotient) > 1e-9) messages.push(`must be a multiple of ${multipleOf}`)
  }
  return messages
}

function explainString(schema: JsonObject, value: string, matchesFormat: MatchesFormat): string[] {
  const messages: string[] = []
  if ('minLength' in schema || 'maxLength' in schema) {
    messages.push(...explainCounts(schema, [...value].length, ['minLength', 'maxLength'], 'characters'))
  }
  const { pattern, format } = schema
  if (typeof pattern === 'string' && createMatcher(pattern)?.test(value) === false) {
    messages.push(`must match the pattern ${pattern}`)
  }
  if (typeof format === 'string' && !matchesFormat(format, value)) messages.push(`must be a valid ${format}`)
  return messages
}

function explainCounts(
  schema: JsonObject,
  count: number,
  [min, max]: [string, string],
  noun: string,
): string[] {
  const least = schema[min] as number | undefined
  const most = schema[max] as number | undefined
  if (least !== undefined && count < least) return [`must have at least ${least} ${noun}, has ${count}`]
  if (most !== undefined && count > most) return [`must have at most ${most} ${noun}, has ${count}`]
  return []
}

export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]))
}
