import type { Exchange } from '../exchange/index.ts'
import type { JsonObject } from '../jsonrpc/index.ts'
import {
  type ClientCapabilities,
  type ContentBlock,
  type Duration,
  type FormsOf,
  LOG_LEVELS,
  type LoggingLevel,
  requireKnownOptions,
} from '../protocol/index.ts'

export interface Progress {
  progress: number
  total?: number
  message?: string
  [key: string]: unknown
}

export interface LogMessage {
  level: LoggingLevel
  logger?: string
  data: unknown
  [key: string]: unknown
}

export interface RequestOptions {
  signal?: AbortSignal | undefined
  /**
   * How long nothing may happen; progress and questions to our side reset it. 0 is no limit. For a call that becomes
   * a task: how long the task may bring no news. The client's own `timeout` is then about each request for the task.
   */
  timeout?: Duration | undefined
  /** How long the request may take in all, progress or not. 0 is no limit. */
  maxTotalTimeout?: Duration | undefined
  onProgress?: ((progress: Progress) => void) | undefined
  /** Pieces of the result as they come, from servers that send them (`ctx.stream`). The result has them all again. */
  onContent?: ((content: ContentBlock) => void) | undefined
  onLog?: ((log: LogMessage) => void) | undefined
  /** Least severe log message wanted. Default: the client's level, or `info` when there is an `onLog`. */
  logLevel?: LoggingLevel | undefined
  meta?: JsonObject | undefined
  /** Capabilities to declare with this request instead of the client's. Legacy servers never see them. */
  capabilities?: ClientCapabilities | undefined
  /** Ask the server even when a cached answer is still fresh. */
  fresh?: boolean | undefined
}

const REQUEST_OPTIONS: FormsOf<RequestOptions> = {
  signal: 1,
  timeout: 1,
  maxTotalTimeout: 1,
  onProgress: 'a function',
  onContent: 'a function',
  onLog: 'a function',
  logLevel: LOG_LEVELS,
  meta: 'an object',
  capabilities: 'an object',
  fresh: 'true or false',
}

export function requireRequestOptions(options: object): void {
  requireKnownOptions('request', REQUEST_OPTIONS, options)
}

export const OPTIONS: unique symbol = Symbol('options')

/** An exchange of this client. The options travel with it through middleware that copies it. */
export interface ClientExchange extends Exchange {
  readonly [OPTIONS]: RequestOptions
}

export function optionsOf(exchange: Exchange): RequestOptions {
  return (exchange as Partial<ClientExchange>)[OPTIONS] ?? {}
}
