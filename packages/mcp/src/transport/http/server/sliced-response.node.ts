import type { ServerResponse } from 'node:http'
import { type Holding, SMALL_ANSWER, type UnreadAnswers } from '../../held-bytes.ts'
import { reportSafely } from '../../reports.ts'
import { type SlicedBody, SLICE, SliceQueue } from './sliced-sink.ts'

/** The body of a response, written no faster than it is read. What waits is counted, and a reader that stops is cut off. */
export class SlicedResponse implements SlicedBody {
  onDrain: (() => void) | undefined
  readonly #response: ServerResponse
  readonly #all: UnreadAnswers
  readonly #sender: string
  readonly #queue = new SliceQueue()
  #watched: Holding | undefined
  #ended = false

  constructor(response: ServerResponse, all: UnreadAnswers, sender: string) {
    this.#response = response
    this.#all = all
    this.#sender = sender
  }

  /** Bytes that the reader has not taken. */
  get waiting(): number {
    return this.#queue.bytes + this.#response.writableLength
  }

  /** False when the reader is behind. */
  write(data: string | Uint8Array): boolean {
    const response = this.#response
    if (response.destroyed || response.writableEnded || this.#ended) return true
    if (this.#queue.isEmpty && data.length <= SLICE) {
      if (response.write(data)) return true
      this.#watch()
      return false
    }
    this.#queue.push(typeof data === 'string' ? Buffer.from(data) : data)
    if (this.#watched) this.#watch()
    else this.#pump()
    return this.#queue.isEmpty
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#queue.isEmpty) this.#response.end()
  }

  /** The reader is too slow, or takes too much. */
  cutOff(): void {
    this.#watched?.end()
  }

  breakOff(): void {
    this.#response.destroy()
    this.#onClose()
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
    this.#queue.clear()
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
    while (!this.#queue.isEmpty) {
      if (response.write(this.#queue.next())) continue
      return this.#watch()
    }
    this.#unwatch()
    if (this.#ended) response.end()
    else this.onDrain?.()
  }
}
