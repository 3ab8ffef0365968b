import { type Live, LiveSet } from '@gantry/mcp/exchange'

/** A call that must not go on for ever. */
export interface Deadline {
  /** Progress arrived: the idle time starts anew. */
  touch(): void
  /** Somebody else is waited for; `touch` ends that. */
  pause(): void
  clear(): void
}

class Entry implements Deadline, Live {
  place = -1
  idleAt: number
  readonly maxAt: number
  readonly expire: (why: 'idle' | 'total') => void
  readonly #idle: number
  readonly #all: LiveSet<Entry>

  constructor(
    limits: { idle: number; total: number },
    expire: (why: 'idle' | 'total') => void,
    all: LiveSet<Entry>,
  ) {
    const now = Date.now()
    this.idleAt = now + limits.idle
    this.maxAt = now + limits.total
    this.expire = expire
    this.#idle = limits.idle
    this.#all = all
    all.add(this)
  }

  touch(): void {
    this.idleAt = Date.now() + this.#idle
  }

  pause(): void {
    this.idleAt = Number.POSITIVE_INFINITY
  }

  clear(): void {
    this.#all.delete(this)
  }
}

const TICK = 250

/** One timer for all calls in flight: a timer for each would cost more than relaying it. */
export class Deadlines {
  readonly #entries = new LiveSet<Entry>()
  #timer: NodeJS.Timeout | undefined

  add(limits: { idle: number; total: number }, expire: (why: 'idle' | 'total') => void): Deadline {
    if (!this.#timer) {
      this.#timer = setInterval(() => this.#tick(), TICK)
      this.#timer.unref()
    }
    return new Entry(limits, expire, this.#entries)
  }

  #tick(): void {
    if (this.#entries.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    const now = Date.now()
    for (const entry of this.#entries.all()) {
      if (now < entry.idleAt && now < entry.maxAt) continue
      this.#entries.delete(entry)
      entry.expire(now >= entry.maxAt ? 'total' : 'idle')
    }
  }
}
