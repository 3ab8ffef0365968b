import type { RefusedForLoad } from '../../../exchange/server/served.ts'
import type { EventSink, HttpReply } from './reply.ts'
import { toEventSink, type PacedBody } from './paced-sink.ts'
import { reportSafely } from '../../report-safely.ts'
import { SMALL_ANSWER, type UnreadAnswers } from '../../unread-answers.ts'
import type { Holding } from '../../held-bytes.ts'

export class FetchReply implements HttpReply {
  readonly #request: Request
  readonly #resolve: (response: Response) => void
  readonly #unread: UnreadAnswers
  readonly #listeners: (() => void)[] = []
  #sender = ''

  constructor(request: Request, unread: UnreadAnswers, resolve: (response: Response) => void) {
    this.#request = request
    this.#unread = unread
    this.#resolve = resolve
  }

  countFor(sender: string): void {
    this.#sender = sender
  }

  refusesToHold(bytes: number): RefusedForLoad | undefined {
    return this.#unread.refusal(this.#sender, bytes)
  }

  json(status: number, body: string, headers?: Record<string, string>): void {
    const init = { status, headers: { 'content-type': 'application/json', ...headers } }
    if (body.length <= SMALL_ANSWER) return this.#answer(new Response(body, init))
    const stream = this.#paced()
    stream.write(body)
    stream.end()
    this.#answer(new Response(stream.body, init))
  }

  empty(status: number, headers?: Record<string, string>): void {
    this.#answer(new Response(null, headers ? { status, headers } : { status }))
  }

  stream(headers?: Record<string, string>): EventSink {
    const stream = this.#paced()
    this.#answer(new Response(stream.body, headers ? { status: 200, headers } : { status: 200 }))
    return toEventSink(stream)
  }

  onAbort(listener: () => void): void {
    this.#listeners.push(listener)
    this.#request.signal.addEventListener('abort', listener, { once: true })
  }

  #paced(): PacedStream {
    const stream = new PacedStream(this.#unread, this.#sender, () => {
      for (const listener of this.#listeners) listener()
    })
    this.#request.signal.addEventListener('abort', () => stream.gone(), { once: true })
    return stream
  }

  /** A body that was not read is not wanted any more. */
  #answer(response: Response): void {
    if (!this.#request.bodyUsed) this.#request.body?.cancel().catch(() => {})
    this.#resolve(response)
  }
}

const SLICE = 128 * 1024

/** The body of a Web response, handed out as it is read. What waits is counted, and a reader that stops is cut off. */
class PacedStream implements PacedBody {
  onDrain: (() => void) | undefined
  readonly body: ReadableStream<Uint8Array>
  readonly #all: UnreadAnswers
  readonly #sender: string
  readonly #onGone: () => void
  readonly #queue: Uint8Array[] = []
  #queued = 0
  #controller!: ReadableStreamDefaultController<Uint8Array>
  #watched: Holding | undefined
  #wantsMore = false
  #ended = false
  #closed = false

  constructor(all: UnreadAnswers, sender: string, onGone: () => void = () => {}) {
    this.#all = all
    this.#sender = sender
    this.#onGone = onGone
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller
      },
      pull: () => {
        this.#wantsMore = true
        this.#watched?.moved(this.#queued)
        this.#pump()
      },
      cancel: () => this.gone(),
    })
  }

  get open(): boolean {
    return !this.#closed && !this.#ended
  }

  /** Bytes that the reader has not taken. */
  get waiting(): number {
    return this.#queued
  }

  /** False when the reader is behind. */
  write(data: string): boolean {
    if (!this.open) return true
    const bytes = new TextEncoder().encode(data)
    this.#queue.push(bytes)
    this.#queued += bytes.length
    this.#pump()
    return this.#queued === 0
  }

  end(): void {
    if (!this.open) return
    this.#ended = true
    this.#pump()
  }

  /** The reader is too slow, or takes too much. */
  cutOff(): void {
    this.#watched?.end()
  }

  gone(): void {
    if (this.#closed) return
    this.#close()
    this.#queue.length = 0
    this.#queued = 0
    this.#onGone()
  }

  #close(): void {
    this.#closed = true
    this.#watched?.close()
    this.#watched = undefined
  }

  #pump(): void {
    if (this.#closed) return
    while (this.#wantsMore && this.#queue.length > 0) {
      this.#wantsMore = (this.#controller.desiredSize ?? 0) > 1
      this.#controller.enqueue(this.#nextSlice())
    }
    if (this.#queue.length > 0) return this.#watch()
    const wasBehind = this.#watched !== undefined
    this.#watched?.close()
    this.#watched = undefined
    if (!this.#ended) {
      if (wasBehind) this.onDrain?.()
      return
    }
    this.#close()
    this.#controller.close()
  }

  #watch(): void {
    this.#watched ??= this.#all.open(this.#sender, (reason) => {
      this.#controller.error(new Error('The reader is too slow'))
      this.gone()
      reportSafely(this.#all.limits.onCutOff, reason)
    })
    if (this.#watched.set(this.#queued) && this.#queued > SMALL_ANSWER) this.#watched.end()
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
