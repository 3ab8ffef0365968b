import { INTERNAL_ERROR, INVALID_REQUEST } from '../jsonrpc/index.ts'
import type { EventSink, HttpCall, HttpHeaders, HttpReply } from './http-reply.ts'
import { HttpService, type HttpServiceOptions } from './http-service.ts'
import type { HttpServed } from './http-standard-headers.ts'
import { reportSafely } from './report-safely.ts'

export interface FetchHandlerOptions extends HttpServiceOptions {
  /** Bodies over this many bytes are refused with 413. */
  maxBodyBytes?: number
  /** What reaches handlers as `ctx.serverContext`, made for each request. */
  serverContext?: (request: Request) => unknown
}

/** A handler of Web requests: Workers, Deno, Bun, Hono, Next and others. */
export interface FetchHandler {
  (request: Request): Promise<Response>
  readonly service: HttpService
  /** Ends every session and stream. */
  close(): void
}

const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024
/** A reader that is this far behind is cut off: memory is worth more than its stream. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024
const HIGH_WATER_BYTES = 64 * 1024

/**
 * Serves MCP in every revision as a Web request handler.
 *
 * ```ts
 * export default { fetch: toFetchHandler(app) }
 * ```
 */
export function toFetchHandler(served: HttpServed, options: FetchHandlerOptions = {}): FetchHandler {
  const service = new HttpService(served, options)
  const limit = options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES
  const handler = async (request: Request): Promise<Response> => {
    let body: string | undefined
    try {
      body = request.method === 'POST' ? await readBody(request, limit) : ''
    } catch {
      // Mostly a client that went away in the middle of it: nobody is there to read this, and nothing failed here.
      return errorResponse(400, INVALID_REQUEST, 'Invalid request: the body broke off')
    }
    if (body === undefined) {
      const message = `Invalid request: the body is larger than ${limit} bytes`
      reportSafely(options.onProtocolError, { code: INVALID_REQUEST, message })
      return errorResponse(413, INVALID_REQUEST, message)
    }
    return new Promise<Response>((resolve) => {
      const failed = (error: unknown): void => {
        service.served.onInternalError?.(error)
        resolve(errorResponse(500, INTERNAL_ERROR, 'Internal error'))
      }
      try {
        const reply = new FetchReply(request, resolve)
        service.handle(toCall(request, body), reply, options.serverContext?.(request))?.catch(failed)
      } catch (error) {
        failed(error)
      }
    })
  }
  return Object.assign(handler, { service, close: () => service.close() })
}

function toCall(request: Request, body: string): HttpCall {
  const headers: Record<string, string> = {}
  request.headers.forEach((value, name) => {
    headers[name] = value
  })
  const url = new URL(request.url)
  // Web requests have no Host header of their own; the URL has it.
  headers.host ??= url.host
  return { method: request.method, url: url.pathname + url.search, headers: headers as HttpHeaders, body }
}

async function readBody(request: Request, limit: number): Promise<string | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) return undefined
  if (!request.body) return ''
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const parts: string[] = []
  let size = 0
  const reader = request.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > limit) {
      await reader.cancel()
      return undefined
    }
    parts.push(decoder.decode(value, { stream: true }))
  }
  parts.push(decoder.decode())
  return parts.join('')
}

function errorResponse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })
}

class FetchReply implements HttpReply {
  readonly #request: Request
  readonly #resolve: (response: Response) => void
  readonly #listeners: (() => void)[] = []

  constructor(request: Request, resolve: (response: Response) => void) {
    this.#request = request
    this.#resolve = resolve
  }

  json(status: number, body: string, headers?: Record<string, string>): void {
    this.#resolve(new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } }))
  }

  empty(status: number, headers?: Record<string, string>): void {
    this.#resolve(new Response(null, headers ? { status, headers } : { status }))
  }

  stream(headers?: Record<string, string>): EventSink {
    const encoder = new TextEncoder()
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    let open = true
    const gone = (): void => {
      if (!open) return
      open = false
      for (const listener of this.#listeners) listener()
    }
    const body = new ReadableStream<Uint8Array>(
      {
        start(started) {
          controller = started
        },
        cancel: gone,
      },
      { highWaterMark: HIGH_WATER_BYTES, size: (chunk) => chunk.byteLength },
    )
    this.#request.signal.addEventListener('abort', gone, { once: true })
    this.#resolve(new Response(body, headers ? { status: 200, headers } : { status: 200 }))
    return {
      write(frame) {
        if (!open) return true
        // What was there before counts: one large message to a quick reader is fine.
        if ((controller!.desiredSize ?? 0) < -MAX_BUFFERED_BYTES) {
          controller!.error(new Error('The reader is too slow'))
          gone()
          return true
        }
        controller!.enqueue(encoder.encode(frame))
        return (controller!.desiredSize ?? 0) > 0
      },
      end() {
        if (!open) return
        open = false
        controller!.close()
      },
    }
  }

  onAbort(listener: () => void): void {
    this.#listeners.push(listener)
    this.#request.signal.addEventListener('abort', listener, { once: true })
  }
}
