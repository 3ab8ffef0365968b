import type { Middleware } from '../exchange/index.ts'
import type { SubscriptionLimits } from '../exchange/server/subscription-meter.ts'
import type { JsonObject, NumberMode } from '../jsonrpc/index.ts'
import type {
  CacheScope,
  Duration,
  Icon,
  Implementation,
  ReadResourceResult,
  Revision,
  ServerCapabilities,
} from '../protocol/index.ts'
import type { Configuration, ConfigurationOptions } from './configuration.ts'
import type { Context } from './context.ts'
import type { AnyPrompt, ResourceDefinition, ResourceReply, TemplateDefinition } from './definitions.ts'
import type { ReplayWatcher } from './replay-watch.ts'
import type { Store } from './store.ts'
import type { Caller } from './visibility.ts'

/** By name, or as a list whose members have names (classes lend theirs). */
export type Named<T> = { readonly [name: string]: T } | readonly (T | (new () => T))[]

export interface CacheHint {
  ttlMs?: number
  cacheScope?: CacheScope
}

export interface ServerOptions<Tools> {
  name: string
  version?: string
  title?: string
  description?: string
  websiteUrl?: string
  icons?: Icon[]
  instructions?: string
  tools?: Tools
  prompts?: Named<AnyPrompt>
  resources?: Named<ResourceDefinition>
  templates?: Named<TemplateDefinition>
  /** Reads what no resource or template matches; return undefined for "not found". */
  resourcesReadHandler?: (
    params: JsonObject & { uri: string },
    context: Context,
  ) => ResourceReply | ReadResourceResult | Promise<ResourceReply>
  configuration?: Configuration | ConfigurationOptions
  middleware?: readonly Middleware[]
  /** Entries in one page of a list; all in one when absent. */
  pageSize?: number
  /** Hints for clients' caches (2026-07-28, Caching). */
  cache?: {
    tools?: CacheHint
    prompts?: CacheHint
    resources?: CacheHint
    templates?: CacheHint
    discover?: CacheHint
  }
  /** Chooses what a caller sees of a list, after `when` and `scopes`. */
  listFilter?: (kind: 'tool' | 'prompt' | 'resource' | 'template', name: string, caller: Caller) => boolean
  /** Declares capabilities ahead of registration, or adds extensions. */
  capabilities?: ServerCapabilities
  /** Seals what clients hold for us; share it among replicas, newest first. Random when absent. */
  secret?: string | Uint8Array | readonly (string | Uint8Array)[]
  store?: Store
  /** How long a client may take between two rounds of a call. */
  requestStateTtlMs?: number
  /** Runs handlers again for every answer, in both eras, as a modern client makes them run. */
  alwaysReplay?: boolean
  /** Development: told when a handler is not safe to be run again for its next answer. */
  onReplayWarning?: ReplayWatcher
  /** What clients may listen for; 1,000 resources and tasks in a request, 25,000 of a caller, 100,000 in all. */
  subscriptions?: Partial<SubscriptionLimits>
  /** How long a legacy client may take to answer a question; ten minutes unless said otherwise. */
  answerTimeout?: Duration
  /** `exact` gives handlers a `bigint` beyond 2^53; `rounded` (default) gives the nearest double. */
  numbers?: NumberMode
  /** The revisions to serve; all of them unless said otherwise. */
  revisions?: readonly Revision[]
  /** Refuses requests before `initialize` on legacy connections. */
  strict?: boolean
}

export function implementationOf(options: ServerOptions<unknown>): Implementation {
  const { name, version = '0.0.0', title, description, websiteUrl, icons } = options
  const info: Implementation = { name, version }
  if (title !== undefined) info.title = title
  if (description !== undefined) info.description = description
  if (websiteUrl !== undefined) info.websiteUrl = websiteUrl
  if (icons !== undefined) info.icons = icons
  return info
}
