const TICK = 250

/** Requests that must not go on for ever. */
export interface Expiring {
  /** Ends requests whose time is over. Returns false when no request is under way. */
  check(now: number): boolean
}

/** One timer for all calls in flight: a timer for each would cost more than relaying it. */
export class Deadlines {
  readonly #watched = new Set<Expiring>()
  #timer: NodeJS.Timeout | undefined

  /** Watches requests until none is under way. */
  watch(requests: Expiring): void {
    this.#watched.add(requests)
    if (this.#timer) return
    this.#timer = setInterval(() => this.#tick(), TICK)
    this.#timer.unref()
  }

  #tick(): void {
    const now = Date.now()
    for (const requests of this.#watched) {
      if (!requests.check(now)) this.#watched.delete(requests)
    }
    if (this.#watched.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
