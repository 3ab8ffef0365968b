import type { CheckedSchema } from './check-schema.ts'
import { explain } from './explain.ts'
import type { Validation } from './issues.ts'
import { loadedValidator, loadValidator, type JsonValidator } from './json-validator.ts'
import { TooCostly } from './too-costly.ts'
import { toValidationSchema } from './validation-schema.ts'

type Validate = (value: unknown) => Validation

/** Makes the validation of a JSON Schema, compiled at its first use. `check` throws when the schema is unusable. */
export function compileJsonSchema(
  check: () => CheckedSchema,
): (value: unknown) => Validation | Promise<Validation> {
  let compiled: Validate | undefined
  return (value) => {
    if (compiled !== undefined) return compiled(value)
    const validator = loadedValidator()
    if (validator !== undefined) {
      compiled = compileWith(validator, check)
      return compiled(value)
    }
    return loadValidator().then((loaded) => {
      compiled ??= compileWith(loaded, check)
      return compiled(value)
    })
  }
}

/** The validation by a given library. */
export function compileWith(validator: JsonValidator, check: () => CheckedSchema): Validate {
  try {
    const schema = toValidationSchema(check())
    const conforms = validator.compile(schema)
    return (value) => {
      try {
        if (conforms(value)) return { ok: true, value }
      } catch (thrown) {
        return refusal(thrown)
      }
      return { ok: false, issues: explain(schema, value, validator.matchesFormat) }
    }
  } catch (thrown) {
    const result = refusal(thrown, 'cannot be checked: ')
    return () => result
  }
}

/** What cannot be checked does not pass. */
function refusal(thrown: unknown, prefix = ''): Validation {
  if (thrown instanceof TooCostly) return fail(`cannot be checked: ${thrown.message}`)
  if (thrown instanceof RangeError) return fail('cannot be checked: nested too deeply')
  return fail(`${prefix}${thrown instanceof Error ? thrown.message : String(thrown)}`)
}

function fail(message: string): Validation {
  return { ok: false, issues: [{ path: '', message }] }
}
