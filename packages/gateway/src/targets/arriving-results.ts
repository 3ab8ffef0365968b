import { Budget, type BudgetLimits } from '@gantry/mcp/exchange'

/** A shorter answer needs no place: it is read in any case. */
export const SHORT_ANSWER: number = 256 * 1024

interface Waiting {
  readonly origin: string
  readonly bytes: number
  readonly go: () => void
}

/** Long answers get a place before they are read, so that memory is bounded. Others wait at the target. */
export class ArrivingResults {
  readonly #budget: Budget
  readonly #waiting = new Set<Waiting>()

  constructor(limits: BudgetLimits) {
    this.#budget = new Budget(limits)
  }

  /** Bytes that have a place. */
  get held(): number {
    return this.#budget.held
  }

  /** Calls `go` when the answer has its place, at once if there is room. The function returned gives it up. */
  enter(origin: string, bytes: number, go: () => void): () => void {
    const waiting: Waiting = { origin, bytes, go }
    let left = false
    this.#waiting.add(waiting)
    this.#admit()
    return () => {
      if (left) return
      left = true
      if (!this.#waiting.delete(waiting)) this.#budget.give(origin, bytes)
      this.#admit()
    }
  }

  /** In the order of their coming. One whose target has its share lets others pass. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      const { origin, bytes, go } = waiting
      const isAlone = this.#budget.held === 0
      const lacking = isAlone ? undefined : this.#budget.lacks(origin, bytes)
      if (lacking === 'total') return
      if (lacking === 'perCaller') continue
      this.#waiting.delete(waiting)
      this.#budget.add(origin, bytes)
      go()
    }
  }
}
