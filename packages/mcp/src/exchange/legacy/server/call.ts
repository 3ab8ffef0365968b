import type { Outcome } from '../../exchange.ts'
import type { PlainExchange } from '../../plain-exchange.ts'

/** One request of a legacy client under way; the exchange changes when it takes several rounds. */
export class ServedCall {
  exchange: PlainExchange | undefined
  aborted = false
  /** Lets go of whoever waits for the answer. */
  release: (() => void) | undefined
  /** Answers it now, whatever its handler goes on doing. */
  settle: ((outcome: Outcome) => void) | undefined

  /** A cancelled request is over at once, whatever its handler goes on doing. */
  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.exchange?.abort(reason)
    this.release?.()
  }
}
