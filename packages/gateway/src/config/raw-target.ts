import type { Quantity, RawTexts } from './raw-values.ts'

export interface RawCredentials {
  kind: 'user' | 'exchange'
  by?: 'token' | 'id-jag'
  subject?: 'access-token' | 'id-token'
  env?: Record<string, string>
  headers?: Record<string, string>
  tokenUrl?: string
  clientId?: string
  clientSecret?: string
  audience?: string
  scopes?: string[]
}

export interface RawTargetDefaults {
  isolation?: 'shared' | 'user' | 'session' | 'call'
  maxInstances?: number
  start?: 'eager' | 'lazy'
  idleStop?: Quantity | false
  timeouts?: { start?: Quantity; install?: Quantity; idle?: Quantity; request?: Quantity }
  concurrency?: number
  queue?: number
  era?: 'auto' | 'modern' | 'legacy'
  tasks?: 'wait' | 'refuse'
  restart?: {
    policy?: 'always' | 'on-demand' | 'never'
    minDelay?: Quantity
    maxDelay?: Quantity
    quarantineAfter?: number
    quarantineFor?: Quantity
  }
  health?: { interval?: Quantity | false; timeout?: Quantity; failures?: number }
  forwardHeaders?: string[]
}

export interface RawSelection {
  include?: string[]
  exclude?: string[]
  rename?: Record<string, string>
  describe?: Record<string, string>
}

export interface RawTarget extends RawTargetDefaults {
  command?: string
  args?: string[]
  env?: RawTexts
  envFile?: string
  cwd?: string
  url?: string
  serverUrl?: string
  httpUrl?: string
  type?: string
  transport?: 'auto' | 'http' | 'sse'
  headers?: RawTexts
  credentials?: 'shared' | 'user' | RawCredentials
  oauth?: false | RawOAuth
  module?: string
  export?: string
  options?: unknown
  openapi?: RawOpenApi
  replay?: string
  speed?: number
  title?: string
  description?: string
  enabled?: boolean | string
  required?: boolean
  disabled?: boolean
  disabledTools?: string[]
  prefix?: string | false
  tools?: RawSelection
  prompts?: RawSelection
  resources?: RawSelection
}

export interface RawOAuth {
  grant?: 'authorization_code' | 'client_credentials'
  clientId?: string
  clientSecret?: string
  privateKey?: string
  tokenEndpointAuthMethod?: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'
  clientMetadataUrl?: string
  scopes?: string[] | string
  callbackPort?: number
}

export interface RawOpenApi extends RawSelection {
  document: string
  baseUrl?: string
  auth?: {
    bearer?: string
    basic?: { username: string; password: string }
    apiKeys?: { name: string; in?: 'header' | 'query' | 'cookie'; value: string }[]
    schemes?: RawTexts
    clientCredentials?: { tokenUrl: string; clientId: string; clientSecret: string; scopes?: string[] }
  }
  group?: 'none' | 'tag' | 'path'
  groups?: Record<string, string[]>
  outputSchemas?: 'exact' | 'lenient' | 'none'
  maxSchemaBytes?: Quantity
  serverVariables?: RawTexts
  redirects?: 'none' | 'same-origin' | 'any'
  maxResponseBytes?: Quantity
  referenceRoot?: string
}
