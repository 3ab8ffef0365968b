import type { RawTargetDefaults, RawTarget } from './raw-target.ts'
import type { Quantity, RawTexts } from './raw-values.ts'

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
