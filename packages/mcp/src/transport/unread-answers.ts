import type { BudgetLimits } from '../exchange/budget.ts'
import { RefusedForLoad } from '../exchange/server/served.ts'
import { McpError } from '../jsonrpc/index.ts'
import { HeldBytes, type Holding } from './held-bytes.ts'

export interface UnreadLimits {
  /** A client that reads nothing of its answer for this many milliseconds is cut off. */
  readonly stallTimeout: number
  /** Bytes of answers that their clients have not read. */
  readonly held: BudgetLimits
  /** Told why the connection of an HTTP client was ended. */
  readonly onCutOff?: ((reason: McpError) => void) | undefined
}

/** So much the system takes off our hands in most cases: it is sent in any case, and hardly ever held. */
export const SMALL_ANSWER: number = 64 * 1024

/** A reader that has not moved for this part of the time-out, but at least a second, makes room for others. */
const STANDS_STILL = 1 / 6
const LEAST_STANDSTILL = 1000

/** All answers that their readers have not taken yet: how much memory they take, and for how long. */
export class UnreadAnswers {
  readonly limits: UnreadLimits
  readonly #held: HeldBytes

  constructor(limits: UnreadLimits) {
    this.limits = limits
    this.#held = new HeldBytes(limits.held, limits.stallTimeout)
  }

  /** Bytes that wait for their readers. */
  get held(): number {
    return this.#held.held
  }

  /** Why an answer of this length is refused; undefined when it is held. Stalled readers are cut off first. */
  refusal(reader: string, bytes: number, small: number = SMALL_ANSWER): RefusedForLoad | undefined {
    if (bytes <= small) return undefined
    let lacking = this.#held.lacks(reader, bytes)
    while (lacking !== undefined && this.#cutOneOff(lacking === 'perCaller' ? reader : undefined)) {
      lacking = this.#held.lacks(reader, bytes)
    }
    if (lacking === undefined) return undefined
    const whose = lacking === 'perCaller' ? 'This client has' : 'Clients have'
    return new RefusedForLoad(`${whose} too many unread answers: read them, then ask again`, {
      reason: 'unread_answers',
    })
  }

  #cutOneOff(reader: string | undefined): boolean {
    const standstill = Math.max(LEAST_STANDSTILL, this.limits.stallTimeout * STANDS_STILL)
    const slowest = this.#held.slowest(reader)
    if (!slowest || slowest.movedAt > Date.now() - standstill) return false
    slowest.end()
    return true
  }

  /** Begins to watch a reader. `cut` ends its connection. */
  open(reader: string, cut: (reason: McpError) => void): Holding {
    const holding = this.#held.open(reader, (waiting) => {
      const quietFor = Date.now() - holding.movedAt
      const message = `The client has read nothing for ${quietFor} ms while ${waiting} bytes wait for it: its connection is ended`
      cut(new McpError('timeout', message, { details: { reader, waiting, quietFor } }))
    })
    return holding
  }
}
