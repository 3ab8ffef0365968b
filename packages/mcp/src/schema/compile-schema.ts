import { isJsonObject, McpError, type JsonObject, withPlainNumbers } from '../jsonrpc/index.ts'
import type { JsonSchema } from '../protocol/index.ts'
import { checkSchema, type CheckedSchema } from './check-schema.ts'
import { compileJsonSchema } from './compile-json-schema.ts'
import { copySchema } from './copy-schema.ts'
import type { InferOutput } from './infer.ts'
import type { Validation } from './issues.ts'
import { schemaError } from './schema-error.ts'
import { fromStandardIssues } from './standard-issues.ts'
import { isStandardSchema, type Schema, type StandardResult, type StandardSchema } from './standard-schema.ts'
import { toJsonSchema } from './to-json-schema.ts'

export interface CompiledSchema<Value = unknown> {
  /** What goes onto the wire. Made once; not to be changed. */
  readonly jsonSchema: JsonSchema
  /** Why values cannot be checked by a foreign schema; every validation then fails with it. */
  readonly problem?: string | undefined
  /**
   * Checks a value. Plain JSON Schema answers at once, but with a promise while a validator loads, which the first
   * value wants that does not conform or has an unusual schema; a library's schema does as the library does.
   */
  validate(value: unknown): Validation<Value> | Promise<Validation<Value>>
}

export interface CompileOptions {
  /** Which side of a transforming schema is written as JSON Schema. */
  io: 'input' | 'output'
  /** `object`: the schema must describe an object, and gets `type: 'object'` when it says nothing. */
  root?: 'object' | 'any'
  /**
   * `own` (default): a faulty schema throws `invalid_definition` here. `foreign`: a peer's JSON Schema, which is
   * kept as it is, looked into at the first validation, and never throws: a fault makes validation fail.
   */
  trust?: 'own' | 'foreign'
}

/**
 * Prepares a schema for listing and validation. By default input schemas must describe objects, and output
 * schemas may describe anything (MCP 2026-07-28, tools).
 *
 * @example
 * ```ts
 * const compiled = compileSchema(z.object({ id: z.string() }), { io: 'input' })
 * const checked = await compiled.validate({ id: 7 })
 * if (!checked.ok) console.error(describeIssues(checked.issues))
 * ```
 */
export function compileSchema<S extends Schema>(
  schema: S,
  options: CompileOptions,
): CompiledSchema<InferOutput<S>> {
  const compiled = isStandardSchema(schema) ? compileStandard(schema, options) : compilePlain(schema, options)
  return compiled as CompiledSchema<InferOutput<S>>
}

function compileStandard(schema: StandardSchema, options: CompileOptions): CompiledSchema {
  const jsonSchema = withRoot(toJsonSchema(schema, options.io), options)
  const toValidation = (result: StandardResult<unknown>, value: unknown): Validation =>
    result.issues === undefined
      ? { ok: true, value: result.value }
      : { ok: false, issues: fromStandardIssues(result.issues, value, jsonSchema) }
  const { validate } = schema['~standard']
  return {
    jsonSchema,
    validate(value) {
      const result = validate(value)
      // By its method, not its class: a promise of another realm must not pass for a result without issues.
      return 'then' in result
        ? Promise.resolve(result).then((later) => toValidation(later, value))
        : toValidation(result, value)
    },
  }
}

function compilePlain(schema: object, options: CompileOptions): CompiledSchema {
  if (!isJsonObject(schema))
    throw schemaError('', `expected a schema, got ${schema === null ? 'null' : typeof schema}`)
  if (options.trust === 'foreign') return compileForeign(schema)
  const jsonSchema = withRoot(copySchema(schema), options)
  const checked = checkSchema(jsonSchema)
  return { jsonSchema, validate: compileJsonSchema(() => checked) }
}

/** Most of a peer's schemas are never validated against, so the work waits for the first that is. */
function compileForeign(schema: JsonObject): CompiledSchema {
  let outcome: CheckedSchema | McpError | undefined
  const check = (): CheckedSchema => {
    outcome ??= checkOrError(schema)
    if (outcome instanceof McpError) throw outcome
    return outcome
  }
  return {
    jsonSchema: schema,
    get problem() {
      outcome ??= checkOrError(schema)
      return outcome instanceof McpError ? outcome.message : undefined
    },
    validate: compileJsonSchema(check),
  }
}

function checkOrError(schema: JsonObject): CheckedSchema | McpError {
  try {
    return checkSchema(copySchema(withPlainNumbers(schema)), { lenient: true })
  } catch (thrown) {
    return McpError.from(thrown, 'invalid_definition')
  }
}

function withRoot(
  schema: JsonObject,
  { io, root = io === 'input' ? 'object' : 'any' }: CompileOptions,
): JsonObject {
  if (root === 'any' || schema.type === 'object') return schema
  if (schema.type === undefined) return { type: 'object', ...schema }
  throw schemaError('', `an ${io} schema must have the type "object", not ${JSON.stringify(schema.type)}`)
}
