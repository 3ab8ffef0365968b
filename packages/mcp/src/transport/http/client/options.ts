import { jsonReader, type McpError, parseJson, type ReadJson } from '../../../jsonrpc/index.ts'
import { type OpenOptions, type ReconnectDelays, reconnectDelays } from '../../../exchange/wire.ts'
import { type Duration, type FormsOf, parseDuration, requireKnownOptions } from '../../../protocol/index.ts'
import type { Arrivals } from '../../arrivals.ts'
import type { AuthProvider } from './auth.ts'
import { platformFetch } from './platform-fetch.ts'
import type { FetchLike } from './quick-fetch.ts'
import { ReportLimit } from '../../reports.ts'

/** Headers for every request, or what makes them; a function is called for every HTTP request. */
export type HttpHeaders =
  | Record<string, string>
  | (() => Record<string, string> | Promise<Record<string, string>>)

export interface HttpClientOptions {
  headers?: HttpHeaders | undefined
  /** Default: on Node what `createNodeFetch` makes, elsewhere or where it was replaced the global `fetch`. */
  fetch?: FetchLike | undefined
  auth?: AuthProvider | undefined
  /** How long the server may take to accept a notification or to open a stream; requests have no limit here. */
  connectTimeout?: Duration | undefined
  /** The largest message, in bytes of a JSON body or characters of an event. */
  maxMessageBytes?: number | undefined
  /** Gives room to long events, where many connections share memory. */
  arrivals?: Arrivals | undefined
  /** Hears of mistakes of a server that do no harm: unreadable events, answers to nothing, lost streams. */
  onProtocolError?: ((error: McpError) => void) | undefined
}

const HTTP_OPTIONS: FormsOf<HttpClientOptions> = {
  headers: 1,
  fetch: 1,
  auth: 1,
  connectTimeout: 1,
  maxMessageBytes: 1,
  arrivals: 1,
  onProtocolError: 1,
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
  readonly reconnect: ReconnectDelays
  /** An error is made only when it is reported: most errors of a flood are not. */
  report(this: void, describe: () => McpError): void
}

/** The settings of one wire. */
export function forWire(
  settings: HttpClientSettings,
  { numbers, reconnect }: OpenOptions,
): HttpClientSettings {
  return {
    ...settings,
    ...(numbers !== undefined && { read: jsonReader(numbers) }),
    ...(reconnect && { reconnect: reconnectDelays(reconnect) }),
  }
}

export function resolveHttpOptions(options: HttpClientOptions): HttpClientSettings {
  requireKnownOptions('connection over HTTP', HTTP_OPTIONS, options)
  const { onProtocolError } = options
  const limit = new ReportLimit(MAX_REPORTS)
  return {
    headers: options.headers ?? {},
    fetch: options.fetch ?? platformFetch,
    auth: options.auth,
    connectTimeout: parseDuration(options.connectTimeout ?? '30s'),
    maxMessageBytes: options.maxMessageBytes ?? 64 * 1024 * 1024,
    arrivals: options.arrivals,
    read: parseJson,
    reconnect: reconnectDelays(),
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
