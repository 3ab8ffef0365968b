import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { withPlainNumbers } from '@gantry/mcp/exchange'
import type { JsonSchema } from '@gantry/mcp/server'

// The same validator, with the same formats, that the clients in use have: what passes here passes there.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, logger: false })
formats.default(ajv)

const MOST_PROBLEMS = 10
const compiled = new WeakMap<JsonSchema, ValidateFunction | 'unusable'>()

/** The faults of a value, a sentence for each field; empty for a good value. Schemas are compiled once. */
export function checkValue(schema: JsonSchema, value: unknown): string[] {
  let validate = compiled.get(schema)
  if (validate === undefined) {
    validate = compile(schema)
    compiled.set(schema, validate)
  }
  if (validate === 'unusable') return []
  try {
    // The validator knows doubles only.
    if (validate(withPlainNumbers(value))) return []
  } catch {
    // A recursive schema meets a value deeper than the stack.
    return ['the value is nested too deeply']
  }
  const problems = [...new Set((validate.errors ?? []).map(describe))]
  const more = problems.length - MOST_PROBLEMS
  return more > 0 ? [...problems.slice(0, MOST_PROBLEMS), `and ${more} more`] : problems
}

/** A schema that cannot be compiled cannot be checked; the API has the last word then. */
function compile(schema: JsonSchema): ValidateFunction | 'unusable' {
  try {
    return ajv.compile(schema)
  } catch {
    return 'unusable'
  } finally {
    // Its own cache would keep every schema of every reload alive.
    ajv.removeSchema(schema)
  }
}

function describe(error: ErrorObject): string {
  const { keyword, params } = error
  const place = error.instancePath.slice(1).replaceAll('/', '.')
  const member = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty
  const field = [place, member].filter((part) => part !== undefined && part !== '').join('.')
  const name = field === '' ? 'the value' : JSON.stringify(field)
  if (keyword === 'required') return `${name} is missing`
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return `${name} is not known`
  if (keyword === 'enum') return `${name} must be one of ${list(params.allowedValues)}`
  if (keyword === 'const') return `${name} must be ${JSON.stringify(params.allowedValue)}`
  return `${name} ${error.message ?? 'is invalid'}`
}

function list(values: unknown): string {
  if (!Array.isArray(values)) return 'the allowed values'
  const shown = values.slice(0, 20).map((value) => JSON.stringify(value))
  return shown.join(', ') + (values.length > 20 ? ', …' : '')
}
