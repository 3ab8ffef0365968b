import { readFileSync } from 'node:fs'
import type { Validator } from '@cfworker/json-schema'
import type { ErrorObject, ValidateFunction } from 'ajv'

export type JsonSchema = { readonly [keyword: string]: unknown }

/** Where the published schema is, in the sources as in the package. */
export const schemaFile: URL = new URL('../../../schema/gantry.schema.json', import.meta.url)

let schema: JsonSchema | undefined
let gate: Validator | undefined
let explainer: ValidateFunction | undefined

export function readSchema(): JsonSchema {
  schema ??= JSON.parse(readFileSync(schemaFile, 'utf8')) as JsonSchema
  return schema
}

/**
 * All violations; empty when the value fits. Nearly all configurations are valid, and Ajv needs several times the time
 * and memory of the rest of loading to get ready. So an interpreting validator decides, and only if it refuses, Ajv is
 * asked for the reasons. A test checks that the two agree.
 */
export async function checkAgainstSchema(value: unknown): Promise<ErrorObject[]> {
  gate ??= await createGate()
  if (gate.validate(value).valid) return []
  explainer ??= await createExplainer()
  return explainer(value) ? [] : [...(explainer.errors ?? [])]
}

async function createGate(): Promise<Validator> {
  const { Validator } = await import('@cfworker/json-schema')
  return new Validator(readSchema(), '2020-12', true)
}

async function createExplainer(): Promise<ValidateFunction> {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  // The schema is good (a test checks that) and used once: compiling it plainly takes a third of the time.
  const quick = { validateSchema: false, meta: false, inlineRefs: false, code: { optimize: false } } as const
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false, ...quick })
  // An annotation that Visual Studio Code reads too: what to say instead of "must match a schema in anyOf".
  ajv.addKeyword({ keyword: 'errorMessage', schemaType: 'string' })
  return ajv.compile(readSchema())
}
