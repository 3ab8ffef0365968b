import type { ServerResponse } from 'node:http'
import type { Holding } from '../../held-bytes.ts'
import { SMALL_ANSWER, type UnreadAnswers } from '../../unread-answers.ts'

/** What is given to the socket at a time. A reader that takes none of it stands still. */
const SLICE = 128 * 1024

/** The body of a response, written no faster than it is read. What waits is counted, and a reader that stops is cut off. */
export class PacedResponse {
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
    if (response.destroyed || this.#ended) return true
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

  #watch(): void {
    if (!this.#watched) {
      const response = this.#response
      this.#watched = this.#all.open(this.#sender, () => response.destroy())
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
