import type { ServerContext } from '../../../exchange/app-types.ts'
import type { Served } from '../../../exchange/server/answer.ts'
import { INTERNAL_ERROR, INVALID_REQUEST } from '../../../jsonrpc/index.ts'
import { refuse, refuseBody } from './refusal.ts'
import type { HttpCall, HttpHeaders, EventSink, HttpReply } from './reply.ts'
import { HttpService } from './service.ts'
import type { HttpServiceOptions } from './service-options.ts'
import {
  type BodyRefusal,
  CountedReply,
  type IncomingBodies,
  refuseHead,
  SMALL_ANSWER,
  type UnreadAnswers,
} from '../../held-bytes.ts'
import { toEventSink } from './sliced-sink.ts'
import { SlicedStream } from './sliced-stream.ts'

export interface FetchHandlerOptions extends HttpServiceOptions {
  /** What reaches handlers as `ctx.serverContext`, made for each request. */
  serverContext?: (request: Request) => ServerContext
}

/** A handler of Web requests: Workers, Deno, Bun, Hono, Next and others. */
export interface FetchHandler {
  (request: Request): Promise<Response>
  readonly service: HttpService
  /** Ends every session and stream. */
  close(): void
}

/**
 * Serves MCP in every revision as a Web request handler.
 *
 * ```ts
 * export default { fetch: toFetchHandler(app) }
 * ```
 */
export function toFetchHandler(served: Served, options: FetchHandlerOptions = {}): FetchHandler {
  const service = new HttpService(served, options)
  const { bodies, answers } = service.meter
  const handler = (request: Request): Promise<Response> =>
    new Promise<Response>((resolve) => {
      const reply = new FetchReply(request, answers, resolve)
      const failed = (error: unknown): void => {
        service.served.onInternalError?.(error)
        refuse(reply, 500, 'Internal error', INTERNAL_ERROR)
      }
      const readBody: HttpCall['readBody'] = (sender, done) => {
        readFetchBody(request, bodies, sender)
          .then(
            (body) => {
              if (typeof body === 'string') done({ text: body })
              else refuseBody(reply, body, options.onProtocolError)
            },
            // Mostly a client that went away in the middle of it. It does not read this, and nothing failed here.
            () => refuse(reply, 400, 'Invalid request: the body broke off', INVALID_REQUEST),
          )
          .catch(failed)
      }
      try {
        service.handle(toCall(request, readBody), reply, options.serverContext?.(request))?.catch(failed)
      } catch (error) {
        failed(error)
      }
    })
  return Object.assign(handler, { service, close: () => service.close() })
}

function toCall(request: Request, readBody: HttpCall['readBody']): HttpCall {
  const headers: Record<string, string> = {}
  request.headers.forEach((value, name) => {
    headers[name] = value
  })
  const url = new URL(request.url)
  // Web requests have no Host header of their own; the URL has it.
  headers.host ??= url.host
  return { method: request.method, url: url.pathname + url.search, headers: headers as HttpHeaders, readBody }
}

/** The body as text, or why it was not taken. Rejects when it breaks off. */
async function readFetchBody(
  request: Request,
  bodies: IncomingBodies,
  sender: string,
): Promise<string | BodyRefusal> {
  const { headers } = request
  const refused = refuseHead(
    headers.get('content-encoding'),
    headers.get('content-length'),
    bodies.limits.maxBytes,
  )
  if (refused) return refused
  if (!request.body) return ''
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const parts: string[] = []
  const reader = request.body.getReader()
  let refusal: BodyRefusal | undefined
  const incoming = bodies.open(sender, (late) => {
    refusal = late
    reader.cancel().catch(() => {})
  })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (refusal) return refusal
      if (done) break
      refusal = bodies.add(incoming, value.byteLength)
      if (refusal) {
        reader.cancel().catch(() => {})
        return refusal
      }
      parts.push(decoder.decode(value, { stream: true }))
    }
  } finally {
    incoming.close()
  }
  parts.push(decoder.decode())
  return parts.join('')
}

class FetchReply extends CountedReply implements HttpReply {
  readonly #request: Request
  readonly #resolve: (response: Response) => void
  readonly #listeners: (() => void)[] = []
  readonly #added: [string, string][] = []

  constructor(request: Request, unread: UnreadAnswers, resolve: (response: Response) => void) {
    super(unread)
    this.#request = request
    this.#resolve = resolve
  }

  json(status: number, body: string, headers?: Record<string, string>): void {
    const init = { status, headers: { 'content-type': 'application/json', ...headers } }
    if (body.length <= SMALL_ANSWER) return this.#answer(new Response(body, init))
    const stream = this.#sliced()
    stream.write(body)
    stream.end()
    this.#answer(new Response(stream.body, init))
  }

  empty(status: number, headers?: Record<string, string>): void {
    this.#answer(new Response(null, headers ? { status, headers } : { status }))
  }

  stream(headers?: Record<string, string>): EventSink {
    const stream = this.#sliced()
    this.#answer(new Response(stream.body, headers ? { status: 200, headers } : { status: 200 }))
    return toEventSink(stream)
  }

  onAbort(listener: () => void): void {
    this.#listeners.push(listener)
    this.#request.signal.addEventListener('abort', listener, { once: true })
  }

  addHeaders(headers: Record<string, string>): void {
    this.#added.push(...Object.entries(headers))
  }

  #sliced(): SlicedStream {
    const stream = new SlicedStream(this.unread, this.sender, () => {
      for (const listener of this.#listeners) listener()
    })
    this.#request.signal.addEventListener('abort', () => stream.gone(), { once: true })
    return stream
  }

  /** A body that was not read is not wanted any more. */
  #answer(response: Response): void {
    if (!this.#request.bodyUsed) this.#request.body?.cancel().catch(() => {})
    for (const [name, value] of this.#added) response.headers.set(name, value)
    this.#resolve(response)
  }
}
