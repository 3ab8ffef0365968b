import { type FormsOf, requireKnownOptions } from '@gantry/mcp/exchange'
import type { Text } from '../../model/index.ts'
import type { Duration, JsonObject } from '@gantry/mcp/server'

/**
 * How a description becomes a target. Everything but `document` may be left out. The names are those of the
 * configuration's `openapi` settings.
 */
export interface OpenApiTargetOptions extends OperationSelection {
  /** Path or URL of the description, or the description itself. */
  document: string | URL | JsonObject
  /** Sent when the description is fetched from a URL; never sent to the API. */
  documentHeaders?: Readonly<Record<string, Text>> | undefined
  /** The target's own name; taken from `info.title` otherwise. */
  name?: string | undefined
  /** The instructions for models, instead of the start of `info.description`. */
  instructions?: string | undefined
  /** Instead of every `servers` in the description; also pins where credentials may go. */
  baseUrl?: string | undefined
  /** Hosts that the description or a redirect may name although their addresses are private. */
  trustedHosts?: readonly string[] | undefined
  /** Values for variables in server URLs. */
  serverVariables?: Readonly<Record<string, string>> | undefined
  /** One tool per operation (`none`), per tag, or per first path segment. */
  group?: 'none' | 'tag' | 'path' | undefined
  /** Hand-made groups: tool name → operation patterns. */
  groups?: Readonly<Record<string, readonly string[]>> | undefined
  auth?: OpenApiAuth | undefined
  /** Sent with every request. */
  headers?: Readonly<Record<string, Text>> | undefined
  /** Names of the client's own headers that travel on to the API. Nothing else does. */
  forwardHeaders?: readonly string[] | undefined
  /** For one call, redirects and body included. */
  timeout?: Duration | undefined
  /** `same-origin` follows up to five redirects that stay on the API's origin. */
  redirects?: 'none' | 'same-origin' | 'any' | undefined
  /** Answers larger than this are not read to the end. */
  maxResponseBytes?: number | undefined
  /** Files that `$ref` may read: those in the description's folder, or in this one. */
  referenceRoot?: string | undefined
  /** `outputSchema` as described, without what real answers often break, or not at all. */
  outputSchemas?: 'exact' | 'lenient' | 'none' | undefined
  /** Bytes for a tool's input schema, half for its output schema. Beyond that, details are left out. */
  maxSchemaBytes?: number | undefined
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch | undefined
}

const OPTIONS: FormsOf<OpenApiTargetOptions> = {
  document: 1,
  documentHeaders: 'an object',
  name: 'text',
  instructions: 'text',
  baseUrl: 'text',
  trustedHosts: 'a list',
  serverVariables: 'an object',
  group: ['none', 'tag', 'path'],
  groups: 'an object',
  auth: {
    bearer: 1,
    basic: { username: 1, password: 1 },
    apiKeys: 'a list',
    schemes: 'an object',
    clientCredentials: { tokenUrl: 1, clientId: 1, clientSecret: 1, scopes: 1 },
  },
  headers: 'an object',
  forwardHeaders: 'a list',
  timeout: 1,
  redirects: ['none', 'same-origin', 'any'],
  maxResponseBytes: 'a number',
  referenceRoot: 'text',
  outputSchemas: ['exact', 'lenient', 'none'],
  maxSchemaBytes: 'a number',
  fetch: 'a function',
  include: 'a list',
  exclude: 'a list',
  rename: 'an object',
  describe: 'an object',
}

/** With a misspelt `exclude`, a server would offer what it should not. */
export function requireOpenApiOptions(options: OpenApiTargetOptions): void {
  requireKnownOptions('target of an API', OPTIONS, options)
}

/** Patterns: `operationId`, `GET /pets/*`, `tag:NAME`. Keys of `rename` and `describe` are exact. */
export interface OperationSelection {
  include?: readonly string[] | undefined
  exclude?: readonly string[] | undefined
  rename?: Readonly<Record<string, string>> | undefined
  describe?: Readonly<Record<string, string>> | undefined
}

/** `schemes` is used where an operation asks for the scheme; the others go with every request. */
export interface OpenApiAuth {
  bearer?: Text | undefined
  basic?: { readonly username: Text; readonly password: Text } | undefined
  apiKeys?: readonly ApiKey[] | undefined
  schemes?: Readonly<Record<string, Text>> | undefined
  clientCredentials?: ClientCredentials | undefined
}

export interface ApiKey {
  readonly in: 'header' | 'query' | 'cookie'
  readonly name: string
  readonly value: Text
}

export interface ClientCredentials {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: Text
  readonly scopes?: readonly string[] | undefined
}
