import {
  jsonReader,
  type McpError,
  type NumberMode,
  parseJson,
  type ReadJson,
} from '../../../jsonrpc/index.ts'
import type { Arrivals } from '../../arrivals.ts'
import type { AuthProvider } from './auth.ts'
import { platformFetch } from './platform-fetch.ts'
import type { FetchLike } from './quick-fetch.ts'
import { ReportLimit } from '../../reports.ts'

/** Headers for every request, or what makes them; a function is called for every HTTP request. */
export type HttpHeaders =
  | Record<string, string>
  | (() => Record<string, string> | Promise<Record<string, string>>)

export interface ReconnectOptions {
  /** Milliseconds before the first attempt; doubles with each one after it. A server's `retry:` goes first. */
  initialDelay?: number
  /** Back-off grows no further than this. */
  maxDelay?: number
  /** How many attempts may fail one after another. 0 never reconnects. */
  maxAttempts?: number
}

export interface HttpClientOptions {
  headers?: HttpHeaders | undefined
  /** Default: on Node what `createNodeFetch` makes, elsewhere or where it was replaced the global `fetch`. */
  fetch?: FetchLike | undefined
  auth?: AuthProvider | undefined
  /** Milliseconds until the server accepts a notification or opens a stream; requests have no limit here. */
  connectTimeout?: number | undefined
  /** The largest message, in bytes of a JSON body or characters of an event. */
  maxMessageBytes?: number | undefined
  /** Gives room to long events, where many connections share memory. */
  arrivals?: Arrivals | undefined
  reconnect?: ReconnectOptions | undefined
  /** Hears of what a server does wrong and what is survived: unreadable events, answers to nothing, lost streams. */
  onProtocolError?: ((error: McpError) => void) | undefined
}

/** In a second, for each connector. */
const MAX_REPORTS = 100

export interface HttpClientSettings {
  readonly headers: HttpHeaders
  readonly fetch: FetchLike
  readonly auth: AuthProvider | undefined
  readonly connectTimeout: number
  readonly maxMessageBytes: number
  readonly arrivals: Arrivals | undefined
  readonly read: ReadJson
  readonly reconnect: Required<ReconnectOptions>
  /** Errors are made only when they are told: about a flood, most are not. */
  report(this: void, describe: () => McpError): void
}

export function withNumbers(
  settings: HttpClientSettings,
  numbers: NumberMode | undefined,
): HttpClientSettings {
  return numbers === undefined ? settings : { ...settings, read: jsonReader(numbers) }
}

export function resolveHttpOptions(options: HttpClientOptions): HttpClientSettings {
  const { onProtocolError } = options
  const limit = new ReportLimit(MAX_REPORTS)
  return {
    headers: options.headers ?? {},
    fetch: options.fetch ?? platformFetch,
    auth: options.auth,
    connectTimeout: options.connectTimeout ?? 30_000,
    maxMessageBytes: options.maxMessageBytes ?? 64 * 1024 * 1024,
    arrivals: options.arrivals,
    read: parseJson,
    reconnect: { initialDelay: 500, maxDelay: 30_000, maxAttempts: 8, ...options.reconnect },
    report: (describe) => {
      if (!onProtocolError || limit.take() === undefined) return
      try {
        onProtocolError(describe())
      } catch {
        // A reporter that throws must not take down the stream that it reports on.
      }
    },
  }
}
