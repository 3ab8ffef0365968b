import { unref } from '../protocol/index.ts'
import type { Exchange, Outcome } from './exchange.ts'

/** A call whose server waits for an answer while nobody is waiting for the call. */
export interface ParkedCall {
  /** Whether this retry belongs to the call: same method, same target, same principal. */
  accepts(exchange: Exchange): boolean
  /** Gives the server the answers in `params.inputResponses` and waits for what comes next. */
  resume(exchange: Exchange): Promise<Outcome>
  /** Nobody came back: refuse what the server asks and cancel the call. */
  expire(): void
}

/** Where calls are parked between two rounds. Several edges may share one. */
export interface Continuations {
  /** Keeps a call and names it; undefined when there is no room. */
  park(call: ParkedCall): string | undefined
  /** Looks a call up without taking it. */
  find(token: string): ParkedCall | undefined
  /** Takes a call out: a token is good for one round. */
  take(token: string): ParkedCall | undefined
}

export interface MemoryContinuationsOptions {
  /** Calls that may be parked at a time. Default 1000. */
  maxParked?: number
  /** How long a call stays parked, in milliseconds. Default 10 minutes: people take their time. */
  ttl?: number
}

/** Parks calls in memory, bounded in number and in time. */
export class MemoryContinuations implements Continuations {
  readonly #parked = new Map<string, { call: ParkedCall; timer: ReturnType<typeof setTimeout> }>()
  readonly #maxParked: number
  readonly #ttl: number

  constructor(options: MemoryContinuationsOptions = {}) {
    this.#maxParked = options.maxParked ?? 1_000
    this.#ttl = options.ttl ?? 600_000
  }

  get size(): number {
    return this.#parked.size
  }

  park(call: ParkedCall): string | undefined {
    if (this.#parked.size >= this.#maxParked) return undefined
    const token = crypto.randomUUID()
    const timer = setTimeout(() => this.take(token)?.expire(), this.#ttl)
    unref(timer)
    this.#parked.set(token, { call, timer })
    return token
  }

  find(token: string): ParkedCall | undefined {
    return this.#parked.get(token)?.call
  }

  take(token: string): ParkedCall | undefined {
    const entry = this.#parked.get(token)
    if (!entry) return undefined
    clearTimeout(entry.timer)
    this.#parked.delete(token)
    return entry.call
  }
}
