import { type RequestRefusal, type RefusedForLoad, writeError } from '../../../exchange/server/answer.ts'
import type { LateJson, RequestId } from '../../../jsonrpc/index.ts'
import { EventLog, type EventLogLimits, type KeptEvents } from './event-log.ts'
import {
  type HttpContext,
  type ScopeChallenge,
  KEEP_ALIVE,
  STREAM_HEADERS,
  toEvent,
  type EventSink,
  type HttpReply,
  JSON_HEADERS,
} from './reply.ts'
import { LateBody } from './late-body.ts'
import { NEVER, type OpenStream, type OpenStreams } from './open-streams.ts'
import { refuseForLoad, toHttpRefusal } from './refusal.ts'

/** One stream of a legacy session. Its log outlives the connection, for clients that come back. */
export class SessionStream implements OpenStream {
  place = -1
  until: number = NEVER
  waitsSince: number = NEVER
  context: HttpContext
  readonly log: EventLog
  readonly #headers: Record<string, string>
  /** 2025-11-25 clients get an event before the first message, so that they have an id to come back with. */
  readonly #primed: boolean
  #reply: HttpReply | undefined
  #sink: EventSink | undefined
  readonly #streams: OpenStreams
  readonly #onRevoked: () => void
  #refusal: RequestRefusal | undefined
  #late: LateBody | undefined
  readonly #answers: RequestId | undefined
  /** Whether the answer may be a body of bytes: it answers a single request, and no stream is preferred. */
  mayFinishInBytes = false
  /** The final answer went out, or was kept for a client that comes back. */
  finished = false

  constructor(options: {
    answers: RequestId | undefined
    limits: EventLogLimits
    kept: KeptEvents
    headers: Record<string, string>
    primed: boolean
    streams: OpenStreams
    onRevoked: () => void
    reply: HttpReply
    context: HttpContext
  }) {
    this.#streams = options.streams
    this.#onRevoked = options.onRevoked
    this.context = options.context
    this.#answers = options.answers
    this.log = new EventLog(options.answers, options.limits, options.kept)
    this.#headers = options.headers
    this.#primed = options.primed
    this.#attach(options.reply)
  }

  get connected(): boolean {
    return this.#reply !== undefined
  }

  get isBehind(): boolean {
    return this.#sink?.isBehind === true
  }

  get streaming(): boolean {
    return this.#sink !== undefined
  }

  #attach(reply: HttpReply): void {
    this.#reply = reply
    reply.onAbort(() => {
      if (this.#reply === reply) this.#release()
    })
  }

  /** The answer takes long: sends comments, so that nothing takes the connection for dead. */
  wait(): void {
    if (this.waitsSince === NEVER) this.#streams.wait(this)
  }

  keepAlive(): void {
    this.open()?.write(KEEP_ALIVE)
  }

  /** The stream ends with the token of its client, which comes back with a new token. */
  end(why: 'expired' | 'revoked'): void {
    if (!this.#sink) this.#reply?.empty(401)
    this.close()
    if (why === 'revoked') this.#onRevoked()
  }

  #release(): void {
    this.#streams.delete(this)
    this.#late?.close()
    this.until = NEVER
    this.waitsSince = NEVER
    this.#reply = undefined
    this.#sink = undefined
  }

  /** Opens the event stream if it is not open; undefined when no client is connected. */
  open(retry?: number): EventSink | undefined {
    if (!this.#sink && this.#reply) {
      this.#sink = this.#reply.stream({ ...STREAM_HEADERS, ...this.#headers })
      this.#streams.expire(this)
      if (this.#primed) {
        const pause = retry === undefined ? '' : `retry: ${retry}\n`
        this.#sink.write(`id: ${this.log.prime()}\n${pause}data: \n\n`)
      }
    }
    return this.#sink
  }

  /** Sends a message now, and keeps it for later. */
  send(text: string): void {
    // Opened first: the position that a primed stream starts with lies before its first message.
    const sink = this.open()
    const id = this.log.append(text)
    sink?.write(toEvent(text, id))
  }

