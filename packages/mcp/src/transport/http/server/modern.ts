import { complete, failure } from '../../../exchange/exchange.ts'
import type { Exchange, PlainExchange, Outcome, Served } from '../../../exchange/index.ts'
import { openModernExchange } from '../../../exchange/modern/server-edge.ts'
import {
  respondSafely,
  type RefusedForLoad,
  refusalOf,
  responseFacts,
  writeError,
  dropOutcome,
  writeOutcome,
  writeRawOutcome,
} from '../../../exchange/server/answer.ts'
import {
  HEADER_MISMATCH,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  MISSING_CLIENT_CAPABILITY,
  ProtocolError,
  UNSUPPORTED_PROTOCOL_VERSION,
  type JsonRpcRequest,
  type LateJson,
  type RequestId,
} from '../../../jsonrpc/index.ts'
import { acceptsStream, prefersStream, checkParameter, checkStandardHeaders } from './request-headers.ts'
import {
  type HttpContext,
  JSON_HEADERS,
  KEEP_ALIVE,
  STREAM_HEADERS,
  toEvent,
  type EventSink,
  type HttpCall,
  type HttpReply,
} from './reply.ts'
import { NEVER, type OpenStream, type OpenStreams } from './open-streams.ts'
import { LateBody } from './late-body.ts'
import { refuseForLoad, toHttpRefusal } from './refusal.ts'

export interface AnswerHost {
  readonly served: Served
  readonly context: HttpContext
  readonly streams: OpenStreams
}

/** Answers a modern request: JSON unless a notification comes first. A lost peer cancels it. */
export function answerModern(
  request: JsonRpcRequest,
  call: HttpCall,
  reply: HttpReply,
  host: AnswerHost,
): void {
  const { served } = host
  const answer = new StreamedAnswer(request.id, reply, host, call.headers.accept)
  let exchange: PlainExchange
  try {
    const isNews = request.method === 'subscriptions/listen'
    exchange = openModernExchange(request, served, host.context, (text) => {
      if (isNews || !answer.isBehind) answer.notify(text)
    })
    checkStandardHeaders(request, call.headers)
  } catch (error) {
    const problem = versionFirst(request, call, ProtocolError.from(error))
    reply.json(problem.code === METHOD_NOT_FOUND ? 404 : 400, writeError(request.id, problem.toJsonRpc()))
    return
  }
  if (request.method === 'tools/call') {
    exchange.checkHeaders = headerCheck(request, call)
  }
  if (request.method === 'subscriptions/listen' && !acceptsStream(call.headers.accept)) {
    return reply.json(406, writeError(request.id, NEEDS_STREAM))
  }
  const finish = (outcome: Outcome): void => {
    exchange.finish()
    if (exchange.aborted) return dropOutcome(outcome)
    const facts = responseFacts(request, exchange.client.version, served)
    const raw = writeRawOutcome(outcome, facts)
    if (raw && answer.finishBytes(raw)) return
    const text = writeOutcome(outcome, facts)
    if (typeof text !== 'string') return void answer.finishLate(text)
    if (outcome.type !== 'error') return answer.finish(200, text)
    const refusal = toHttpRefusal(refusalOf(outcome), host.context.challenge)
    answer.finish(refusal?.status ?? statusOf(outcome.error.code), text, refusal?.headers)
  }
  const outcome = respondSafely(served, exchange)
  if (!(outcome instanceof Promise)) return finish(outcome)
  const cut = (error: ProtocolError): void => {
    finish(failure(error))
    exchange.abort('closed')
  }
  reply.onAbort(() => answer.drop('disconnected'))
  if (request.method === 'subscriptions/listen') {
    answer.leave = () => {
      finish(complete({}))
      exchange.abort('closed')
    }
  } else answer.cut = cut
  answer.wait((reason) => exchange.abort(reason))
  outcome.then(finish)
}

/** Compares what a client says of its arguments in headers with the arguments. */
function headerCheck(request: JsonRpcRequest, call: HttpCall): NonNullable<Exchange['checkHeaders']> {
  return (parameters) => {
    for (const one of parameters) checkParameter(one, request.params?.arguments, call.headers)
  }
}

const NEEDS_STREAM = { code: INVALID_REQUEST, message: 'Accept must list text/event-stream to listen' }

/** If header and body name the same unsupported version, reports the version; if they differ, the mismatch. */
function versionFirst(request: JsonRpcRequest, call: HttpCall, problem: ProtocolError): ProtocolError {
  if (problem.code !== UNSUPPORTED_PROTOCOL_VERSION) return problem
  try {
    checkStandardHeaders(request, call.headers)
    return problem
  } catch (error) {
    return ProtocolError.from(error)
  }
}

