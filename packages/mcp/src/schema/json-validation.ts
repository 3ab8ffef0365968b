import { jsonValidator } from '#json-validator'
import { withPlainNumbers } from '../jsonrpc/index.ts'
import type { CheckedSchema } from './check-schema.ts'
import { explain } from './explain.ts'
import type { Validation } from './issues.ts'
import type { JsonValidator } from './json-validator.ts'
import { TooCostly } from './limits.ts'
import { toValidationSchema } from './validation-schema.ts'

/** Makes the validation of a JSON Schema; an unusable schema fails it. Loaded at the first validation. */
export function createJsonValidation(
  check: () => CheckedSchema,
  validator: JsonValidator = jsonValidator,
): (value: unknown) => Validation {
  try {
    const schema = toValidationSchema(check())
    const conforms = validator.compile(schema)
    return (value) => {
      try {
        if (conforms(value)) return { ok: true, value }
        // Validators know doubles only: exact numbers are checked as those.
        const plain = withPlainNumbers(value)
        if (plain !== value && conforms(plain)) return { ok: true, value }
        return { ok: false, issues: explain(schema, plain, validator.matchesFormat) }
      } catch (thrown) {
        return refusal(thrown)
      }
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
