import { samePrincipal } from '../../../protocol/index.ts'
import { Budget } from '../../budget.ts'
import type { Exchange, Outcome } from '../../exchange.ts'

/** A call whose server waits for an answer while nobody is waiting for the call. */
export interface ParkedCall {
  /** Who counts it as theirs (`callerKey`). */
  readonly caller: string
  /** The task whose result it asks for, if it does (2025-11-25, Tasks). */
  readonly awaitedTask?: unknown
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
  find(token: string): ParkedCall | undefined
  /** Takes a call out: a token is good for one round. */
  take(token: string): ParkedCall | undefined
}

export interface MemoryContinuationsOptions {
  /** Calls that may be parked at a time. Default 1000. */
  maxParked?: number
  /** Those of one caller. Default: all of them. */
  maxParkedOfCaller?: number
  /** How long a call stays parked, in milliseconds. Default 10 minutes: people take their time. */
  ttl?: number
}

interface Parked {
  readonly call: ParkedCall
  readonly caller: string
  readonly timer: ReturnType<typeof setTimeout>
}

/** Parks calls in memory, bounded in number and in time. */
export class MemoryContinuations implements Continuations {
  readonly #parked = new Map<string, Parked>()
  readonly #budget: Budget
  readonly #ttl: number

  constructor(options: MemoryContinuationsOptions = {}) {
    const total = options.maxParked ?? 1_000
    this.#budget = new Budget({ perCaller: options.maxParkedOfCaller ?? total, total })
    this.#ttl = options.ttl ?? 600_000
  }

  get size(): number {
    return this.#parked.size
  }

  park(call: ParkedCall): string | undefined {
    const { caller } = call
    if (this.#budget.take(caller, 1)) return undefined
    const token = crypto.randomUUID()
    const timer = setTimeout(() => this.take(token)?.expire(), this.#ttl)
    timer.unref?.()
    this.#parked.set(token, { call, caller, timer })
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
    this.#budget.give(entry.caller, 1)
    return entry.call
  }
}

/** Whether a retry is one of this request: same method, same target, same principal. */
export function isSameCall(retry: Exchange, origin: Exchange): boolean {
  return (
    retry.method === origin.method &&
    retry.params.name === origin.params.name &&
    retry.params.uri === origin.params.uri &&
    samePrincipal(retry.auth?.principal, origin.auth?.principal)
  )
}
