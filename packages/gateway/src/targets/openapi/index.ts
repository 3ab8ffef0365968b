// The public entry `gantry/openapi`: an API as something that a server of `@gantry/mcp` can mount.
export { createOpenApiTarget as openApi, type OpenApiTarget } from './open-api-target.ts'
export type {
  ApiKey,
  ClientCredentials,
  OpenApiAuth,
  OpenApiTargetOptions as OpenApiOptions,
  OperationSelection,
} from './options.ts'
