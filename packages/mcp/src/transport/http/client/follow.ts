import { pause } from '../../../exchange/plain-exchange.ts'
import { McpError } from '../../../jsonrpc/index.ts'
import { discard, readErrorText } from './body.ts'
import { badResponse, networkError, statusError } from './errors.ts'
import { mediaType } from './messages.ts'
import { linkedCanceller } from './operations.ts'
import type { ReconnectDelays } from '../../../exchange/wire.ts'
import type { HttpClientSettings } from './options.ts'
import { sendHttp } from './send.ts'
import { type OnSseEvent, type SseCursor, readEvents } from './sse-stream.ts'

/** An event stream that is read by GET, and by GET again when the connection ends. */
export interface FollowedStream {
  url: string
  /** The headers for the next request: the id and version of the session. */
  headers: () => Record<string, string>
  cursor: SseCursor
  onEvent: OnSseEvent
  /** Wait before the first GET: the stream was open already and has just been closed. */
  waitFirst: boolean
  isDone: () => boolean
  onOpen?: (() => void) | undefined
  signal: AbortSignal
  settings: HttpClientSettings
}

export type FollowEnd =
  | { type: 'done' }
  /** The server has no such stream or does not know the event id. Without a status, its answer is unusable. */
  | { type: 'refused'; status: number | undefined; error: McpError }
  | { type: 'exhausted'; error: McpError }

/** A connection that lasted this long was good, even if nothing came: proxies cut idle streams. */
const GOOD_MS = 5_000

/** Follows a stream until it is done, refused, given up or aborted. Does not reject. */
export async function followStream(stream: FollowedStream): Promise<FollowEnd> {
  const { cursor, signal, settings } = stream
  const { maxAttempts } = settings.reconnect
  let attempt = 0
  let waits = stream.waitFirst
  for (;;) {
    if (waits) await pause(reconnectDelay(attempt, cursor.retry, settings.reconnect), signal).catch(() => {})
    if (signal.aborted || stream.isDone()) return { type: 'done' }
    const started = Date.now()
    const seen = cursor.events
    const failed = await readOnce(stream)
    if (signal.aborted || stream.isDone()) return { type: 'done' }
    if (failed instanceof McpError && isFinal(failed)) {
      return { type: 'refused', status: statusOf(failed), error: failed }
    }
    const alive = cursor.events > seen || Date.now() - started >= GOOD_MS
    attempt = alive ? 0 : attempt + 1
    if (attempt >= maxAttempts) {
      return {
        type: 'exhausted',
        error: failed ?? badResponse(stream.url, 'ends its event stream every time'),
      }
    }
    waits = true
  }
}

async function readOnce(stream: FollowedStream): Promise<McpError | undefined> {
  const { url, settings, cursor } = stream
  const { canceller, unlink } = linkedCanceller(stream.signal)
  try {
    const response = await sendHttp(
      {
        method: 'GET',
        url,
        headers: { ...stream.headers(), accept: 'text/event-stream', ...resumption(cursor) },
        abort: canceller,
        headersWithin: settings.connectTimeout,
        reauthorize: true,
      },
      settings,
    )
    const { body } = response
    if (!response.ok) {
      return statusError(response, url, 'GET', await readErrorText(response, settings.maxMessageBytes))
    }
    if (body === null || mediaType(response) !== 'text/event-stream') {
      await discard(response)
      return badResponse(url, 'did not answer GET with an event stream', { status: response.status })
    }
    stream.onOpen?.()
    const { maxMessageBytes: maxLength, arrivals } = settings
    await readEvents(body, { onEvent: stream.onEvent, cursor, maxLength, arrivals })
    return undefined
  } catch (thrown) {
    return networkError(url, thrown)
  } finally {
    unlink()
  }
}

/** Header values are bytes; an id may be any text, and the HTML standard sends it as UTF-8. */
function resumption({ lastEventId }: SseCursor): Record<string, string> {
  if (lastEventId === '') return {}
  return { 'last-event-id': String.fromCharCode(...new TextEncoder().encode(lastEventId)) }
}

/**
 * Statuses that another attempt would not change. 409 is not among them: the server has not noticed yet that the old
 * stream is gone.
 */
function isFinal(error: McpError): boolean {
  if (error.code === 'network' || error.code === 'timeout' || error.code === 'stalled') return false
  const status = statusOf(error)
  if (status === undefined) return true
  return status < 500 ? ![408, 409, 425, 429].includes(status) : status === 501
}

function statusOf(error: McpError): number | undefined {
  const { status } = error.details
  return typeof status === 'number' ? status : undefined
}

/** Between two connections there is always a little time, whatever a server's `retry:` says. */
const MIN_DELAY = 50
/** Timers overflow beyond this and would fire at once. */
const MAX_TIMER = 2 ** 31 - 1

/** Milliseconds before the next attempt: at least `retry:` (2025-11-25: MUST), spread at random. */
function reconnectDelay(
  attempt: number,
  retry: number | undefined,
  { initialDelay, maxDelay }: ReconnectDelays,
): number {
  const asked = retry === undefined ? 0 : retry * (1 + Math.random() / 10)
  if (retry !== undefined && attempt === 0) return clamp(asked)
  const backoff = Math.min(maxDelay, initialDelay * 2 ** attempt) * (0.5 + Math.random() / 2)
  return clamp(Math.max(asked, backoff))
}

function clamp(delay: number): number {
  return Math.min(Math.max(delay, MIN_DELAY), MAX_TIMER)
}