  /** The request is refused; a status can say so as long as nothing was streamed. */
  refuse(refusal: RequestRefusal): void {
    this.#refusal = refusal
  }

  /** The last message of a POST: a plain body unless something was streamed or a stream is preferred. */
  finish(text: string, options: FinishOptions = {}): void {
    this.finished = true
    const unread = this.#reply?.refusesToHold(text.length)
    if (unread) return this.#finishUnsent(unread)
    const refusal = toHttpRefusal(this.#refusal, options.challenge)
    const asStream = this.#sink !== undefined || (options.preferStream === true && !refusal)
    if (this.#reply && !asStream) {
      const headers = options.named === false ? {} : this.#headers
      this.#reply.json(refusal?.status ?? 200, text, refusal ? { ...headers, ...refusal.headers } : headers)
    } else {
      this.send(text)
      this.#sink?.end()
    }
    this.#release()
  }

  /** The same in bytes; false when it has to be a text. */
  finishBytes(pieces: readonly Uint8Array[]): boolean {
    if (!this.mayFinishInBytes || this.#sink || !this.#reply?.bytes) return false
    this.finished = true
    const unread = this.#reply.refusesToHold(pieces.reduce((sum, piece) => sum + piece.length, 0))
    if (unread) {
      this.#finishUnsent(unread)
      return true
    }
    this.#reply.bytes(200, pieces, this.#headers)
    this.#release()
    return true
  }

  /** The same for an answer that is read while it is sent; false when it has to be read first. It is not kept. */
  finishLate(message: LateJson): boolean {
    const reply = this.#reply
    if (!reply || this.#answers === undefined) return false
    this.finished = true
    const preferStream = !this.mayFinishInBytes
    const late = new LateBody(message, reply)
    this.#late = late
    late.open().then(async (problem) => {
      if (this.#reply !== reply) return
      if (problem !== undefined) return this.finish(problem, { preferStream })
      const isEvent = this.#sink !== undefined || preferStream
      const sink = isEvent ? this.open() : reply.stream({ ...JSON_HEADERS, ...this.#headers })
      this.#streams.delete(this)
      await late.send(sink!, isEvent)
      if (this.#reply === reply) this.#release()
    })
    return true
  }

  /** The client has left so much unread that its answer cannot be held as well. */
  #finishUnsent(refusal: RefusedForLoad): void {
    const id = this.#answers ?? null
    if (this.#sink) {
      this.send(writeError(id, refusal.toJsonRpc()))
      this.#sink.end()
    } else if (this.#reply) refuseForLoad(this.#reply, refusal, id, this.#headers)
    this.#release()
  }

  /** Ends the answer without a message: the request was cancelled. */
  abandon(): void {
    this.finished = true
    if (this.#sink) this.#sink.end()
    else this.#reply?.empty(202, this.#headers)
    this.#release()
  }

  /** Lets go of the connection; the client is to come back for the rest (SEP-1699). */
  detach(retry: number): void {
    this.open(retry)?.end()
    this.#release()
  }

  /** Ends the connection; the client is to come back after so many milliseconds. */
  sendAway(retry: number): void {
    this.#sink?.write(`retry: ${retry}\n\n`)
    this.close()
  }

  /** A client came back: sends what it missed, then the rest. False when a part of it is gone. */
  resume(reply: HttpReply, sequence: number, context: HttpContext): boolean {
    const missed = this.log.after(sequence)
    if (!missed) return false
    this.close()
    this.context = context
    this.#attach(reply)
    this.#sink = reply.stream({ ...STREAM_HEADERS, ...this.#headers })
    this.#streams.expire(this)
    for (const event of missed) this.#sink.write(toEvent(event.text, event.id))
    if (this.finished) this.close()
    else this.wait()
    return true
  }

  close(): void {
    this.#sink?.end()
    this.#release()
  }
}

interface FinishOptions {
  named?: boolean
  challenge?: ScopeChallenge | undefined
  preferStream?: boolean
}
