import { isJsonObject } from '@gantry/mcp/exchange'

// The keywords of 2020-12 that pass, with a check of each value: clients refuse lists in which a keyword has a wrong
// value.

type Check = (value: unknown) => boolean

const isString: Check = (value) => typeof value === 'string'
const isBoolean: Check = (value) => typeof value === 'boolean'
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0
const isPositive: Check = (value) => isNumber(value) && (value as number) > 0
const isStrings: Check = (value) => Array.isArray(value) && value.every(isString)

/** Copied as they are when the check holds. */
export const PLAIN: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['title', isString],
  ['description', isString],
  ['default', () => true],
  ['const', () => true],
  ['deprecated', isBoolean],
  ['readOnly', isBoolean],
  ['writeOnly', isBoolean],
  ['multipleOf', isPositive],
  ['minimum', isNumber],
  ['maximum', isNumber],
  ['exclusiveMinimum', isNumber],
  ['exclusiveMaximum', isNumber],
  ['minLength', isCount],
  ['maxLength', isCount],
  ['minItems', isCount],
  ['maxItems', isCount],
  ['minContains', isCount],
  ['maxContains', isCount],
  ['minProperties', isCount],
  ['maxProperties', isCount],
  ['uniqueItems', isBoolean],
  ['format', isString],
  ['contentEncoding', isString],
  ['contentMediaType', isString],
  ['dependentRequired', (value) => isJsonObject(value) && Object.values(value).every(isStrings)],
])

export const ONE_SCHEMA: ReadonlySet<string> = new Set([
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
])

export const SCHEMA_LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])

export const SCHEMA_MAPS: ReadonlySet<string> = new Set(['patternProperties', 'dependentSchemas'])

/** The schemas in these are about parts of the value; those in all others about the value itself. */
export const PART_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'items',
  'prefixItems',
  'unevaluatedItems',
  'contains',
])

export const TYPES: ReadonlySet<unknown> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
])

/** Left out of a lenient output schema: what APIs describe but do not always keep to. */
export const OFTEN_BROKEN: ReadonlySet<string> = new Set([
  'required',
  'enum',
  'const',
  'format',
  'pattern',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'uniqueItems',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'dependentRequired',
])

/** Validators compile patterns with the `u` flag. Returns what may be sent. */
export function usablePattern(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  return [value, withoutNeedlessEscapes(value)].find(isPattern)
}

/** `\:` and `\@` mean `:` and `@` without the flag, and nothing with it. */
function withoutNeedlessEscapes(pattern: string): string {
  return pattern.replace(/\\(.)/gsu, (escaped, character: string) =>
    /[A-Za-z0-9^$\\.*+?()[\]{}|/-]/.test(character) ? escaped : character,
  )
}

function isPattern(value: string): boolean {
  try {
    return new RegExp(value, 'u') !== undefined
  } catch {
    return false
  }
}
