import type { BudgetLimits } from '../../../exchange/budget.ts'
import { HeldBytes, type Holding } from '../../held-bytes.ts'

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

/** All bodies that are being received: how much memory they take, and for how long. */
export class IncomingBodies {
  readonly limits: BodyLimits
  readonly #held: HeldBytes

  constructor(limits: BodyLimits) {
    this.limits = limits
    this.#held = new HeldBytes(limits.receiving, limits.timeout)
  }

  /** Bytes that wait for the rest of their bodies. */
  get held(): number {
    return this.#held.held
  }

  /** Begins to count a body. `refuse` is called when it takes too long. */
  open(sender: string, refuse: (refusal: BodyRefusal) => void): Holding {
    return this.#held.open(sender, () =>
      refuse({ status: 408, message: `The body did not arrive within ${this.limits.timeout} ms` }),
    )
  }

  /** Counts what has come; returns why no more is taken. */
  add(body: Holding, bytes: number): BodyRefusal | undefined {
    const { maxBytes } = this.limits
    if (body.bytes + bytes > maxBytes) return tooLarge(maxBytes)
    const lacking = body.set(body.bytes + bytes)
    if (lacking === undefined) return undefined
    const whose = lacking === 'perCaller' ? 'of this client' : 'of all clients'
    return { status: 429, message: `Too many request bodies ${whose} are being received: try again` }
  }
}

export function tooLarge(maxBytes: number): BodyRefusal {
  return { status: 413, message: `Invalid request: the body is larger than ${maxBytes} bytes` }
}
