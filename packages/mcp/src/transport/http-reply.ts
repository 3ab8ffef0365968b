/** Header names in lower case, as Node gives them. */
export type HttpHeaders = Readonly<Record<string, string | undefined>>

/** An incoming HTTP request, whatever the runtime. The body is read already and within its limit. */
export interface HttpCall {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: HttpHeaders
  readonly body: string
  /** The body when a framework has parsed it already. */
  readonly parsedBody?: unknown
}

/** An open event stream. */
export interface EventSink {
  /** Writes one event's text, framing included. Returns false when the reader is slow. */
  write(frame: string): boolean
  end(): void
}

/** How the answer is given. Exactly one of these is called, once. */
export interface HttpReply {
  json(status: number, body: string, headers?: Record<string, string>): void
  /** A JSON body that is there in bytes already, which may be gone when it was sent. Without it, texts are sent. */
  bytes?(status: number, pieces: readonly Uint8Array[], headers?: Record<string, string>): void
  empty(status: number, headers?: Record<string, string>): void
  stream(headers?: Record<string, string>): EventSink
  /** Called when the peer goes away before the answer is finished. */
  onAbort(listener: () => void): void
}

export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Proxies such as nginx would hold events back (2026-07-28, Streamable HTTP).
  'x-accel-buffering': 'no',
}

/** A message as an event. JSON text has no raw newlines, so one `data:` line is enough. */
export function toEvent(text: string, id?: string): string {
  return id === undefined ? `data: ${text}\n\n` : `id: ${id}\ndata: ${text}\n\n`
}

export const KEEP_ALIVE = ':\n\n'
