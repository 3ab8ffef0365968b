import type { Cancellation } from '@gantry/mcp/exchange'
import { FairQueue } from './fair-queue.ts'

/** Bounds the requests in flight on one connection, and how many more of each caller may wait. */
export class Slots {
  #limit: number
  #queueLimit: number
  readonly #queue = new FairQueue()
  #used = 0

  constructor(limit: number, queueLimit: number) {
    this.#limit = limit
    this.#queueLimit = queueLimit
  }

  get used(): number {
    return this.#used
  }

  get waiting(): number {
    return this.#queue.size
  }

  /** Takes a slot at once, or a promise for one; undefined when too many of this caller wait already. */
  take(caller: () => string, cancellation?: Cancellation): true | Promise<void> | undefined {
    if (this.#used < this.#limit) {
      this.#used++
      return true
    }
    const key = caller()
    return this.#queue.sizeOf(key) >= this.#queueLimit ? undefined : this.#queue.wait(key, cancellation)
  }

  release(): void {
    this.#used--
    this.#admit()
  }

  /** New limits hold for those who wait, too. */
  resize(limit: number, queueLimit: number): void {
    this.#limit = limit
    this.#queueLimit = queueLimit
    this.#admit()
  }

  #admit(): void {
    while (this.#used < this.#limit && this.#queue.next() !== undefined) this.#used++
  }
}
