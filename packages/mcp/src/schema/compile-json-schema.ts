import type { CheckedSchema } from './check-schema.ts'
import type { Validation } from './issues.ts'
import type { Check } from './json-validator.ts'
import { createQuickCheck } from './quick-check.ts'
import { toValidationSchema } from './validation-schema.ts'

type JsonValidation = typeof import('./json-validation.ts')

let loaded: JsonValidation | undefined

/**
 * The validation of a JSON Schema, made at its first use. `check` throws when the schema is unusable. The quick
 * check comes first; from the first value on that it is not sure of, the validator has its say alone.
 */
export function compileJsonSchema(
  check: () => CheckedSchema,
): (value: unknown) => Validation | Promise<Validation> {
  let conforms: Check | undefined
  let validate: ((value: unknown) => Validation) | undefined
  const run = (value: unknown, { createJsonValidation }: JsonValidation): Validation => {
    validate ??= createJsonValidation(check)
    return validate(value)
  }
  return (value) => {
    if (validate !== undefined) return validate(value)
    conforms ??= quickCheck(check)
    if (conforms(value)) return { ok: true, value }
    return loaded === undefined ? load().then((module) => run(value, module)) : run(value, loaded)
  }
}

function quickCheck(check: () => CheckedSchema): Check {
  try {
    return createQuickCheck(toValidationSchema(check())) ?? (() => false)
  } catch {
    // The validation finds the same fault, and says it.
    return () => false
  }
}

/** Importing a server or client loads no validator: the first validation does, and whatever explains its issues. */
async function load(): Promise<JsonValidation> {
  loaded = await import('./json-validation.ts')
  return loaded
}
