import { INVALID_PARAMS, isJsonObject, ProtocolError } from '../../jsonrpc/index.ts'
import { Budget, type BudgetLimits, callerKey } from '../../protocol/callers.ts'
import type { Exchange } from '../exchange.ts'
import { RefusedForLoad } from './answer.ts'

export interface SubscriptionLimits extends BudgetLimits {
  /** Resources and tasks that one request may name. */
  readonly perRequest: number
}

export const DEFAULT_SUBSCRIPTION_LIMITS: SubscriptionLimits = {
  perRequest: 1_000,
  perCaller: 25_000,
  total: 100_000,
}

/** Stands for the only listener's caller: naming it needs a random number, which costs milliseconds. */
const UNNAMED = ''

interface Listener {
  readonly exchange: Exchange
  readonly amount: number
  caller: string
}

/** Counts what callers listen for: each listener, and each resource and task that it names. */
export class SubscriptionMeter {
  readonly #perRequest: number
  readonly #held: Budget
  #only: Listener | undefined

  constructor(limits: Partial<SubscriptionLimits> = {}) {
    const all = { ...DEFAULT_SUBSCRIPTION_LIMITS, ...limits }
    this.#perRequest = all.perRequest
    this.#held = new Budget(all)
  }

  get held(): number {
    return this.#held.held
  }

  /** Counts a `subscriptions/listen`, before any of it is looked at. Returns what ends that; throws when it is too much. */
  open(exchange: Exchange): () => void {
    const named = namedIn(exchange.params.notifications)
    if (named > this.#perRequest) {
      const message = `Invalid params: ${named} resources and tasks are named; a request may name ${this.#perRequest}`
      throw new ProtocolError(INVALID_PARAMS, message, {
        reason: 'too_many_subscriptions',
        limit: this.#perRequest,
      })
    }
    const listener = { exchange, amount: named + 1, caller: this.#nameOf(exchange) }
    const lacking = this.#held.take(listener.caller, listener.amount)
    if (lacking) {
      const whose = lacking === 'perCaller' ? 'This client listens' : 'Clients listen'
      throw new RefusedForLoad(`${whose} for too much already: end some subscriptions first`, {
        reason: 'subscriptions',
        retryAfter: 10,
      })
    }
    if (listener.caller === UNNAMED) this.#only = listener
    return () => this.#close(listener)
  }

  /** A single listener needs no name: it is named when a second listener comes. */
  #nameOf(exchange: Exchange): string {
    if (this.#held.held === 0) return UNNAMED
    const only = this.#only
    this.#only = undefined
    if (only) {
      this.#held.give(UNNAMED, only.amount)
      only.caller = callerKey(only.exchange)
      this.#held.add(only.caller, only.amount)
    }
    return callerKey(exchange)
  }

  #close(listener: Listener): void {
    if (this.#only === listener) this.#only = undefined
    this.#held.give(listener.caller, listener.amount)
  }
}

function namedIn(filter: unknown): number {
  if (!isJsonObject(filter)) return 0
  let count = 0
  for (const value of Object.values(filter)) if (Array.isArray(value)) count += value.length
  return count
}
