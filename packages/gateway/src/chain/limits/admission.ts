import {
  Budget,
  type BudgetLimits,
  callerKey,
  cancellationOf,
  RefusedForLoad,
  type Exchange,
} from '@gantry/mcp/exchange'
import { FairQueue } from '../../targets/connection/fair-queue.ts'
import type { Link } from '../link.ts'

/**
 * Limits requests under way. A caller that has its share is refused. At the limit of all, callers below their fair
 * part wait in turn, and callers above it are refused.
 */
export class Admission {
  #limits: BudgetLimits
  /** Made when a request has to wait for the first time. */
  #queue: FairQueue | undefined
  /** Requests under way. */
  readonly #budget: Budget

  constructor(limits: BudgetLimits) {
    this.#limits = limits
    this.#budget = new Budget(limits)
  }

  get inFlight(): number {
    return this.#budget.held
  }

  /** Requests that wait for a place. */
  get waiting(): number {
    return this.#queue?.size ?? 0
  }

  /** Throws `RefusedForLoad`. A promise when it has to wait. The caller has to be given to `leave` afterwards. */
  enter(exchange: Exchange): string | Promise<string> {
    const caller = callerKey(exchange)
    const lacking = this.#budget.take(caller, 1)
    if (lacking === undefined) return caller
    if (lacking === 'perCaller' || !this.#mayWait(caller)) throw this.#refusal()
    this.#queue ??= new FairQueue()
    return this.#queue.wait(caller, cancellationOf(exchange)).then(() => caller)
  }

  #mayWait(caller: string): boolean {
    const held = this.#budget.heldBy(caller)
    const callers = this.#budget.callers + (held === 0 ? 1 : 0)
    const fair = Math.max(1, Math.floor(this.#limits.total / callers))
    return held + (this.#queue?.sizeOf(caller) ?? 0) < fair && this.waiting < this.#limits.total
  }

  leave(caller: string): void {
    this.#budget.give(caller, 1)
    this.#admit()
  }

  resize(limits: BudgetLimits): void {
    this.#limits = limits
    this.#budget.resize(limits)
    this.#admit()
  }

  #admit(): void {
    while (this.#budget.held < this.#limits.total) {
      const caller = this.#queue?.next()
      if (caller === undefined) return
      this.#budget.add(caller, 1)
    }
  }

  #refusal(): RefusedForLoad {
    const message = `The gateway works on ${this.inFlight} requests already; try again in a moment`
    return new RefusedForLoad(message, { reason: 'busy' })
  }
}

/** Bounds the requests under way on all endpoints together. */
export function limitsLink(admission: Admission): Link {
  return async (exchange, next) => {
    const entered = admission.enter(exchange)
    const caller = entered instanceof Promise ? await entered : entered
    const { cancellation } = exchange
    let isIn = true
    const leave = (): void => {
      if (isIn) admission.leave(caller)
      isIn = false
    }
    // A caller that is gone frees its place. A target that goes on working keeps its own slot.
    cancellation.onAbort(leave)
    try {
      return await next()
    } finally {
      cancellation.offAbort(leave)
      leave()
    }
  }
}
