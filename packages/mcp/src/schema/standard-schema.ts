import type { JsonSchema } from '../protocol/index.ts'

// Standard Schema v1 and its JSON Schema trait (standardschema.dev), copied as its authors advise.

/** A schema of any library that implements Standard Schema v1: zod, Valibot, ArkType and others. */
export interface StandardSchema<In = unknown, Out = In> {
  readonly '~standard': StandardProps<In, Out>
}

/** A {@link StandardSchema} by the types that it tells: cheaper for the compiler, which does not look at the rest. */
export interface TypedSchema<In = unknown, Out = In> {
  readonly '~standard': { readonly types?: { readonly input: In; readonly output: Out } | undefined }
}

export interface StandardProps<In = unknown, Out = In> {
  readonly version: 1
  /** The library's name, in lower case. */
  readonly vendor: string
  readonly validate: (value: unknown) => StandardResult<Out> | Promise<StandardResult<Out>>
  /** Exists for the type checker only. */
  readonly types?: { readonly input: In; readonly output: Out } | undefined
  /** The Standard JSON Schema trait; libraries add it one by one. */
  readonly jsonSchema?: StandardJsonSchema | undefined
}

export type StandardResult<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export interface StandardJsonSchema {
  readonly input: (options: { target: 'draft-2020-12' }) => JsonSchema
  readonly output: (options: { target: 'draft-2020-12' }) => JsonSchema
}

/** A {@link StandardSchema} or plain JSON Schema. `object`, as interfaces do not fit an index signature. */
export type Schema = object

/** True for schemas that carry `~standard`; ArkType's are functions, the others' are objects. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const standard = (value as Partial<StandardSchema>)['~standard']
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function'
}
