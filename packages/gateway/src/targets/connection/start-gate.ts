/** Lets only so many things start at a time; the rest wait in order. */
export class StartGate {
  readonly #limit: number
  #running = 0
  readonly #waiting = new Set<() => void>()

  constructor(limit: number) {
    this.#limit = Math.max(1, limit)
  }

  /** Rejects with the signal's reason when it is aborted before its turn. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#running >= this.#limit) await this.#turn(signal)
    else this.#running++
    try {
      return await work()
    } finally {
      const [next] = this.#waiting
      if (next) next()
      else this.#running--
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(go)
        reject(signal?.reason)
      }
      const go = (): void => {
        this.#waiting.delete(go)
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      this.#waiting.add(go)
      if (signal?.aborted) giveUp()
      else signal?.addEventListener('abort', giveUp, { once: true })
    })
  }
}
