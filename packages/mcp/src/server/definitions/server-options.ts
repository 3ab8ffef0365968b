import { parseDuration } from '../../protocol/parse-duration.ts'
import type { Middleware } from '../../exchange/index.ts'
import type { SubscriptionLimits } from '../../exchange/server/subscription-meter.ts'
import type { JsonObject, NumberMode } from '../../jsonrpc/index.ts'
import type {
  CacheScope,
  Duration,
  Icon,
  Implementation,
  ReadResourceResult,
  Resource,
  Revision,
  ServerCapabilities,
} from '../../protocol/index.ts'
import type { Configuration, ConfigurationOptions } from '../configuration.ts'
import type { Context } from '../questions/context.ts'
import type { AnyPrompt, AnyTemplate, AnyTool, ResourceDefinition, ResourceReply } from './definitions.ts'
import type { ReplayWatcher } from '../questions/replay-watch.ts'
import type { Store } from '../store.ts'
import type { Caller } from './visibility.ts'

/** By name, or as a list whose members have names (classes lend theirs). */
export type Named<T> = { readonly [name: string]: T } | readonly (T | (new () => T))[]

export interface CacheHint {
  /** How long clients may keep it. */
  ttl?: Duration
  cacheScope?: CacheScope
}

/** The same as members of a result. */
export type CacheMembers = { ttlMs?: number; cacheScope?: CacheScope }

export function cacheMembers({ ttl, ...hint }: CacheHint = {}): CacheMembers {
  return ttl === undefined ? hint : { ...hint, ttlMs: parseDuration(ttl) }
}

/** The return value of a list handler: resources, whose names may be left out, and the cursor of the next page. */
export type ResourceList =
  | readonly ListedResource[]
  | { resources: readonly ListedResource[]; nextCursor?: string | undefined }

export type ListedResource = Partial<Resource> & { uri: string }

/** Everything about a server but what is typed in place. */
export interface ServerSettings {
  name: string
  version?: string
  title?: string
  description?: string
  websiteUrl?: string
  icons?: Icon[]
  instructions?: string
  resources?: Named<ResourceDefinition>
  /**
   * Lists more resources, for this request: who asks is in the context. A `nextCursor` comes back as `params.cursor`.
   */
  resourcesListHandler?: (
    params: JsonObject & { cursor?: string | undefined },
    context: Context,
  ) => ResourceList | Promise<ResourceList>
  /** Reads what no resource or template matches; return undefined for "not found". */
  resourcesReadHandler?: (
    params: JsonObject & { uri: string },
    context: Context,
  ) => ResourceReply | ReadResourceResult | Promise<ResourceReply>
  configuration?: Configuration | ConfigurationOptions
  middleware?: readonly Middleware[]
  /** Entries in one page of a list; all entries in one page when absent. */
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
  requestStateTtl?: Duration
  /** Runs handlers again for every answer, in both eras, as a modern client makes them run. */
  alwaysReplay?: boolean
  /** Development: told when a handler is not safe to be run again for its next answer. */
  onReplayWarning?: ReplayWatcher
  /** What clients may listen for; 1,000 resources and tasks in a request, 25,000 of a caller, 100,000 in all. */
  subscriptions?: Partial<SubscriptionLimits>
  /** How long a legacy client may take to answer a question. Default: ten minutes. */
  answerTimeout?: Duration
  /** `exact` gives handlers a `bigint` beyond 2^53; `rounded` (default) gives the nearest double. */
  numbers?: NumberMode
  /** The revisions to serve. Default: all. */
  revisions?: readonly Revision[]
  /** Refuses requests before `initialize` on legacy connections. */
  strict?: boolean
}

export interface ServerOptions extends ServerSettings {
  tools?: Named<AnyTool>
  prompts?: Named<AnyPrompt>
  templates?: Named<AnyTemplate>
}

export function implementationOf(options: ServerOptions): Implementation {
  const { name, version = '0.0.0', title, description, websiteUrl, icons } = options
  const info: Implementation = { name, version }
  if (title !== undefined) info.title = title
  if (description !== undefined) info.description = description
  if (websiteUrl !== undefined) info.websiteUrl = websiteUrl
  if (icons !== undefined) info.icons = icons
  return info
}
