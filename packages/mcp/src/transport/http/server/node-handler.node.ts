import type { ServerContext } from '../../../exchange/app-types.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Served, writeError } from '../../../exchange/server/answer.ts'
import { INTERNAL_ERROR, INVALID_REQUEST } from '../../../jsonrpc/index.ts'
import { refuseBody } from './refusal.ts'
import type { HttpBody, HttpCall, HttpHeaders, EventSink, HttpReply } from './reply.ts'
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
import { SlicedResponse } from './sliced-response.node.ts'

export interface NodeHandlerOptions extends HttpServiceOptions {
  /** What reaches handlers as `ctx.serverContext`, made for each request. */
  serverContext?: (request: IncomingMessage) => ServerContext
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
    const repeated = options.isGated ? undefined : repeatedHeader(request)
    if (repeated) return reply.json(400, repeated)
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

/** Headers that decide who is let in, and to what: what stands before us may go by the second of two. */
const ONCE = /^(?:host|authorization|x-api-key|mcp-session-id|last-event-id)$/i

/** The body of a refusal when such a header comes twice. */
export function repeatedHeader({ rawHeaders = [] }: IncomingMessage): string | undefined {
  let seen = ''
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (!ONCE.test(name)) continue
    if (seen.includes(name.toLowerCase())) {
      return writeError(null, { code: INVALID_REQUEST, message: `Invalid request: ${name} comes twice` })
    }
    seen += ` ${name.toLowerCase()}`
  }
  return undefined
}

/** The body that a framework has read before us: a parsed value, or text or bytes. */
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

/** Most bodies come in one chunk. Several chunks are joined and decoded once. */
function readNodeBody(request: IncomingMessage, bodies: IncomingBodies, reader: BodyReader): void {
  const { headers } = request
  const refused = refuseHead(headers['content-encoding'], headers['content-length'], bodies.limits.maxBytes)
  if (refused) return reader.refuse(refused)
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

/** Answers on a native `node:http` response; no Web streams are involved. */
export class NodeReply extends CountedReply implements HttpReply {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse

  constructor(request: IncomingMessage, response: ServerResponse, unread: UnreadAnswers) {
    super(unread)
    this.#request = request
    this.#response = response
  }

  json(status: number, body: string, headers?: Record<string, string>): void {
    if (body.length > SMALL_ANSWER) return this.bytes(status, [Buffer.from(body)], headers)
    const response = this.#response
    if (!this.#isOpen()) return
    const length = Buffer.byteLength(body)
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': length,
      ...headers,
    })
    // Written in one piece: `end` with a text writes an empty text after it, which costs a tenth of a request.
    response.cork()
    // As many bytes as characters: it is ASCII, which needs no encoding.
    response.write(body, length === body.length ? 'latin1' : 'utf8')
    response.uncork()
    response.end()
  }

  bytes(status: number, pieces: readonly Uint8Array[], headers?: Record<string, string>): void {
    const response = this.#response
    if (!this.#isOpen()) return
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': pieces.reduce((sum, piece) => sum + piece.length, 0),
      ...headers,
    })
    const body = new SlicedResponse(response, this.unread, this.sender)
    for (const piece of pieces) body.write(piece)
    body.end()
  }

  empty(status: number, headers?: Record<string, string>): void {
    if (!this.#isOpen()) return
    // 204 has no body and must not announce a body.
    this.#response.writeHead(status, status === 204 ? { ...headers } : { 'content-length': 0, ...headers })
    this.#response.end()
  }

  stream(headers?: Record<string, string>): EventSink {
    const response = this.#response
    if (this.#isOpen()) {
      response.writeHead(200, headers)
      response.flushHeaders()
    }
    return toEventSink(new SlicedResponse(response, this.unread, this.sender))
  }

  onAbort(listener: () => void): void {
    const response = this.#response
    response.once('close', () => {
      if (!response.writableFinished) listener()
    })
  }

  addHeaders(headers: Record<string, string>): void {
    for (const [name, value] of Object.entries(headers)) this.#response.setHeader(name, value)
  }

  /** Whether an answer can still be given. A body that was not read is not wanted any more. */
  #isOpen(): boolean {
    const response = this.#response
    if (response.destroyed || response.headersSent) return false
    if (!this.#request.complete) drainUnreadBody(this.#request, response)
    return true
  }
}

/** How much of a refused body is read and thrown away, and for how long. */
const MOST_DRAINED = { bytes: 256 * 1024, milliseconds: 1000 }
const LOOK_EVERY = 50

/** Drains the body of a request that was answered early, within bounds, or the answer could be lost. */
export function drainUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  // Streams of HTTP/2 are bounded by their windows, and share a socket.
  if (request.complete || request.httpVersionMajor !== 1 || !announcesBody(request)) return
  const { socket } = request
  const closes = !isShort(request)
  if (closes) {
    response.shouldKeepAlive = false
    // Node would destroy the socket with the last byte of the answer. Ending our side leaves the client time to read it.
    socket.destroySoon = () => void socket.end()
  }
  const begun = Date.now()
  const readBefore = socket.bytesRead
  request.on('error', () => {})
  request.resume()
  const timer = setInterval(() => {
    const isDrained = request.complete && (!closes || socket.writableFinished)
    const isOver =
      Date.now() - begun > MOST_DRAINED.milliseconds || socket.bytesRead - readBefore > MOST_DRAINED.bytes
    if (!isDrained && !isOver && !socket.destroyed) return
    clearInterval(timer)
    if (closes || !request.complete) socket.destroy()
  }, LOOK_EVERY)
  timer.unref()
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function isShort({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length']) <= MOST_DRAINED.bytes
}
