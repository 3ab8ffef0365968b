import { Budget, type BudgetLimits } from '../exchange/budget.ts'
import { type Live, LiveSet } from '../exchange/live-set.ts'
import { unref } from '../protocol/index.ts'

export interface BodyLimits {
  /** A longer body is refused with 413. */
  readonly maxBytes: number
  /** A body must be complete after this many milliseconds; otherwise it is refused with 408. */
  readonly timeout: number
  /** Bytes of bodies that are being received; more are refused with 429. */
  readonly receiving: BudgetLimits
}

/** Why no more of a body is read, and what the sender is told. */
export interface BodyRefusal {
  readonly status: 408 | 413 | 429
  readonly message: string
}

const SWEEP = 1000

/** All bodies that are being received: how much memory they take, and for how long. */
export class IncomingBodies {
  readonly limits: BodyLimits
  readonly #held: Budget
  readonly #open = new LiveSet<IncomingBody>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(limits: BodyLimits) {
    this.limits = limits
    this.#held = new Budget(limits.receiving)
  }

  /** Bytes that wait for the rest of their bodies. */
  get held(): number {
    return this.#held.held
  }

  /** Begins to count a body. `refuse` is called when it takes too long. */
  open(sender: string, refuse: (refusal: BodyRefusal) => void): IncomingBody {
    const body = new IncomingBody(this, sender, refuse)
    this.#open.add(body)
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#sweep(), Math.min(SWEEP, this.limits.timeout))
      unref(this.#timer)
    }
    return body
  }

  /** Counts bytes; returns why there is no room for them. */
  take(body: IncomingBody, bytes: number): BodyRefusal | undefined {
    const { maxBytes } = this.limits
    if (body.size + bytes > maxBytes) return tooLarge(maxBytes)
    const lacking = this.#held.take(body.sender, bytes)
    if (lacking === undefined) return undefined
    const whose = lacking === 'perCaller' ? 'of this client' : 'of all clients'
    return { status: 429, message: `Too many request bodies ${whose} are being received: try again` }
  }

  close(body: IncomingBody): void {
    if (!this.#open.delete(body)) return
    if (body.size > 0) this.#held.give(body.sender, body.size)
  }

  #sweep(): void {
    if (this.#open.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    const { timeout } = this.limits
    const due = Date.now() - timeout
    for (const body of this.#open.all()) {
      if (body.since > due) continue
      body.close()
      body.refuse({ status: 408, message: `The body did not arrive within ${timeout} ms` })
    }
  }
}

/** One body that is being received. */
export class IncomingBody implements Live {
  place = -1
  size = 0
  readonly since: number = Date.now()
  readonly sender: string
  readonly refuse: (refusal: BodyRefusal) => void
  readonly #all: IncomingBodies

  constructor(all: IncomingBodies, sender: string, refuse: (refusal: BodyRefusal) => void) {
    this.#all = all
    this.sender = sender
    this.refuse = refuse
  }

  /** Counts what has come. Returns why no more is taken, and counts nothing then. */
  add(bytes: number): BodyRefusal | undefined {
    const refusal = this.#all.take(this, bytes)
    if (refusal === undefined) this.size += bytes
    return refusal
  }

  /** It is complete, or nobody wants it any more. */
  close(): void {
    this.#all.close(this)
  }
}

export function tooLarge(maxBytes: number): BodyRefusal {
  return { status: 413, message: `Invalid request: the body is larger than ${maxBytes} bytes` }
}
