import type { Cancellation } from '../exchange/exchange.ts'
import { signalCancellation } from '../exchange/plain-exchange.ts'
import type { ClientFacts, Exchange, InputRequests, InputResponses, Notification } from '../exchange/index.ts'
import { copyWith, isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import { PARTIAL_CONTENT } from '../exchange/message-hints.ts'
import type { ContentBlock, LoggingLevel } from '../protocol/index.ts'
import {
  type ClientExchange,
  type LogMessage,
  OPTIONS,
  type Progress,
  type RequestOptions,
  requireRequestOptions,
} from './request-options.ts'

export interface ExchangeDefaults {
  facts(): ClientFacts
  logLevel(): LoggingLevel | undefined
  traceContext(): JsonObject | undefined
  ask(
    requests: InputRequests,
    signal: AbortSignal | undefined,
    request: { method: string; params: JsonObject },
  ): Promise<InputResponses>
  onLog(log: LogMessage): void
  onNotification(notification: Notification): void
  onError(thrown: unknown): void
}

export interface OutgoingRequest {
  method: string
  params: JsonObject
  options: RequestOptions
  /** Answers questions; undefined when they shall be returned. */
  ask: Exchange['ask'] | 'handlers'
}

/** Any value will do: edges mint tokens of their own, unique on their connection. */
const PROGRESS_TOKEN = 'progress'

export function createExchange(request: OutgoingRequest, defaults: ExchangeDefaults): ClientExchange {
  return new RequestExchange(request, defaults)
}

class RequestExchange implements ClientExchange {
  readonly method: string
  readonly params: JsonObject
  readonly client: ClientFacts
  readonly logLevel: LoggingLevel | undefined
  // Declared only: bundlers keep a class whose body computes a name, in programs that have no client as well.
  declare readonly [OPTIONS]: RequestOptions
  readonly #request: OutgoingRequest
  readonly #defaults: ExchangeDefaults

  constructor(request: OutgoingRequest, defaults: ExchangeDefaults) {
    const { options } = request
    requireRequestOptions(options)
    const facts = defaults.facts()
    this.method = request.method
    this.params = withMeta(request, defaults.traceContext())
    this.client = options.capabilities ? { ...facts, capabilities: options.capabilities } : facts
    this.logLevel = options.logLevel ?? defaults.logLevel() ?? (options.onLog && 'info')
    this.#request = request
    this[OPTIONS] = options
    this.#defaults = defaults
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  get cancellation(): Cancellation {
    return signalCancellation(this[OPTIONS].signal)
  }

  get ask(): Exchange['ask'] {
    const { ask, method, params } = this.#request
    if (ask !== 'handlers') return ask
    return (requests, signal) => this.#defaults.ask(requests, signal, { method, params })
  }

  notify(notification: Notification): void {
    notifyAuthor(notification, this[OPTIONS], this.#defaults)
  }
}

/** The same as an object that may be copied member by member, as middleware does. */
export function copyable(exchange: ClientExchange): ClientExchange {
  return {
    method: exchange.method,
    params: exchange.params,
    client: exchange.client,
    logLevel: exchange.logLevel,
    signal: exchange.signal,
    notify: (notification) => exchange.notify(notification),
    ask: exchange.ask,
    [OPTIONS]: exchange[OPTIONS],
  }
}

/** Tool calls always ask for progress, because progress keeps a long call from timing out. */
function withMeta({ method, params, options }: OutgoingRequest, trace: JsonObject | undefined): JsonObject {
  const given = isJsonObject(params._meta) ? params._meta : undefined
  const wantsProgress = options.onProgress !== undefined || method === 'tools/call'
  const meta: JsonObject = wantsProgress ? { progressToken: PROGRESS_TOKEN } : {}
  if (options.onContent) meta[PARTIAL_CONTENT] = true
  if (trace || given || options.meta) Object.assign(meta, trace, given, options.meta)
  else if (!wantsProgress) return params
  return copyWith(params, '_meta', meta)
}
function notifyAuthor(
  notification: Notification,
  { onProgress, onContent, onLog = undefined }: RequestOptions,
  defaults: ExchangeDefaults,
): void {
  const { method, params = {} } = notification
  try {
    if (method === 'notifications/progress') {
      const { progressToken: _, ...progress } = params
      const piece = onContent && isJsonObject(params._meta) && params._meta[PARTIAL_CONTENT]
      if (isJsonObject(piece)) onContent?.(piece as unknown as ContentBlock)
      onProgress?.(progress as Progress)
    } else if (method === 'notifications/message') {
      ;(onLog ?? defaults.onLog)(params as LogMessage)
    } else {
      defaults.onNotification(notification)
    }
  } catch (thrown) {
    defaults.onError(thrown)
  }
}
