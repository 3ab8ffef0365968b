import type { CheckedSchema } from './check-schema.ts'
import type { Validation } from './issues.ts'

type JsonValidation = typeof import('./json-validation.ts')

let loaded: JsonValidation | undefined

/** The validation of a JSON Schema, made at its first use. `check` throws when the schema is unusable. */
export function compileJsonSchema(
  check: () => CheckedSchema,
): (value: unknown) => Validation | Promise<Validation> {
  let validate: ((value: unknown) => Validation) | undefined
  const run = (value: unknown, { createJsonValidation }: JsonValidation): Validation => {
    validate ??= createJsonValidation(check)
    return validate(value)
  }
  return (value) => {
    if (validate !== undefined) return validate(value)
    return loaded === undefined ? load().then((module) => run(value, module)) : run(value, loaded)
  }
}

/** Importing a server or client loads no validator: the first validation does, and whatever explains its issues. */
async function load(): Promise<JsonValidation> {
  loaded = await import('./json-validation.ts')
  return loaded
}
