import { CallTable } from '../../../exchange/pending-requests.ts'
import type { Served } from '../../../exchange/index.ts'
import type { KeptSettings } from '../../../exchange/legacy/server/session-settings.ts'
import { LegacySession } from '../../../exchange/legacy/server/session.ts'
import { RefusedForLoad, writeError } from '../../../exchange/server/answer.ts'
import {
  INTERNAL_ERROR,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type ParsedMessage,
  type ProtocolError,
  type RequestId,
} from '../../../jsonrpc/index.ts'
import { prefersStream } from './request-headers.ts'
import type { Budget } from '../../../protocol/callers.ts'
import { type EventLogLimits, KeptEvents, answeredOn, parseEventId } from './event-log.ts'
import type { HttpContext, HttpReply } from './reply.ts'
import type { Principal } from '../../../protocol/index.ts'
import type { OpenStreams } from './open-streams.ts'
import { SessionStream } from './session-stream.ts'

export interface HttpSessionOptions {
  id: string
  served: Served
  principal: Principal | undefined
  /** The name under which the session is counted. */
  sender: string
  limits: EventLogLimits
  /** Counts what is kept for clients that come back. */
  events: Budget
  streams: OpenStreams
  settings: KeptSettings | undefined
  onRevoked(): void
  onRejected(): void
}

/** Streams that ended are kept for clients that come back; more than this are forgotten, oldest first. */
const MAX_KEPT_STREAMS = 16
/** Requests that one session may have under way: a disconnect does not end them (2025-11-25, Transports). */
const MAX_IN_FLIGHT = 1_000
/** Messages wait until the client has opened its stream, up to this many. */
const MAX_EARLY = { messages: 16, characters: 16_384 }
const DEFAULT_RETRY = 1000

/** A legacy session over Streamable HTTP: which message goes out on which of its streams. */
export class HttpSession {
  readonly id: string
  readonly principal: Principal | undefined
  readonly sender: string
  readonly session: LegacySession
  lastSeen: number = Date.now()
  readonly #options: HttpSessionOptions
  readonly #routes = new CallTable<RequestId, SessionStream>()
  /** By stream id, for resumption; made when the first stream ends. */
  #streams: Map<string, SessionStream> | undefined
  #standalone: SessionStream | undefined
  readonly #kept: KeptEvents
  /** Writes of settings, one after another. The last write has the newest settings. */
  #written: Promise<void> | undefined
  /** Messages that came before the client had opened a stream. */
  #early: string[] | undefined

