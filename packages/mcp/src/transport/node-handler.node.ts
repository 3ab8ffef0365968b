import type { IncomingMessage, ServerResponse } from 'node:http'
import { writeError } from '../exchange/write-message.ts'
import { INTERNAL_ERROR, INVALID_REQUEST } from '../jsonrpc/index.ts'
import type { HttpCall, HttpHeaders } from './http-reply.ts'
import { HttpService, type HttpServiceOptions } from './http-service.ts'
import type { HttpServed } from './http-standard-headers.ts'
import { NodeReply } from './node-reply.node.ts'
import { reportSafely } from './report-safely.ts'

export interface NodeHandlerOptions extends HttpServiceOptions {
  /** Bodies over this many bytes are refused with 413. */
  maxBodyBytes?: number
  /** What reaches handlers as `ctx.serverContext`, made for each request. */
  serverContext?: (request: IncomingMessage) => unknown
}

/** A request listener for `node:http`, Express, Fastify and the like. */
export interface NodeHandler {
  /** `body` is what a framework has parsed already; Express, which passes `next` there, keeps it elsewhere. */
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void
  readonly service: HttpService
  /** Ends every session and stream. */
  close(): void
}

const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024

/**
 * Serves MCP in every revision on a Node server.
 *
 * ```ts
 * createServer(toNodeHandler(app)).listen(3000, '127.0.0.1')
 * ```
 */
export function toNodeHandler(served: HttpServed, options: NodeHandlerOptions = {}): NodeHandler {
  const service = new HttpService(served, options)
  const limit = options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES
  const listener = (request: IncomingMessage, response: ServerResponse, body?: unknown): void => {
    const reply = new NodeReply(response)
    const failed = (error: unknown): void => {
      service.served.onInternalError?.(error)
      reply.json(500, INTERNAL_ERROR_BODY)
    }
    const answer = (body: string, parsedBody?: unknown): void => {
      try {
        const call = toCall(request, body, parsedBody)
        service.handle(call, reply, options.serverContext?.(request))?.catch(failed)
      } catch (error) {
        failed(error)
      }
    }
    if (request.method !== 'POST') return answer('')
    const parsed = parsedBody(request, body)
    if (typeof parsed === 'string') return answer(parsed)
    if (parsed instanceof Uint8Array) return answer(new TextDecoder().decode(parsed))
    if (parsed !== undefined) return answer('', parsed)
    readBody(request, limit, answer, () => {
      const message = `Invalid request: the body is larger than ${limit} bytes`
      reportSafely(options.onProtocolError, { code: INVALID_REQUEST, message })
      reply.json(413, writeError(null, { code: INVALID_REQUEST, message }), { connection: 'close' })
    })
  }
  return Object.assign(listener, { service, close: () => service.close() })
}

const INTERNAL_ERROR_BODY: string = writeError(null, { code: INTERNAL_ERROR, message: 'Internal error' })

/** Express strips the mount path from `url` and keeps the whole in `originalUrl`. */
function toCall(request: IncomingMessage, body: string, parsedBody: unknown): HttpCall {
  const { originalUrl } = request as { originalUrl?: string }
  return {
    method: request.method ?? 'GET',
    url: originalUrl ?? request.url ?? '/',
    headers: request.headers as HttpHeaders,
    body,
    parsedBody,
  }
}

/** What was read before us: a parsed value, or text or bytes where the framework only reads. */
function parsedBody(request: IncomingMessage, given: unknown): unknown {
  if (given !== undefined && typeof given !== 'function') return given
  // Express 4 sets an empty object where nothing was read.
  return request.readableEnded ? (request as { body?: unknown }).body : undefined
}

/** Most bodies come in one chunk; those that do not are joined and decoded once. */
function readBody(
  request: IncomingMessage,
  limit: number,
  done: (body: string) => void,
  refuse: () => void,
): void {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limit) {
    refuse()
    return
  }
  const chunks: Buffer[] = []
  let size = 0
  const onData = (chunk: Buffer): void => {
    size += chunk.length
    if (size > limit) {
      request.off('data', onData)
      request.off('end', onEnd)
      request.resume()
      refuse()
      return
    }
    chunks.push(chunk)
  }
  const onEnd = (): void => {
    done(chunks.length === 1 ? chunks[0]!.toString('utf8') : Buffer.concat(chunks, size).toString('utf8'))
  }
  request.on('data', onData)
  request.on('end', onEnd)
  request.on('error', () => {})
}
