import type {
  AmbiguousRequest,
  Connector,
  Continuations,
  HandshakeStep,
  Middleware,
  ReconnectOptions,
} from '../exchange/index.ts'
import type { JsonObject, NumberMode } from '../jsonrpc/index.ts'
import {
  type ClientCapabilities,
  type Duration,
  type Era,
  type FormsOf,
  type Implementation,
  LOG_LEVELS,
  type LoggingLevel,
  type Revision,
  REVISIONS,
} from '../protocol/index.ts'
import type { AnswerHandlers } from './answers.ts'
import type { EraCache } from './negotiation/era-cache.ts'
import type { LogMessage } from './request-options.ts'

export interface ClientOptions extends Partial<Implementation>, AnswerHandlers {
  /** The server, for clients that connect when they are first used. */
  connector?: Connector | undefined
  /** Added to what the handlers declare: `{ sampling: { tools: {} } }`, extensions, experimental ones. */
  capabilities?: ClientCapabilities | undefined
  middleware?: readonly Middleware[] | undefined
  /** Insist on an era instead of finding it out. */
  era?: 'auto' | Era | undefined
  /** Insist on a revision. */
  protocolVersion?: Revision | undefined
  /** How long `server/discover` may go unanswered before the server counts as legacy. Default 10 s. */
  probeTimeout?: Duration | undefined
  /** How long connecting may take, start of the process included. Default 60 s. */
  connectTimeout?: Duration | undefined
  /** How long nothing may happen to a request. Default 60 s. */
  timeout?: Duration | undefined
  /** How long a request may take in all. Default 1 h. */
  maxTotalTimeout?: Duration | undefined
  /** Let the first request connect. Default true. */
  autoConnect?: boolean | undefined
  /**
   * What becomes of a connection that was lost: the next request opens it again, or the client does when change events
   * are listened to. `false` forbids it; an object says how soon and how often. Default true.
   */
  reconnect?: boolean | ReconnectOptions | undefined
  /** Findings about eras; by default all clients of the process share one. */
  eras?: EraCache | undefined
  /** `exact` gives a `bigint` for integers beyond 2^53; `rounded` (default) gives the nearest double. */
  numbers?: NumberMode | undefined
  /** Rounds of questions that one request may take. Default 32. */
  maxRounds?: number | undefined
  /** Log messages wanted from every request. */
  logLevel?: LoggingLevel | undefined
  /** Keep answers as long as the server allows. Default true. */
  cache?: boolean | { maxEntries?: number } | undefined
  /** Check structured output against the tool's schema, once the tool has been listed. Default true. */
  validateOutput?: boolean | undefined
  /** More pages than this in a list are taken for a fault of the server. Default 1000. */
  maxPages?: number | undefined
  /** Trace context for `_meta`: `traceparent`, `tracestate`, `baggage`. */
  traceContext?: (() => JsonObject | undefined) | undefined
  /** Where calls to legacy servers wait between `start` and `resume`. */
  continuations?: Continuations | undefined
  /** The steps of a legacy handshake, as they are done. */
  onHandshake?: ((step: HandshakeStep) => void) | undefined
  /** A legacy server asked something that could belong to more than one call. */
  onAmbiguous?: ((report: AmbiguousRequest) => void) | undefined
}

export const CLIENT_OPTIONS: FormsOf<ClientOptions> = {
  name: 1,
  version: 1,
  title: 1,
  description: 1,
  websiteUrl: 1,
  icons: 1,
  elicit: { form: 1, url: 1 },
  sample: 1,
  roots: 1,
  connector: 1,
  capabilities: 'an object',
  middleware: 'a list',
  era: ['auto', 'legacy', 'modern'],
  protocolVersion: REVISIONS,
  probeTimeout: 1,
  reconnect: { initialDelay: 1, maxDelay: 1, maxAttempts: 1 },
  eras: 1,
  numbers: ['exact', 'rounded', 'source'],
  connectTimeout: 1,
  timeout: 1,
  maxTotalTimeout: 1,
  autoConnect: 'true or false',
  maxRounds: 'a number',
  logLevel: LOG_LEVELS,
  cache: { maxEntries: 1 },
  validateOutput: 'true or false',
  maxPages: 'a number',
  traceContext: 1,
  continuations: 1,
  onHandshake: 1,
  onAmbiguous: 1,
}

export interface ClientEvents {
  toolsChanged: undefined
  promptsChanged: undefined
  resourcesChanged: undefined
  resourceUpdated: { uri: string }
  /** Log messages that no request has an `onLog` for. */
  log: LogMessage
  /** The server is there again after it was lost. Lists may be new: their change events follow. */
  reconnect: undefined
  /** The connection is gone; with a reason when it was not closed on purpose. */
  close: Error | undefined
  /** Something that harms no request but that someone should know. */
  warning: Error
  /** Notifications that nothing else claims. */
  notification: { method: string; params?: JsonObject }
}
