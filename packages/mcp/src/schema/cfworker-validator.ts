import { dereference, format, validate, type Schema } from '@cfworker/json-schema'
import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import type { Check, JsonValidator } from './json-validator.ts'
import { subschemasOf } from './keywords.ts'
import { MAX_INTERPRETED_REFERENCE_STEPS } from './limits.ts'
import { checkPattern } from './pattern/check-pattern.ts'
import { createMatcher, type Matcher } from './pattern/create-matcher.ts'
import { TooCostly } from './too-costly.ts'
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

/**
 * The interpreter runs `pattern` with the platform's backtracking engine and has no option for another. It looks
 * formats up in a table, so an expression that may backtrack becomes a format that stands for it.
 */
function routePatterns(schema: JsonObject): void {
  if (typeof schema.pattern === 'string' && checkPattern(schema.pattern) !== 'plain') {
    teachPatternFormats()
    const { pattern, allOf } = schema
    delete schema.pattern
    schema.allOf = [...((allOf as unknown[] | undefined) ?? []), { format: PATTERN_FORMAT + pattern }]
  }
  for (const pattern of Object.keys((schema.patternProperties as object | undefined) ?? {})) {
    if (checkPattern(pattern) !== 'plain') {
      throw new TooCostly(
        `the expression ${JSON.stringify(pattern)} in "patternProperties" may take too long here`,
      )
    }
  }
  for (const { value } of subschemasOf(schema, '2020-12')) if (isJsonObject(value)) routePatterns(value)
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
