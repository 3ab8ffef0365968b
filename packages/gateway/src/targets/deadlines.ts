/** A call that must not go on for ever. */
export interface Deadline {
  /** Progress arrived: the idle time starts anew. */
  touch(): void
  /** Somebody else is waited for; `touch` ends that. */
  pause(): void
  clear(): void
}

interface Entry {
  idleAt: number
  readonly maxAt: number
  readonly idle: number
  readonly expire: (why: 'idle' | 'total') => void
}

const TICK = 250

/** One timer for all calls in flight: a timer for each would cost more than relaying it. */
export class Deadlines {
  readonly #entries = new Set<Entry>()
  #timer: NodeJS.Timeout | undefined

  add(limits: { idle: number; total: number }, expire: (why: 'idle' | 'total') => void): Deadline {
    const now = Date.now()
    const entry: Entry = { idleAt: now + limits.idle, maxAt: now + limits.total, idle: limits.idle, expire }
    this.#entries.add(entry)
    if (!this.#timer) {
      this.#timer = setInterval(() => this.#tick(), TICK)
      this.#timer.unref()
    }
    return {
      touch: () => {
        entry.idleAt = Date.now() + entry.idle
      },
      pause: () => {
        entry.idleAt = Number.POSITIVE_INFINITY
      },
      clear: () => {
        this.#entries.delete(entry)
      },
    }
  }

  #tick(): void {
    if (this.#entries.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    const now = Date.now()
    for (const entry of this.#entries) {
      if (now < entry.idleAt && now < entry.maxAt) continue
      this.#entries.delete(entry)
      entry.expire(now >= entry.maxAt ? 'total' : 'idle')
    }
  }
}