  constructor(options: HttpSessionOptions) {
    this.#options = options
    this.id = options.id
    this.principal = options.principal
    this.sender = options.sender
    this.#kept = new KeptEvents(options.sender, options.events, options.limits.maxCharacters)
    this.#kept.makeRoom = () => this.#forgetOldest()
    this.session = new LegacySession(
      options.served,
      {
        canPush: true,
        send: (text, relatedTo) => this.#send(text, relatedTo),
        isCongested: (relatedTo) => this.#streamOf(relatedTo)?.isBehind === true,
        refused: (id, refusal) => this.#routes.get(id)?.refuse(refusal),
        sendBytes: (id, pieces) => this.#routes.get(id)?.finishBytes(pieces) === true,
        sendLate: (id, message) => this.#routes.get(id)?.finishLate(message) === true,
        detach: (id, retry) => this.#routes.get(id)?.detach(retry ?? DEFAULT_RETRY),
        ...(options.settings && { changed: () => this.#keepSettings(options.settings!) }),
      },
      options.id,
    )
  }

  #keepSettings(settings: KeptSettings): Promise<void> {
    const write = (): Promise<void> => settings.keep(this.id, this.session.settings)
    // A write that failed is an error of its own request; the next one tries again.
    this.#written = this.#written ? this.#written.then(write, write) : write()
    return this.#written
  }

  /** The session is over, for every process. */
  async end(): Promise<void> {
    await this.#written?.catch(() => {})
    await this.#options.settings?.end(this.id).catch(() => {})
  }

  /** The client is connected. Work whose client never came back does not keep a session alive for ever. */
  get busy(): boolean {
    if (this.#standalone?.connected) return true
    for (const stream of this.#routes.values()) if (stream.connected) return true
    return false
  }

  post(message: JsonRpcMessage, reply: HttpReply, context: HttpContext): void {
    this.lastSeen = Date.now()
    if ('method' in message && 'id' in message)
      return this.#request(message as JsonRpcRequest, reply, context)
    if ('method' in message) this.session.notification(message as JsonRpcNotification, context)
    else this.session.response(message as JsonRpcResponse)
    reply.empty(202)
  }

  #request(message: JsonRpcRequest, reply: HttpReply, context: HttpContext): void {
    const stream = this.#newStream(reply, context, message.id)
    if (this.session.inFlight >= MAX_IN_FLIGHT) {
      stream.refuse(TOO_MANY)
      return stream.finish(writeError(message.id, TOO_MANY.toJsonRpc()))
    }
    stream.mayFinishInBytes = !prefersStream(context.headers?.accept)
    const known = this.#routes.get(message.id)
    if (!known) this.#routes.set(message.id, stream)
    const answer = this.session.request(message, context)
    if (!(answer instanceof Promise)) return this.#finish(message.id, stream, answer, context)
    stream.wait()
    answer.then((text) => this.#finish(message.id, stream, text, context))
  }

  /** A batch of 2025-03-26: its answers travel together. */
  batch(messages: ParsedMessage[], reply: HttpReply, context: HttpContext): void {
    const stream = this.#newStream(reply, context)
    const answers = messages.map((parsed) => this.#batched(parsed, stream, context))
    stream.wait()
    Promise.all(answers).then((settled) => {
      this.lastSeen = Date.now()
      for (const [id, route] of this.#routes.entries()) if (route === stream) this.#routes.delete(id)
      const texts = settled.filter((text) => text !== undefined)
      if (texts.length === 0) stream.abandon()
      else stream.finish(`[${texts.join(',')}]`)
      stream.log.clear()
    })
  }

  #batched(
    parsed: ParsedMessage,
    stream: SessionStream,
    context: HttpContext,
  ): string | undefined | Promise<string | undefined> {
    switch (parsed.kind) {
      case 'request': {
        const { id } = parsed.message
        if (this.session.inFlight >= MAX_IN_FLIGHT) return writeError(id, TOO_MANY.toJsonRpc())
        if (!this.#routes.has(id)) this.#routes.set(id, stream)
        return this.session.request(parsed.message, context)
      }
      case 'notification':
        this.session.notification(parsed.message, context)
        return undefined
      case 'response':
        this.session.response(parsed.message)
        return undefined
      case 'invalid':
        return parsed.isResponse ? undefined : JSON.stringify(parsed.reply)
    }
  }

  #finish(id: RequestId, stream: SessionStream, text: string | undefined, context: HttpContext): void {
    this.lastSeen = Date.now()
    if (this.#routes.get(id) === stream) this.#routes.delete(id)
    // The answer was sent as bytes.
    if (stream.finished) return
    const { negotiated } = this.session
    const preferStream = negotiated && prefersStream(context.headers?.accept)
    const isGone = !stream.connected
    const streams = preferStream || stream.streaming || isGone
    if (text === undefined) stream.abandon()
    else stream.finish(text, { named: negotiated, challenge: context.challenge, preferStream })
    if (!negotiated) this.#options.onRejected()
    else if (streams) this.#keep(stream, isGone)
    else stream.log.clear()
  }

  /** The stream that belongs to no request ends; its client is to open it elsewhere. */
  drain(): void {
    this.#standalone?.sendAway(DEFAULT_RETRY)
  }

  /** Opens the standalone stream (GET), or goes on with a broken stream (`Last-Event-ID`). */
  get(reply: HttpReply, lastEventId: string | undefined, context: HttpContext): void {
    this.lastSeen = Date.now()
    const position = lastEventId === undefined ? undefined : parseEventId(lastEventId)
    const resumed = position && this.#find(position.streamId)
    if (resumed?.resume(reply, position!.sequence, context)) return
    const missed = position && answeredOn(position.streamId)
    const stream = this.#newStream(reply, context, missed)
    if (missed !== undefined) return void this.#answerLate(stream, lastEventId!, missed)
    this.#standalone?.close()
    this.#standalone?.log.clear()
    this.#standalone = stream
    stream.open()
    for (const text of this.#early ?? []) stream.send(text)
    this.#early = undefined
    stream.wait()
    // A session that came back after a restart has not said `initialized` again.
    this.session.open(context)
  }

  /** Another process may have kept a stream that this process does not know. */
  async #answerLate(stream: SessionStream, lastEventId: string, request: RequestId): Promise<void> {
    const missed = await this.#options.limits.answers?.find(this.id, lastEventId)
    if (missed) stream.open()?.write(missed)
    else stream.send(tooLate(request))
    stream.close()
    stream.log.clear()
  }

  #find(streamId: string): SessionStream | undefined {
    for (const stream of this.#routes.values()) if (stream.log.isOf(streamId)) return stream
    if (this.#standalone?.log.isOf(streamId)) return this.#standalone
    return this.#streams?.get(streamId)
  }

  #keep(stream: SessionStream, isGone: boolean): void {
    if (isGone) this.#options.limits.answers?.keep(this.id, stream.log)
    this.#streams ??= new Map()
    this.#streams.set(stream.log.streamId, stream)
    if (this.#streams.size > MAX_KEPT_STREAMS) this.#forgetOldest()
  }

  #forgetOldest(): boolean {
    const [oldest] = this.#streams?.values() ?? []
    if (!oldest) return false
    this.#streams?.delete(oldest.log.streamId)
    oldest.log.clear()
    return true
  }

  #newStream(reply: HttpReply, context: HttpContext, answers?: RequestId): SessionStream {
    return new SessionStream({
      answers,
      limits: this.#options.limits,
      kept: this.#kept,
      headers: { 'mcp-session-id': this.id },
      primed: this.session.client.version >= '2025-11-25',
      streams: this.#options.streams,
      onRevoked: () => this.#options.onRevoked(),
      reply,
      context,
    })
  }

  #send(text: string, relatedTo: RequestId | undefined): void {
    const stream = this.#streamOf(relatedTo)
    if (stream) stream.send(text)
    else if (relatedTo === undefined) this.#keepEarly(text)
  }

  #streamOf(relatedTo: RequestId | undefined): SessionStream | undefined {
    return (relatedTo === undefined ? undefined : this.#routes.get(relatedTo)) ?? this.#standalone
  }

  /** The oldest make room: a client that never opens a stream costs next to nothing. */
  #keepEarly(text: string): void {
    this.#early ??= []
    this.#early.push(text)
    let characters = this.#early.reduce((sum, early) => sum + early.length, 0)
    while (this.#early.length > MAX_EARLY.messages || characters > MAX_EARLY.characters) {
      characters -= this.#early.shift()!.length
    }
  }

  /** Calls under way get the error as their answer; without an error their streams end empty. */
  close(error?: ProtocolError): void {
    this.session.close('session ended', error)
    if (!error) {
      // These calls get no answer: their streams end, or their clients would wait for ever.
      for (const stream of this.#routes.values()) stream.abandon()
      this.#routes.clear()
    }
    this.#standalone?.close()
    this.#kept.close()
  }
}

/** Without this answer the caller would wait for ever. */
function tooLate(id: RequestId): string {
  const message = 'The answer is gone. What was asked for may have been done.'
  return writeError(id, { code: INTERNAL_ERROR, message })
}

const TOO_MANY = /* @__PURE__ */ new RefusedForLoad('Too many requests', {
  reason: 'busy',
})
