/** Bounds the requests in flight on one connection, and how many more may wait. */
export class Slots {
  readonly #limit: number
  readonly #queueLimit: number
  readonly #waiting: (() => void)[] = []
  #used = 0

  constructor(limit: number, queueLimit: number) {
    this.#limit = limit
    this.#queueLimit = queueLimit
  }

  get used(): number {
    return this.#used
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Takes a slot at once, or a promise for one; undefined when too many wait already. */
  take(): true | Promise<void> | undefined {
    if (this.#used < this.#limit) {
      this.#used++
      return true
    }
    if (this.#waiting.length >= this.#queueLimit) return undefined
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  release(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#used--
  }
}
