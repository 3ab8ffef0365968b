export { createOpenApiTarget, type OpenApiTarget } from './open-api-target.ts'
export type {
  ApiKey,
  ClientCredentials,
  OpenApiAuth,
  OpenApiTargetOptions,
  OperationSelection,
} from './options.ts'
export { fromModel } from './from-model.ts'
