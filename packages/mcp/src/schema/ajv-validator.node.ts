import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { jsonValidator as interpreter } from './cfworker-validator.ts'
import { MAX_COMPILED_PARTS, MAX_REFERENCE_STEPS, TooCostly } from './limits.ts'
import type { Check, JsonValidator } from './json-validator.ts'
import { createMatcher } from './pattern/create-matcher.ts'
import type { ValidationSchema } from './validation-schema.ts'

// Ajv compiles schemas to functions: the fastest check, but it needs `eval`, which edges forbid.

const OPTIONS: Options = {
  // The schema has been checked by hand and holds only what `ValidationSchema` allows.
  strict: false,
  validateSchema: false,
  meta: false,
  addUsedSchema: false,
  logger: false,
  // `{}` has no member "constructor", whatever its prototype has.
  ownProperties: true,
  // Inlining copies a definition to every place that refers to it; a hostile schema makes that explode.
  inlineRefs: false,
  // 0.3 is a multiple of 0.1, though not in binary fractions.
  multipleOfPrecision: 9,
  code: { regExp: Object.assign(regExp, { code: 'createMatcher' }) },
}

export const jsonValidator: JsonValidator = { compile, matchesFormat }

/** Every schema gets its own Ajv: a shared Ajv would leak memory, and mix the definitions of peers. */
function compile(schema: ValidationSchema): Check {
  if (schema.size > MAX_COMPILED_PARTS || isMisread(schema)) return interpreter.compile(schema)
  try {
    return compileToFunction(schema)
  } catch (thrown) {
    // The code of an object's properties is nested; on a stack that is half used up already, many overflow it.
    if (thrown instanceof RangeError) return interpreter.compile(schema)
    throw thrown
  }
}

/** Ajv does not see what `contains`, or an `if` without `then`, has evaluated (JSON Schema test suite). */
function isMisread({ keywords }: ValidationSchema): boolean {
  return keywords.has('unevaluatedItems') || (keywords.has('unevaluatedProperties') && keywords.has('if'))
}

function compileToFunction({ schema, costs, keywords }: ValidationSchema): Check {
  const ajv = new Ajv2020(OPTIONS)
  // Only where a keyword needs it: tracking is slower, and can name a variable that it never declared.
  ajv.opts.unevaluated = keywords.has('unevaluatedProperties')
  ajvFormats.default(ajv)
  if (Object.keys(costs).length === 0 || typeof schema === 'boolean') {
    const validate = ajv.compile(schema)
    return (value) => validate(value)
  }
  let stepsLeft = 0
  ajv.addKeyword({
    keyword: 'x-cost',
    before: '$ref',
    errors: false,
    validate: (cost: number) => {
      stepsLeft -= cost
      if (stepsLeft < 0) throw new TooCostly('the schema refers to itself too many times for this value')
      return true
    },
  })
  const validate = ajv.compile({ ...schema, $defs: withCosts(schema.$defs as object, costs) })
  return (value) => {
    stepsLeft = MAX_REFERENCE_STEPS
    return validate(value)
  }
}

function withCosts(definitions: object, costs: Readonly<Record<string, number>>): object {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [name, { ...schema, 'x-cost': costs[name] }]),
  )
}

/** Ajv tells expressions apart by their text. */
function regExp(pattern: string): { test(text: string): boolean; toString(): string } {
  const matcher = createMatcher(pattern)
  if (matcher === undefined) throw new Error(`cannot match ${pattern} in bounded time`)
  return { test: (text) => matcher.test(text), toString: () => `/${pattern}/u` }
}

function matchesFormat(format: string, text: string): boolean {
  const definition = ajvFormats.default.get(format as Parameters<typeof ajvFormats.default.get>[0])
  if (typeof definition === 'function') return definition(text) === true
  if (definition instanceof RegExp) return definition.test(text)
  const test = typeof definition === 'object' && 'validate' in definition ? definition.validate : undefined
  if (test instanceof RegExp) return test.test(text)
  return typeof test === 'function' ? (test as (text: string) => unknown)(text) === true : true
}
