import type { ClientFacts, Exchange, Notification } from '../exchange/index.ts'
import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import type { LoggingLevel } from '../protocol/index.ts'
import {
  type ClientExchange,
  type LogMessage,
  type Progress,
  type RequestOptions,
  withOptions,
} from './request-options.ts'

/** What every request of a client has in common. */
export interface ExchangeDefaults {
  facts(): ClientFacts
  logLevel(): LoggingLevel | undefined
  traceContext(): JsonObject | undefined
  /** Log messages of requests without an `onLog`. */
  onLog(log: LogMessage): void
  onNotification(notification: Notification): void
  /** A callback of the author threw. */
  onError(thrown: unknown): void
}

export interface OutgoingRequest {
  method: string
  params: JsonObject
  options: RequestOptions
  ask: Exchange['ask']
}

/** Any value will do: edges mint tokens of their own, unique on their connection. */
const PROGRESS_TOKEN = 'progress'

export function createExchange(request: OutgoingRequest, defaults: ExchangeDefaults): ClientExchange {
  const { method, options } = request
  const facts = defaults.facts()
  const exchange: Exchange = {
    method,
    params: withMeta(request, defaults.traceContext()),
    client: options.capabilities ? { ...facts, capabilities: options.capabilities } : facts,
    logLevel: options.logLevel ?? defaults.logLevel() ?? (options.onLog && 'info'),
    signal: options.signal ?? new AbortController().signal,
    notify: (notification) => notifyAuthor(notification, options, defaults),
    ask: request.ask,
  }
  return withOptions(exchange, options)
}

/** Tool calls always ask for progress: it is what keeps a long one from timing out. */
function withMeta({ method, params, options }: OutgoingRequest, trace: JsonObject | undefined): JsonObject {
  const given = isJsonObject(params._meta) ? params._meta : {}
  const wantsProgress = options.onProgress !== undefined || method === 'tools/call'
  const meta = {
    ...(wantsProgress && { progressToken: PROGRESS_TOKEN }),
    ...trace,
    ...given,
    ...options.meta,
  }
  return Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params
}

function notifyAuthor(
  notification: Notification,
  { onProgress, onLog = undefined }: RequestOptions,
  defaults: ExchangeDefaults,
): void {
  const { method, params = {} } = notification
  try {
    if (method === 'notifications/progress') {
      const { progressToken: _, ...progress } = params
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
