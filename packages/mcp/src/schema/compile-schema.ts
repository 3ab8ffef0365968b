import { isJsonObject, McpError, type JsonObject, withPlainNumbers } from '../jsonrpc/index.ts'
import type { JsonSchema } from '../protocol/index.ts'
import { checkSchema, type CheckedSchema } from './check-schema.ts'
import { copySchema } from './copy-schema.ts'
import type { InferOutput } from './infer.ts'
import { type Validation, formatPath, type Issue } from './issues.ts'
import { schemaError } from './schema-error.ts'
import {
  isStandardSchema,
  type Schema,
  type StandardResult,
  type StandardSchema,
  type StandardIssue,
} from './standard-schema.ts'
import { toJsonSchema } from './to-json-schema.ts'
import type { Check } from './json-validator.ts'
import { createQuickCheck } from './quick-check.ts'
import { toValidationSchema } from './validation-schema.ts'
import { MAX_ISSUES } from './limits.ts'

export interface CompiledSchema<Value = unknown> {
  /** The JSON Schema for the wire. It is made once and must not be changed. */
  readonly jsonSchema: JsonSchema
  /** Why values cannot be checked by a foreign schema; every validation then fails with it. */
  readonly problem?: string | undefined
  /** Checks a value: at once for plain JSON Schema, by promise while a validator loads. */
  validate(value: unknown): Validation<Value> | Promise<Validation<Value>>
}

export interface CompileOptions {
  /** Which side of a transforming schema is written as JSON Schema. */
  io: 'input' | 'output'
  /** `object`: the schema must describe an object, and gets `type: 'object'` when it says nothing. */
  root?: 'object' | 'any'
  /** `own` (default): a faulty schema throws here. `foreign`: it never throws, and validation fails. */
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

type JsonValidation = typeof import('./json-validation.ts')

let loaded: JsonValidation | undefined

/** Validates with a quick check, and from the first doubtful value on with the loaded validator. */
function compileJsonSchema(check: () => CheckedSchema): (value: unknown) => Validation | Promise<Validation> {
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

/** A library's issues in our form; fields that are required and absent are called so, whatever the library says. */
function fromStandardIssues(
  issues: readonly StandardIssue[],
  value: unknown,
  jsonSchema: JsonSchema,
): Issue[] {
  return issues.slice(0, MAX_ISSUES).map(({ path = [], message }) => {
    const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment))
    const place = formatPath(keys)
    return { path: place, message: isMissing(keys, value, jsonSchema) ? 'is required' : tidy(message, place) }
  })
}

/** True when the path leads through `properties` to a required field that the value does not have. */
function isMissing(keys: readonly PropertyKey[], value: unknown, jsonSchema: JsonSchema): boolean {
  let holder: unknown = value
  let schema: unknown = jsonSchema
  for (const [index, key] of keys.entries()) {
    if (!isJsonObject(schema)) return false
    if (typeof key === 'number' && Array.isArray(holder)) {
      holder = holder[key]
      schema = schema.items
      continue
    }
    if (typeof key !== 'string' || !isJsonObject(holder)) return false
    if (index === keys.length - 1) {
      return !Object.hasOwn(holder, key) && Array.isArray(schema.required) && schema.required.includes(key)
    }
    holder = Object.hasOwn(holder, key) ? holder[key] : undefined
    schema =
      isJsonObject(schema.properties) && Object.hasOwn(schema.properties, key)
        ? schema.properties[key]
        : undefined
  }
  return false
}

/** Drops what only repeats: ArkType begins with the path, zod with "Invalid input". */
function tidy(message: string, place: string): string {
  const text = place !== '' && message.startsWith(`${place} `) ? message.slice(place.length + 1) : message
  return text
    .replace(/^Invalid (?:input|type|option): (?=[Ee]xpected)/, '')
    .replace(/^Expected /, 'expected ')
}
