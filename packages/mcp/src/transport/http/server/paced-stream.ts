import type { Holding } from '../../held-bytes.ts'
import { SMALL_ANSWER, type UnreadAnswers } from '../../unread-answers.ts'

const SLICE = 128 * 1024

/** The body of a Web response, handed out as it is read. What waits is counted, and a reader that stops is cut off. */
export class PacedStream {
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
    if (this.#closed) return
    this.#controller.error(new Error('The reader is too slow'))
    this.gone()
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
    this.#watched?.close()
    this.#watched = undefined
    if (!this.#ended) return
    this.#close()
    this.#controller.close()
  }

  #watch(): void {
    this.#watched ??= this.#all.open(this.#sender, () => this.cutOff())
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
