import type { Cancellation } from '@gantry/mcp/exchange'

/** Bounds the requests in flight on one connection, and how many more may wait. */
export class Slots {
  #limit: number
  #queueLimit: number
  readonly #waiting = new Set<() => void>()
  #used = 0

  constructor(limit: number, queueLimit: number) {
    this.#limit = limit
    this.#queueLimit = queueLimit
  }

  get used(): number {
    return this.#used
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Takes a slot at once, or a promise for one; undefined when too many wait already. */
  take(caller?: Cancellation): true | Promise<void> | undefined {
    if (this.#used < this.#limit) {
      this.#used++
      return true
    }
    if (this.#waiting.size >= this.#queueLimit) return undefined
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(go)
        reject(caller?.reason)
      }
      const go = (): void => {
        caller?.offAbort(giveUp)
        resolve()
      }
      this.#waiting.add(go)
      if (caller?.aborted) giveUp()
      else caller?.onAbort(giveUp)
    })
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
    for (const go of this.#waiting) {
      if (this.#used >= this.#limit) return
      this.#waiting.delete(go)
      this.#used++
      go()
    }
  }
}
