import { readFileSync } from 'node:fs'
import type { ErrorObject, ValidateFunction } from 'ajv'

export type JsonSchema = { readonly [keyword: string]: unknown }

/** Where the published schema is, in the sources as in the package. */
export const schemaFile: URL = new URL('../../schema/gantry.schema.json', import.meta.url)

let schema: JsonSchema | undefined
let validator: ValidateFunction | undefined

export function readSchema(): JsonSchema {
  schema ??= JSON.parse(readFileSync(schemaFile, 'utf8')) as JsonSchema
  return schema
}

/** Every violation at once; empty when the value fits. */
export async function checkAgainstSchema(value: unknown): Promise<ErrorObject[]> {
  validator ??= await compile()
  return validator(value) ? [] : (validator.errors ?? [])
}

async function compile(): Promise<ValidateFunction> {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  // The schema is known to be good (a test sees to it) and used once: not checking, inlining and optimising it
  // takes a third of the time, which is spent before the gateway can listen.
  const quick = { validateSchema: false, meta: false, inlineRefs: false, code: { optimize: false } } as const
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false, ...quick })
  // An annotation that Visual Studio Code reads too: what to say instead of "must match a schema in anyOf".
  ajv.addKeyword({ keyword: 'errorMessage', schemaType: 'string' })
  return ajv.compile(readSchema())
}
