import type { ValidationSchema } from './validation-schema.ts'

/** Whether a value conforms. Throws `TooCostly` when finding out would cost too much. */
export type Check = (value: unknown) => boolean

/** What a JSON Schema validation library does for us; `#json-validator` picks the one for the runtime. */
export interface JsonValidator {
  compile(schema: ValidationSchema): Check
  matchesFormat(format: string, text: string): boolean
}

let loaded: JsonValidator | undefined
let loading: Promise<JsonValidator> | undefined

/** The validator when some validation has loaded it already. */
export function loadedValidator(): JsonValidator | undefined {
  return loaded
}

/** Loads the validator at first use: importing a server or client loads no schema library. */
export function loadValidator(): Promise<JsonValidator> {
  loading ??= import('#json-validator').then((module) => {
    loaded = module.jsonValidator
    return loaded
  })
  return loading
}
