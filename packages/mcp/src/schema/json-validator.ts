import type { ValidationSchema } from './validation-schema.ts'

/** Whether a value conforms. Throws `TooCostly` when finding out would cost too much. */
export type Check = (value: unknown) => boolean

/** What a JSON Schema validation library does for us; `#json-validator` picks the one for the runtime. */
export interface JsonValidator {
  compile(schema: ValidationSchema): Check
  matchesFormat(format: string, text: string): boolean
}
