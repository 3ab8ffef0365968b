import type { ValidationSchema } from './validation-schema.ts'

/** Whether a value conforms. Throws `TooCostly` when finding out would cost too much. */
export type Check = (value: unknown) => boolean

/** The interface of a JSON Schema validation library; `#json-validator` picks the one for the runtime. */
export interface JsonValidator {
  compile(schema: ValidationSchema): Check
  matchesFormat(format: string, text: string): boolean
}
