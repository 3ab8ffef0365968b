import type { Arrival, Arrivals } from '@gantry/mcp/client'
import { Budget, type BudgetLimits, callerKey, type Exchange } from '@gantry/mcp/exchange'

/** What a long message gets at first. When it needs more, it gets twice as much. */
const FIRST_ROOM = 1024 * 1024

/** Long messages are read as far as they have room; the oldest can always go on, so none block each other. */
export class ArrivingResults {
  readonly #limits: BudgetLimits
  readonly #budget: Budget
  /** In the order of their coming. */
  readonly #places = new Set<Place>()

  /** `perCaller` is the share of one caller, and the length of the longest message. */
  constructor(limits: BudgetLimits) {
    this.#limits = limits
    this.#budget = new Budget(limits)
  }

  /** Bytes that have room. */
  get held(): number {
    return this.#budget.held
  }

  /** Messages that wait for room. */
  get waiting(): number {
    return [...this.#places].filter(({ room, wanted }) => wanted > room).length
  }

  /** The messages of one target. Each counts for the caller that it answers; on a pipe, which is shared, for the target. */
  of(target: string): Arrivals {
    return {
      open: (go, exchange) => {
        const place = new Place(this, exchange ? callerKey(exchange as Exchange) : target, go)
        this.#places.add(place)
        return place
      },
    }
  }

  grow(place: Place, bytes: number): boolean {
    if (bytes <= place.room) return true
    place.wanted = Math.max(bytes, Math.min(Math.max(FIRST_ROOM, 2 * place.room), this.#limits.perCaller))
    return this.#give(place)
  }

  end(place: Place): void {
    if (!this.#places.delete(place)) return
    this.#budget.give(place.origin, place.room)
    for (const waiting of this.#places) {
      if (waiting.wanted > waiting.room && this.#give(waiting)) waiting.go()
    }
  }

  #give(place: Place): boolean {
    const { origin } = place
    const more = place.wanted - place.room
    const lacking = this.#isFirst(place) ? undefined : this.#budget.lacks(origin, more)
    const isTotal = this.#budget.held + more > this.#limits.total
    if (lacking === 'total' || (lacking && (isTotal || !this.#isFirst(place, origin)))) return false
    this.#budget.add(origin, more)
    place.room = place.wanted
    return true
  }

  /** Whether it is the oldest, of all or of one caller. */
  #isFirst(place: Place, origin?: string): boolean {
    for (const oldest of this.#places) {
      if (origin === undefined || oldest.origin === origin) return oldest === place
    }
    return false
  }
}

class Place implements Arrival {
  room = 0
  wanted = 0
  readonly origin: string
  readonly go: () => void
  readonly #all: ArrivingResults

  constructor(all: ArrivingResults, origin: string, go: () => void) {
    this.#all = all
    this.origin = origin
    this.go = go
  }

  grows(bytes: number): boolean {
    return this.#all.grow(this, bytes)
  }

  ends(): void {
    this.#all.end(this)
  }
}