function statusOf(code: number): number {
  switch (code) {
    case METHOD_NOT_FOUND:
      return 404
    case HEADER_MISMATCH:
    case MISSING_CLIENT_CAPABILITY:
    case UNSUPPORTED_PROTOCOL_VERSION:
      return 400
    default:
      return 200
  }
}

/** A stream from the first notification on, when the answer is long in coming, or because the client prefers one. */
export class StreamedAnswer implements OpenStream {
  place = -1
  until: number = NEVER
  waitsSince: number = NEVER
  readonly context: HttpContext
  cut: OpenStream['cut']
  leave: OpenStream['leave']
  #onDrop: ((reason: string) => void) | undefined
  readonly #id: RequestId
  readonly #reply: HttpReply
  readonly #host: AnswerHost
  readonly #accept: string | undefined
  #sink: EventSink | undefined
  #late: LateBody | undefined

  constructor(id: RequestId, reply: HttpReply, host: AnswerHost, accept: string | undefined) {
    this.context = host.context
    this.#id = id
    this.#reply = reply
    this.#host = host
    this.#accept = accept
  }

  get #mayStream(): boolean {
    return acceptsStream(this.#accept)
  }

  get isBehind(): boolean {
    return this.#sink?.isBehind === true
  }

  notify(text: string): void {
    if (this.#mayStream) this.#open().write(toEvent(text))
  }

  /** `onDrop` gets the reason when the reader leaves before the answer is there. */
  wait(onDrop: (reason: string) => void): void {
    this.#onDrop = onDrop
    if (this.#mayStream) this.#host.streams.wait(this)
    else this.#host.streams.add(this)
  }

  keepAlive(): void {
    this.#open().write(KEEP_ALIVE)
  }

  /** A result that is there in bytes; false when it has to be a text. */
  finishBytes(pieces: readonly Uint8Array[]): boolean {
    if (!this.#reply.bytes || this.#asStream(200)) return false
    this.#host.streams.delete(this)
    const unread = this.#reply.refusesToHold(pieces.reduce((sum, piece) => sum + piece.length, 0))
    if (unread) refuseForLoad(this.#reply, unread, this.#id)
    else this.#reply.bytes(200, pieces)
    return true
  }

  /** A result that is read while it is sent. */
  finishLate(message: LateJson): true {
    this.#late = new LateBody(message, this.#reply)
    this.#late.open().then((problem) => {
      if (problem !== undefined) return this.finish(200, problem)
      this.#host.streams.delete(this)
      const isEvent = this.#asStream(200)
      const sink = this.#sink ?? this.#reply.stream(isEvent ? STREAM_HEADERS : JSON_HEADERS)
      return this.#late?.send(sink, isEvent)
    })
    return true
  }

  /** Another status than 200 says something that a stream could not. */
  #asStream(status: number): boolean {
    return this.#sink !== undefined || (status === 200 && prefersStream(this.#accept))
  }

  finish(status: number, text: string, headers?: Record<string, string>): void {
    this.#host.streams.delete(this)
    this.#late?.close()
    const unread = this.#reply.refusesToHold(text.length)
    if (unread) return this.#finishUnsent(unread)
    if (!this.#asStream(status)) return this.#reply.json(status, text, headers)
    const sink = this.#sink ?? this.#reply.stream(STREAM_HEADERS)
    sink.write(toEvent(text))
    sink.end()
  }

  /** The client has left so much unread that its answer cannot be held as well. */
  #finishUnsent(refusal: RefusedForLoad): void {
    if (!this.#sink) return refuseForLoad(this.#reply, refusal, this.#id)
    this.#sink.write(toEvent(writeError(this.#id, refusal.toJsonRpc())))
    this.#sink.end()
  }

  /** The caller is gone, or is not let in any more. */
  drop(reason: string): void {
    this.#host.streams.delete(this)
    this.#late?.close()
    this.#sink?.end()
    this.#onDrop?.(reason)
  }

  end(why: 'expired' | 'revoked'): void {
    if (!this.#sink) this.#reply.empty(401)
    this.drop(why)
  }

  #open(): EventSink {
    if (this.#sink) return this.#sink
    this.#sink = this.#reply.stream(STREAM_HEADERS)
    this.#host.streams.expire(this)
    return this.#sink
  }
}
