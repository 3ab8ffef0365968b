import { isJsonObject } from '../jsonrpc/index.ts'
import { shapeOf, type Dialect, type Shape } from './keywords.ts'
import { MAX_PATTERN_LENGTH } from './limits.ts'
import { checkPattern, toUnicodePattern } from './pattern/check-pattern.ts'

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])

/** Says what is wrong with a keyword's value, or nothing. Subschemas inside the value are not looked into. */
export function keywordProblem(
  keyword: string,
  value: unknown,
  dialect: Dialect,
  isLenient: boolean,
): string | undefined {
  const shape = shapeOf(keyword, dialect)
  const problem = shape === undefined ? undefined : CHECKS[shape](value, isLenient)
  return problem === undefined ? undefined : `"${keyword}" ${problem}`
}

const CHECKS: Record<Shape, (value: unknown, isLenient: boolean) => string | undefined> = {
  schema: (value) => (isSchema(value) ? undefined : 'must be a schema: an object or a boolean'),
  'schema-list': schemaListProblem,
  'schema-map': schemaMapProblem,
  items: (value) => (Array.isArray(value) ? schemaListProblem(value) : CHECKS.schema(value, true)),
  dependencies: (value) =>
    isJsonObject(value) && Object.values(value).every((member) => isSchema(member) || isStringList(member))
      ? undefined
      : 'must map property names to schemas or to lists of property names',
  type: typeProblem,
  enum: (value) =>
    Array.isArray(value) && value.length > 0 ? undefined : 'must be a list of at least one value',
  pattern: patternProblem,
  'pattern-map': (value, isLenient) =>
    schemaMapProblem(value) ?? anyPatternProblem(value as object, isLenient),
  string: (value) => (typeof value === 'string' ? undefined : 'must be a string'),
  boolean: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  number: (value) => (typeof value === 'number' ? undefined : 'must be a number'),
  positive: (value) => (typeof value === 'number' && value > 0 ? undefined : 'must be a number above 0'),
  count: (value) =>
    Number.isInteger(value) && (value as number) >= 0 ? undefined : 'must be an integer from 0 up',
  'string-list': (value) => (isStringList(value) ? undefined : 'must be a list of property names'),
  'string-list-map': (value) =>
    isJsonObject(value) && Object.values(value).every(isStringList)
      ? undefined
      : 'must map property names to lists of property names',
}

export function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || isJsonObject(value)
}

function isStringList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function schemaListProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return 'must be a list of at least one schema'
  return value.every(isSchema) ? undefined : 'must hold only schemas: objects or booleans'
}

function schemaMapProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'must map names to schemas'
  const wrong = Object.keys(value).find((name) => !isSchema(value[name]))
  return wrong === undefined ? undefined : `has "${wrong}", which is not a schema: an object or a boolean`
}

function typeProblem(value: unknown): string | undefined {
  const names = Array.isArray(value) ? value : [value]
  if (names.length === 0) return 'must name at least one type'
  const wrong = names.find((name) => typeof name !== 'string' || !TYPES.has(name))
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is not one of ${[...TYPES].join(', ')}`
}

function anyPatternProblem(map: object, isLenient: boolean): string | undefined {
  for (const pattern of Object.keys(map)) {
    const problem = patternProblem(pattern, isLenient)
    if (problem !== undefined) return problem
  }
  return undefined
}

function patternProblem(value: unknown, isLenient: boolean): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  if (value.length > MAX_PATTERN_LENGTH) return `is longer than ${MAX_PATTERN_LENGTH} characters`
  const pattern = toUnicodePattern(value)
  if (pattern === undefined) return `${JSON.stringify(value)} is not a regular expression (with the u flag)`
  const kind = checkPattern(pattern)
  if (kind === undefined) return `${JSON.stringify(value)} cannot be matched in bounded time`
  // A peer's expression is then matched as far as an automaton can; an author had better say what is enforced.
  if (kind === 'partial' && !isLenient) {
    return `${JSON.stringify(value)} has a back reference or look-behind, which cannot be matched in bounded time`
  }
  return undefined
}
