export { applyDefaults } from './apply-defaults.ts'
export { compileSchema, type CompiledSchema, type CompileOptions } from './compile-schema.ts'
export { elicitationSchema, type ElicitationSchema } from './elicitation-schema.ts'
export { headerParameters, type HeaderParameter, type HeaderParameters } from './header-parameters.ts'
export type { InferInput, InferOutput } from './infer.ts'
export { describeIssues, type Issue, type Validation } from './issues.ts'
export {
  isStandardSchema,
  type Schema,
  type StandardIssue,
  type StandardJsonSchema,
  type StandardProps,
  type StandardResult,
  type StandardSchema,
  type TypedSchema,
} from './standard-schema.ts'
