import type { RefusedForLoad } from '../../../exchange/server/answer.ts'
import type { AuthInfo, RequestContext } from '../../../exchange/index.ts'

/** Header names in lower case, as Node gives them. */
export type HttpHeaders = Readonly<Record<string, string | undefined>>

export interface HttpHead {
  readonly method: string
  readonly url: string
  readonly headers: HttpHeaders
  /** The network address that it comes from, where that is known. */
  readonly peer?: string | undefined
}

/** A body as text, or as the value that a framework has parsed already. */
export type HttpBody = { readonly text: string } | { readonly value: unknown }

export interface HttpCall extends HttpHead {
  /** Reads the body within its limits, once, for an admitted caller. Incomplete bodies are answered here. */
  readBody(sender: string, done: (body: HttpBody) => void): void
}

export interface EventSink {
  /** Writes one event's text, framing included. Returns false when the reader is slow. */
  write(frame: string): boolean
  end(): void
  /** Ends the connection in the middle: the reader must not take what it has for the whole. */
  breakOff(): void
  /** The reader is far behind: progress and log messages are dropped. */
  readonly isBehind: boolean
  /** Told when the reader has taken everything. */
  onDrain?: (() => void) | undefined
}

/** How the answer is given. One of `json`, `bytes`, `empty` and `stream` is called, once. */
export interface HttpReply {
  /** Sets the sender of the request. The bytes of the answer count against it until they are read. */
  countFor(sender: string): void
  /** Why an answer of this length cannot be held until it is read; undefined when it can. */
  refusesToHold(bytes: number): RefusedForLoad | undefined
  json(status: number, body: string, headers?: Record<string, string>): void
  /** A JSON body that is there in bytes already. Without it, texts are sent. */
  bytes?(status: number, pieces: readonly Uint8Array[], headers?: Record<string, string>): void
  empty(status: number, headers?: Record<string, string>): void
  stream(headers?: Record<string, string>): EventSink
  onAbort(listener: () => void): void
  /** Headers that the answer shall have besides its own. */
  addHeaders(headers: Record<string, string>): void
}

export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Proxies such as nginx would hold events back (2026-07-28, Streamable HTTP).
  'x-accel-buffering': 'no',
}

export const JSON_HEADERS: Readonly<Record<string, string>> = { 'content-type': 'application/json' }

/** A message as an event. JSON text has no raw newlines, so one `data:` line is enough. */
export function toEvent(text: string, id?: string): string {
  return id === undefined ? `data: ${text}\n\n` : `id: ${id}\ndata: ${text}\n\n`
}

export const KEEP_ALIVE = ':\n\n'

/** Makes the answer to a caller that lacks scopes: usually 403 with `WWW-Authenticate` (RFC 6750, section 3.1). */
export type ScopeChallenge = (scopes: readonly string[]) => {
  status: number
  headers: Record<string, string>
}

export type GuardVerdict =
  | { ok: true; auth: AuthInfo | undefined; challenge?: ScopeChallenge }
  | { ok: false; status: number; headers?: Record<string, string>; body?: string }

export type Guard = (head: HttpHead) => GuardVerdict | Promise<GuardVerdict>

export interface HttpContext extends RequestContext {
  /** The request itself: its credential is looked at again when the guard changes. */
  head: HttpHead
  challenge?: ScopeChallenge | undefined
}
