import { Budget, type BudgetLimit, type BudgetLimits, type OpenMember, OpenSet } from '../exchange/budget.ts'

const SWEEP = 1000

/** The bytes that are held for peers: how many in each holding, and for how long. One timer watches all of them. */
export class HeldBytes {
  readonly timeout: number
  readonly #budget: Budget
  readonly #open = new OpenSet<Holding>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(limits: BudgetLimits, timeout: number) {
    this.#budget = new Budget(limits)
    this.timeout = timeout
  }

  get held(): number {
    return this.#budget.held
  }

  /** Which limit has no room for so many bytes of one message more. */
  lacks(peer: string, bytes: number): BudgetLimit | undefined {
    return this.#budget.lacksForWhole(peer, bytes)
  }

  /** Begins a holding. `overdue` is called with what it held when it has not moved for the time-out, and was closed. */
  open(peer: string, overdue: (bytes: number) => void): Holding {
    const holding = new Holding(this, peer, overdue)
    this.#open.add(holding)
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#sweep(), Math.min(SWEEP, this.timeout))
      this.#timer.unref?.()
    }
    return holding
  }

  /** Of all holdings, or of those of one peer: the one that has not moved for the longest time. */
  slowest(peer: string | undefined): Holding | undefined {
    let slowest: Holding | undefined
    for (const holding of this.#open.all()) {
      if (peer !== undefined && holding.peer !== peer) continue
      if (!slowest || holding.movedAt < slowest.movedAt) slowest = holding
    }
    return slowest
  }

  count(peer: string, more: number): BudgetLimit | undefined {
    if (more <= 0) {
      if (more < 0) this.#budget.give(peer, -more)
      return undefined
    }
    const lacking = this.lacks(peer, more)
    this.#budget.add(peer, more)
    return lacking
  }

  close(holding: Holding): void {
    if (this.#open.delete(holding)) holding.set(0)
  }

  #sweep(): void {
    if (this.#open.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    const due = Date.now() - this.timeout
    for (const holding of this.#open.all()) if (holding.movedAt <= due) holding.end()
  }
}

/** What is held for one message, or one connection, of a peer. */
export class Holding implements OpenMember {
  place = -1
  bytes = 0
  movedAt: number = Date.now()
  readonly peer: string
  readonly #all: HeldBytes
  readonly #overdue: (bytes: number) => void

  constructor(all: HeldBytes, peer: string, overdue: (bytes: number) => void) {
    this.#all = all
    this.peer = peer
    this.#overdue = overdue
  }

  /** So much is held now. Returns the limit that has no room for it; it is counted all the same. */
  set(bytes: number): BudgetLimit | undefined {
    const more = bytes - this.bytes
    this.bytes = bytes
    return this.#all.count(this.peer, more)
  }

  /** The peer has done something, and so much is left. */
  moved(bytes: number): void {
    this.movedAt = Date.now()
    this.set(bytes)
  }

  /** Closes it and says so. */
  end(): void {
    const { bytes } = this
    this.close()
    this.#overdue(bytes)
  }

  close(): void {
    this.#all.close(this)
  }
}
