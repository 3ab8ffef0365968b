import type { Served } from '../../../exchange/server/served.ts'
import { INTERNAL_ERROR, INVALID_REQUEST } from '../../../jsonrpc/index.ts'
import { FetchReply } from './fetch-reply.ts'
import { refuse, refuseBody } from './refusal.ts'
import type { HttpCall, HttpHeaders } from './reply.ts'
import { HttpService } from './service.ts'
import type { HttpServiceOptions } from './service-options.ts'
import { type BodyRefusal, type IncomingBodies, tooLarge } from './incoming-bodies.ts'

export interface FetchHandlerOptions extends HttpServiceOptions {
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
            // Mostly a client that went away in the middle of it: nobody reads this, and nothing failed here.
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
  const { maxBytes } = bodies.limits
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return tooLarge(maxBytes)
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
