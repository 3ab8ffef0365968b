/** The configuration file as the schema has it, before anything is filled in. */
export interface RawConfig {
  mcpServers?: Record<string, RawTarget>
  servers?: Record<string, RawTarget>
  defaults?: RawTargetDefaults
  server?: RawServer
  auth?: RawAuth
  policy?: RawPolicy
  results?: RawResultRule[]
  views?: Record<string, RawView>
  limits?: {
    rates?: RawRate[]
    repeatedErrors?: { after?: number; pause?: Quantity }
    retries?: RawRetry[]
  }
  names?: { prefix?: boolean; separator?: string; maxLength?: number }
  catalog?: { ttl?: Quantity; deadline?: Quantity; pageSize?: number; persist?: boolean }
  store?: { kind?: 'embedded' | 'memory'; path?: string; maxSize?: Quantity; redis?: RawRedis }
  telemetry?: RawTelemetry
  audit?: RawAudit
  stateDir?: string
  [extra: string]: unknown
}

/** A number, or text such as `30s` or `16mb`. */
export type Quantity = number | string
export type RawTexts = Record<string, string | number | boolean>

export interface RawRedis {
  url?: string
  sentinels?: string[]
  masterName?: string
  nodes?: string[]
  username?: string
  password?: string
  sentinelUsername?: string
  sentinelPassword?: string
  tls?: boolean | { ca?: string; cert?: string; key?: string }
  database?: number
  prefix?: string
  timeout?: Quantity
}

export interface RawServer {
  host?: string
  port?: number | string
  publicUrl?: string
  tls?: { cert: string; key: string }
  allowedOrigins?: string[]
  allowedHosts?: string[]
  trustedHosts?: string[]
  console?: boolean
  name?: string
  title?: string
  instructions?: string
  sealingKeys?: string[]
  drainDelay?: Quantity
  shutdownGrace?: Quantity
  workers?: number | 'auto'
  cluster?: {
    host?: string
    port?: number
    address?: string
    tls?: { cert: string; key: string; ca: string; name?: string }
  }
  limits?: {
    bodyBytes?: Quantity
    bodyTimeout?: Quantity
    receivingBytes?: Quantity
    resultBytes?: Quantity
    unreadBytes?: Quantity
    eventBytes?: Quantity
    stallTimeout?: Quantity
    sessions?: number
    sessionIdle?: Quantity
    subscriptions?: number
    subscriptionsPerRequest?: number
    requestsInFlight?: number
    parkedCalls?: number
    parkedFor?: Quantity
    startingTargets?: number
    callerShare?: number
  }
}

export interface RawAuth {
  keys?: boolean
  apiKeys?: { name: string; key?: string; sha256?: string; scopes?: string[] }[]
  bearer?: RawBearer | RawBearer[]
  groups?: string | string[] | { expression: string }
  signIn?: RawSignIn
  mtls?: { ca: string }
  roles?: { admin?: string[]; operator?: string[]; viewer?: string[] }
}

export interface RawSignIn {
  issuer: string
  clientId: string
  clientSecret: string
  upstreamScopes?: string[]
  scopes?: string[]
  offeredScopes?: string[]
  lifetime?: Quantity
  tokenLifetime?: Quantity
  clients?: { clientId: string; name?: string; clientSecret?: string; redirectUris: string[] }[]
}

export interface RawBearer {
  issuer: string
  audience: string
  scopes?: string[]
  jwksUri?: string
  introspection?: { url: string; clientId: string; clientSecret: string }
}

export interface RawPolicy {
  default?: 'allow' | 'deny'
  mode?: 'enforce' | 'audit'
  rules?: {
    name?: string
    who?: { principals?: RawPrincipal[]; scopes?: string[]; apiKeys?: string[] }
    when?: string
    allow?: string[]
    deny?: string[]
    message?: string
    mode?: 'enforce' | 'audit'
    approve?: { by?: string | string[]; within?: Quantity; message?: string }
    confirm?: boolean
  }[]
  webhook?: { url: string; secret: string }
  tests?: RawPolicyTest[]
}

export interface RawPolicyTest {
  name?: string
  as?: string
  issuer?: string
  scopes?: string[]
  groups?: string[]
  claims?: Record<string, unknown>
  client?: { id?: string; name?: string; version?: string }
  era?: 'legacy' | 'modern'
  view?: string
  call?: string
  list?: string
  args?: Record<string, unknown>
  annotations?: Record<string, unknown>
  now?: string
  count?: number
  expect: 'allow' | 'deny' | 'approve' | 'confirm'
  rule?: string
}

export interface RawRetry {
  for: string[]
  attempts?: number
  pause?: Quantity
  hedgeAfter?: Quantity
}

export interface RawRate {
  name?: string
  for?: string[]
  by?: string
  /** Such as `30/m`. */
  rate?: string
  burst?: number
  perDay?: number
  concurrent?: number
  cost?: number | { expression: string }
  shared?: boolean
  storeAway?: 'local' | 'refuse'
}

export interface RawView {
  title?: string
  instructions?: string
  use?: string[]
  who?: { principals?: RawPrincipal[]; scopes?: string[]; apiKeys?: string[] }
  tools?: Record<string, RawViewEntry>
  prompts?: Record<string, RawViewEntry>
  results?: RawResultRule[]
}

export interface RawViewEntry {
  name?: string
  title?: string
  description?: string
  parameters?: Record<string, RawViewParameter>
}

/** Other keys are keywords of JSON Schema. */
export interface RawViewParameter {
  fixed?: unknown
  default?: unknown
  rename?: string
  description?: string
  [keyword: string]: unknown
}

export interface RawResultRule {
  name?: string
  for?: string[]
  mask?: RawSensitive[]
  drop?: RawSensitive[]
  refuse?: RawSensitive[]
  untrusted?: boolean
  stripHidden?: boolean
  maxTokens?: number
  dropRepeated?: boolean
}

/** The name of a detector, a pattern, or a place in structured content. */
export type RawSensitive = string | { pattern: string; name?: string } | { path: string; name?: string }

/** The subject of a person, or more exactly whom the rule is about. */
export type RawPrincipal = string | { kind?: 'person' | 'workload'; issuer?: string; subject: string }

export interface RawTelemetry {
  logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  logFormat?: 'text' | 'json'
  wire?: { size?: number; bodyBytes?: Quantity }
  sampling?: number
  otlp?: RawOtlp
}

export interface RawOtlp {
  endpoint?: string
  headers?: RawTexts
  share?: number
  slow?: Quantity
  bodies?: boolean
  interval?: Quantity
}

export interface RawAudit {
  folder?: string
  required?: boolean
  lists?: boolean
  bodies?: boolean
  maxFileSize?: Quantity
  keepFor?: Quantity
  keepSize?: Quantity
  sync?: Quantity
  signEvery?: Quantity
  stdout?: boolean
  http?: { url: string; headers?: RawTexts }
  otlp?: { url: string; headers?: RawTexts }
}

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
