import { type Holding, SMALL_ANSWER, type UnreadAnswers } from '../../held-bytes.ts'
import { reportSafely } from '../../reports.ts'
import { type SlicedBody, SliceQueue } from './sliced-sink.ts'

/** The body of a Web response, handed out as it is read. What waits is counted, and a reader that stops is cut off. */
export class SlicedStream implements SlicedBody {
  onDrain: (() => void) | undefined
  readonly body: ReadableStream<Uint8Array>
  readonly #all: UnreadAnswers
  readonly #sender: string
  readonly #onGone: () => void
  readonly #queue = new SliceQueue()
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
        this.#watched?.moved(this.#queue.bytes)
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
    return this.#queue.bytes
  }

  /** False when the reader is behind. */
  write(data: string): boolean {
    if (!this.open) return true
    this.#queue.push(new TextEncoder().encode(data))
    this.#pump()
    return this.#queue.isEmpty
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

  breakOff(): void {
    if (!this.#closed) this.#controller.error(new Error('The answer broke off'))
    this.gone()
  }

  gone(): void {
    if (this.#closed) return
    this.#close()
    this.#queue.clear()
    this.#onGone()
  }

  #close(): void {
    this.#closed = true
    this.#watched?.close()
    this.#watched = undefined
  }

  #pump(): void {
    if (this.#closed) return
    while (this.#wantsMore && !this.#queue.isEmpty) {
      this.#wantsMore = (this.#controller.desiredSize ?? 0) > 1
      this.#controller.enqueue(this.#queue.next())
    }
    if (!this.#queue.isEmpty) return this.#watch()
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
    if (this.#watched.set(this.#queue.bytes) && this.#queue.bytes > SMALL_ANSWER) this.#watched.end()
  }
}
