interface Entry<T> {
  readonly value: T
  readonly until: number
}

/** Short-lived, bounded facts about tokens, by their hash. Concurrent callers share one look-up. */
export class TokenCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #flights = new Map<string, Promise<T>>()
  readonly #maxEntries: number

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get size(): number {
    return this.#entries.size
  }

  get(hash: string): T | undefined {
    const entry = this.#entries.get(hash)
    if (entry === undefined) return undefined
    this.#entries.delete(hash)
    if (entry.until <= Date.now()) return undefined
    this.#entries.set(hash, entry)
    return entry.value
  }

  /** The known value, or a new one. `ttl` says how long it may be kept, in milliseconds. */
  async getOr(hash: string, load: () => Promise<T>, ttl: (value: T) => number): Promise<T> {
    const known = this.get(hash)
    if (known !== undefined) return known
    const flight = this.#flights.get(hash)
    if (flight) return flight
    const loading = load()
      .then((value) => {
        this.set(hash, value, ttl(value))
        return value
      })
      .finally(() => this.#flights.delete(hash))
    this.#flights.set(hash, loading)
    return loading
  }

  set(hash: string, value: T, ttlMs: number): void {
    if (ttlMs <= 0) return
    this.#entries.delete(hash)
    this.#entries.set(hash, { value, until: Date.now() + ttlMs })
    if (this.#entries.size > this.#maxEntries) {
      this.#entries.delete(this.#entries.keys().next().value as string)
    }
  }
}
