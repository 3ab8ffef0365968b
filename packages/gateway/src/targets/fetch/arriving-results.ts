import { type Arrival, type ArrivalReader, type Arrivals, McpError } from '@gantry/mcp/client'
import { Budget, type BudgetLimits, callerKey, type Exchange } from '@gantry/mcp/exchange'

/** The size of the first buffer of a long message. When a buffer is full, the next buffer is twice as large. */
const FIRST_ROOM = 1024 * 1024
/** A message has moved when so many bytes have come. Single bytes now and then do not count. */
const STEP = 64 * 1024
/** The stall time-out is divided into so many looks. A message that has not moved at any of them has stalled. */
const LOOKS = 6

export interface StallRule {
  /** A message that does not move for this long loses its room; when others wait for room, after a sixth of it. */
  readonly stallTimeout: number
  onStalled?(target: string, error: McpError): void
}

/**
 * Long messages are read as far as there is room for them. The oldest can always go on, so messages cannot block each
 * other.
 */
export class ArrivingResults {
  readonly #limits: BudgetLimits
  readonly #rule: StallRule
  readonly #budget: Budget
  /** Messages in the order in which they arrived. */
  readonly #places = new Set<Place>()
  #timer: NodeJS.Timeout | undefined

  /** `perCaller` is the share of each caller, and also the length of the longest message. */
  constructor(limits: BudgetLimits, rule: StallRule = { stallTimeout: 30_000 }) {
    this.#limits = limits
    this.#rule = rule
    this.#budget = new Budget(limits)
  }

  /** Bytes of memory that are in use. */
  get held(): number {
    return this.#budget.held
  }

  /** Messages that wait for memory. */
  get waiting(): number {
    return [...this.#places].filter(({ isWaiting }) => isWaiting).length
  }

  /**
   * The messages of one target. A message counts for the caller that it answers. On a pipe, which callers share, it
   * counts for the target.
   */
  of(target: string): Arrivals {
    return {
      open: (reader, exchange) => {
        const place = new Place(this, {
          target,
          origin: exchange ? callerKey(exchange as Exchange) : target,
          reader,
        })
        this.#places.add(place)
        this.#timer ??= setInterval(() => this.#look(), this.#rule.stallTimeout / LOOKS).unref()
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
    this.#budget.give(place.of.origin, place.room)
    for (const waiting of this.#places) {
      if (waiting.isWaiting && this.#give(waiting)) waiting.goOn()
    }
    if (this.#places.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Counts looks and not time: after a pause of this process every message gets its time again. */
  #look(): void {
    const most = this.waiting > 0 ? 2 : LOOKS + 1
    for (const place of [...this.#places]) {
      if (place.isWaiting || ++place.looks < most) continue
      this.end(place)
      const { target, reader } = place.of
      const error = stalledError(place.bytes, ((most - 1) * this.#rule.stallTimeout) / LOOKS)
      this.#rule.onStalled?.(target, error)
      reader.stalled(error)
    }
  }

  #give(place: Place): boolean {
    const { origin } = place.of
    const more = place.wanted - place.room
    const lacking = this.#isFirst(place) ? undefined : this.#budget.lacks(origin, more)
    const isTotal = this.#budget.held + more > this.#limits.total
    if (lacking === 'total' || (lacking && (isTotal || !this.#isFirst(place, origin)))) return false
    this.#budget.add(origin, more)
    place.room = place.wanted
    return true
  }

  /** Whether the message is the oldest of all messages, or the oldest of its caller. */
  #isFirst(place: Place, origin?: string): boolean {
    for (const oldest of this.#places) {
      if (origin === undefined || oldest.of.origin === origin) return oldest === place
    }
    return false
  }
}

function stalledError(bytes: number, timeout: number): McpError {
  const message = `A long message stopped in the middle: ${bytes} bytes are here, and hardly any came for ${timeout} ms`
  return new McpError('stalled', message, { details: { bytes, timeout } })
}

class Place implements Arrival {
  readonly of: { readonly target: string; readonly origin: string; readonly reader: ArrivalReader }
  bytes = 0
  room = 0
  wanted = 0
  /** Looks since it has moved. */
  looks = 0
  #movedTo = 0
  readonly #all: ArrivingResults

  constructor(all: ArrivingResults, of: Place['of']) {
    this.#all = all
    this.of = of
  }

  get isWaiting(): boolean {
    return this.wanted > this.room
  }

  grows(bytes: number, expected: number = bytes): boolean {
    this.bytes = bytes
    if (bytes - this.#movedTo >= STEP) this.#moved()
    return this.#all.grow(this, expected)
  }

  goOn(): void {
    this.#moved()
    this.of.reader.go()
  }

  ends(): void {
    this.#all.end(this)
  }

  #moved(): void {
    this.looks = 0
    this.#movedTo = this.bytes
  }
}
