import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Served } from '../../../exchange/server/served.ts'
import { writeError } from '../../../exchange/server/write-message.ts'
import { INTERNAL_ERROR } from '../../../jsonrpc/index.ts'
import { refuseBody } from './refusal.ts'
import type { HttpBody, HttpCall, HttpHeaders } from './reply.ts'
import { HttpService } from './service.ts'
import type { HttpServiceOptions } from './service-options.ts'
import { NodeReply } from './node-reply.node.ts'
import { type BodyRefusal, type IncomingBodies, tooLarge } from './incoming-bodies.ts'

export interface NodeHandlerOptions extends HttpServiceOptions {
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

/**
 * Serves MCP in every revision on a Node server.
 *
 * ```ts
 * createServer(toNodeHandler(app)).listen(3000, '127.0.0.1')
 * ```
 */
export function toNodeHandler(served: Served, options: NodeHandlerOptions = {}): NodeHandler {
  const service = new HttpService(served, options)
  const { bodies, answers } = service.meter
  const listener = (request: IncomingMessage, response: ServerResponse, body?: unknown): void => {
    const reply = new NodeReply(request, response, answers)
    const failed = (error: unknown): void => {
      service.served.onInternalError?.(error)
      reply.json(500, INTERNAL_ERROR_BODY)
    }
    const readBody: HttpCall['readBody'] = (sender, done) => {
      const received = (body: HttpBody): void => {
        try {
          done(body)
        } catch (error) {
          failed(error)
        }
      }
      const before = bodyReadBefore(request, body)
      if (before) return received(before)
      readNodeBody(request, bodies, {
        sender,
        done: (text) => received({ text }),
        refuse: (refusal) => refuseBody(reply, refusal, options.onProtocolError),
      })
    }
    try {
      service.handle(toCall(request, readBody), reply, options.serverContext?.(request))?.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
  return Object.assign(listener, { service, close: () => service.close() })
}

const INTERNAL_ERROR_BODY: string = writeError(null, { code: INTERNAL_ERROR, message: 'Internal error' })

/** Express strips the mount path from `url` and keeps the whole in `originalUrl`. */
function toCall(request: IncomingMessage, readBody: HttpCall['readBody']): HttpCall {
  const { originalUrl } = request as { originalUrl?: string }
  return {
    method: request.method ?? 'GET',
    url: originalUrl ?? request.url ?? '/',
    headers: request.headers as HttpHeaders,
    peer: request.socket?.remoteAddress,
    readBody,
  }
}

/** What a framework has read before us: a parsed value, or text or bytes where it only reads. */
function bodyReadBefore(request: IncomingMessage, given: unknown): HttpBody | undefined {
  const value = given !== undefined && typeof given !== 'function' ? given : bodyOf(request)
  if (value === undefined) return undefined
  if (typeof value === 'string') return { text: value }
  return value instanceof Uint8Array ? { text: new TextDecoder().decode(value) } : { value }
}

/** Express 4 sets an empty object where nothing was read. */
function bodyOf(request: IncomingMessage): unknown {
  return request.readableEnded ? (request as { body?: unknown }).body : undefined
}

interface BodyReader {
  readonly sender: string
  done(body: string): void
  refuse(refusal: BodyRefusal): void
}

/** Most bodies come in one chunk; those that do not are joined and decoded once. */
function readNodeBody(request: IncomingMessage, bodies: IncomingBodies, reader: BodyReader): void {
  if (Number(request.headers['content-length'] ?? 0) > bodies.limits.maxBytes) {
    return reader.refuse(tooLarge(bodies.limits.maxBytes))
  }
  const chunks: Buffer[] = []
  const stop = (): void => {
    incoming.close()
    chunks.length = 0
    request.off('data', onData)
    request.off('end', onEnd)
  }
  const refuse = (refusal: BodyRefusal): void => {
    stop()
    reader.refuse(refusal)
  }
  const onData = (chunk: Buffer): void => {
    const refusal = bodies.add(incoming, chunk.length)
    if (refusal) refuse(refusal)
    else chunks.push(chunk)
  }
  const onEnd = (): void => {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    stop()
    reader.done(body.toString('utf8'))
  }
  const incoming = bodies.open(reader.sender, refuse)
  request.on('data', onData)
  request.on('end', onEnd)
  request.on('error', () => {})
  request.once('close', stop)
}
