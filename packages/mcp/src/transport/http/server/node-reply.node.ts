import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RefusedForLoad } from '../../../exchange/server/served.ts'
import type { EventSink, HttpReply } from './reply.ts'
import { toEventSink, type PacedBody } from './paced-sink.ts'
import { reportSafely } from '../../report-safely.ts'
import { drainUnreadBody } from './unread-body.node.ts'
import { SMALL_ANSWER, type UnreadAnswers } from '../../unread-answers.ts'
import type { Holding } from '../../held-bytes.ts'

/** Answers on a native `node:http` response; no Web streams are involved. */
export class NodeReply implements HttpReply {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #unread: UnreadAnswers
  #sender = ''

  constructor(request: IncomingMessage, response: ServerResponse, unread: UnreadAnswers) {
    this.#request = request
    this.#response = response
    this.#unread = unread
  }

  countFor(sender: string): void {
    this.#sender = sender
  }

  refusesToHold(bytes: number): RefusedForLoad | undefined {
    return this.#unread.refusal(this.#sender, bytes)
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
    // All at once and by itself: `end` with a text writes an empty one behind it, which costs a tenth of a request.
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
    const body = new PacedResponse(response, this.#unread, this.#sender)
    for (const piece of pieces) body.write(piece)
    body.end()
  }

  empty(status: number, headers?: Record<string, string>): void {
    if (!this.#isOpen()) return
    // 204 has no body and must not announce one.
    this.#response.writeHead(status, status === 204 ? { ...headers } : { 'content-length': 0, ...headers })
    this.#response.end()
  }

  stream(headers?: Record<string, string>): EventSink {
    const response = this.#response
    if (this.#isOpen()) {
      response.writeHead(200, headers)
      response.flushHeaders()
    }
    return toEventSink(new PacedResponse(response, this.#unread, this.#sender))
  }

  onAbort(listener: () => void): void {
    const response = this.#response
    response.once('close', () => {
      if (!response.writableFinished) listener()
    })
  }

  /** Whether an answer can still be given. A body that was not read is not wanted any more. */
  #isOpen(): boolean {
    const response = this.#response
    if (response.destroyed || response.headersSent) return false
    if (!this.#request.complete) drainUnreadBody(this.#request, response)
    return true
  }
}

/** What is given to the socket at a time. A reader that takes none of it stands still. */
const SLICE = 128 * 1024

/** The body of a response, written no faster than it is read. What waits is counted, and a reader that stops is cut off. */
class PacedResponse implements PacedBody {
  onDrain: (() => void) | undefined
  readonly #response: ServerResponse
  readonly #all: UnreadAnswers
  readonly #sender: string
  readonly #queue: Uint8Array[] = []
  #queued = 0
  #watched: Holding | undefined
  #ended = false

  constructor(response: ServerResponse, all: UnreadAnswers, sender: string) {
    this.#response = response
    this.#all = all
    this.#sender = sender
  }

  /** Bytes that the reader has not taken. */
  get waiting(): number {
    return this.#queued + this.#response.writableLength
  }

  /** False when the reader is behind. */
  write(data: string | Uint8Array): boolean {
    const response = this.#response
    if (response.destroyed || response.writableEnded || this.#ended) return true
    if (this.#queue.length === 0 && data.length <= SLICE) {
      if (response.write(data)) return true
      this.#watch()
      return false
    }
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    this.#queue.push(bytes)
    this.#queued += bytes.length
    if (this.#watched) this.#watch()
    else this.#pump()
    return this.#queue.length === 0
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#queue.length === 0) this.#response.end()
  }

  /** The reader is too slow, or takes too much. */
  cutOff(): void {
    this.#watched?.end()
  }

  #watch(): void {
    if (!this.#watched) {
      const response = this.#response
      this.#watched = this.#all.open(this.#sender, (reason) => {
        response.destroy()
        this.#onClose()
        reportSafely(this.#all.limits.onCutOff, reason)
      })
      response.on('drain', this.#onDrain)
      response.once('close', this.#onClose)
    }
    const { waiting } = this
    if (this.#watched.set(waiting) && waiting > SMALL_ANSWER) this.#watched.end()
  }

  readonly #onDrain = (): void => {
    this.#watched?.moved(this.waiting)
    this.#pump()
  }

  readonly #onClose = (): void => {
    this.#queue.length = 0
    this.#unwatch()
  }

  #unwatch(): void {
    this.#response.off('drain', this.#onDrain)
    this.#response.off('close', this.#onClose)
    this.#watched?.close()
    this.#watched = undefined
  }

  #pump(): void {
    const response = this.#response
    while (this.#queue.length > 0) {
      const slice = this.#nextSlice()
      if (response.write(slice)) continue
      return this.#watch()
    }
    this.#unwatch()
    if (this.#ended) response.end()
    else this.onDrain?.()
  }

  #nextSlice(): Uint8Array {
    const first = this.#queue[0]!
    const slice = first.length <= SLICE ? first : first.subarray(0, SLICE)
    if (slice === first) this.#queue.shift()
    else this.#queue[0] = first.subarray(SLICE)
    this.#queued -= slice.length
    return slice
  }
}
