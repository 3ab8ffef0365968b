import { dereference, format, validate, type Schema } from '@cfworker/json-schema'
import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import type { Check, JsonValidator } from './json-validator.ts'
import { subschemasOf } from './keywords.ts'
import { MAX_INTERPRETED_NAME, MAX_INTERPRETED_REFERENCE_STEPS, TooCostly } from './limits.ts'
import { checkPattern } from './pattern/check-pattern.ts'
import { createMatcher, type Matcher } from './pattern/create-matcher.ts'
import type { ValidationSchema } from './validation-schema.ts'

// An interpreter: for runtimes that forbid `eval`, and for schemas too large to be worth compiling.

export const jsonValidator: JsonValidator = { compile, matchesFormat }

function compile({ schema, costs }: ValidationSchema): Check {
  if (typeof schema === 'boolean') return () => schema
  // The interpreter leaves marks on the schema, so it gets a copy.
  const own = structuredClone(schema)
  routePatterns(own)
  const definitions = dereference(own as Schema)
  const copies = own.$defs as Record<string, Schema> | undefined
  const costOf = new Map(Object.entries(costs).map(([name, cost]) => [copies?.[name], cost]))
  let stepsLeft = 0
  // The interpreter looks a definition up each time it enters it, and this is the only place to count that.
  const lookup = new Proxy(definitions, {
    get(target, uri) {
      const definition = target[uri as string]
      stepsLeft -= costOf.get(definition as Schema) ?? 1
      if (stepsLeft < 0) throw new TooCostly('the schema refers to itself too many times for this value')
      return definition
    },
  })
  return (value) => {
    stepsLeft = MAX_INTERPRETED_REFERENCE_STEPS
    return validate(value, own as Schema, '2020-12', lookup).valid
  }
}

function matchesFormat(name: string, text: string): boolean {
  return format[name]?.(text) ?? true
}

const PATTERN_FORMAT = 'x-pattern:'

/** Turns patterns that may backtrack into formats, because the interpreter has no option for an engine. */
function routePatterns(schema: JsonObject): void {
  const below = [...subschemasOf(schema, '2020-12')]
  if (typeof schema.pattern === 'string' && checkPattern(schema.pattern) !== 'plain') {
    teachPatternFormats()
    const { pattern } = schema
    delete schema.pattern
    addTo(schema, { format: PATTERN_FORMAT + pattern })
  }
  const kinds = Object.keys((schema.patternProperties as object | undefined) ?? {}).map(checkPattern)
  if (kinds.some((kind) => kind !== 'plain' && kind !== 'quadratic')) {
    throw new TooCostly('an expression in "patternProperties" may take too long here')
  }
  if (kinds.includes('quadratic')) limitNames(schema)
  for (const { value } of below) if (isJsonObject(value)) routePatterns(value)
}

/** Lets the properties be looked at only when all their names are short. */
function limitNames(schema: JsonObject): void {
  const { properties, patternProperties, additionalProperties } = schema
  const guarded = { properties, patternProperties, additionalProperties }
  for (const [keyword, value] of Object.entries(guarded)) {
    if (value === undefined) delete guarded[keyword as keyof typeof guarded]
    delete schema[keyword]
  }
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword
  addTo(schema, { if: { propertyNames: { maxLength: MAX_INTERPRETED_NAME } }, then: guarded, else: false })
}

function addTo(schema: JsonObject, part: JsonObject): void {
  schema.allOf = [...((schema.allOf as unknown[] | undefined) ?? []), part]
}

const MAX_CACHED_MATCHERS = 200
const matchers = new Map<string, Matcher | undefined>()
let isTaught = false

/** Behind the format table: names that stand for expressions are made on demand, so that none pile up in it. */
function teachPatternFormats(): void {
  if (isTaught) return
  isTaught = true
  const demanded = new Proxy({}, { get: (_, name) => patternFormat(name) })
  Object.setPrototypeOf(format, demanded)
}

function patternFormat(name: string | symbol): ((text: string) => boolean) | undefined {
  if (typeof name !== 'string' || !name.startsWith(PATTERN_FORMAT)) return undefined
  const pattern = name.slice(PATTERN_FORMAT.length)
  let matcher = matchers.get(pattern)
  if (matcher === undefined) {
    matcher = createMatcher(pattern)
    if (matchers.size >= MAX_CACHED_MATCHERS) matchers.delete(matchers.keys().next().value!)
    matchers.set(pattern, matcher)
  }
  return (text) => matcher?.test(text) ?? false
}
