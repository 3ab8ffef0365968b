import { pause, RefusedForLoad } from '@gantry/mcp/exchange'
import type { GatewayExchange } from '../gateway-exchange.ts'

/** Refusals of one caller in a second that are told at once. */
const AT_ONCE = 50
/** In milliseconds, and up to twice as long: refusals that came together shall not come back together. */
const LATER = 150
/** Refusals that wait. Each has a place among the requests under way, so there are few. */
const MOST_WAITING = 100
/** Callers that are counted in a second. */
const MOST_CALLERS = 1000

/**
 * A caller that is refused again and again hears of it a little later. One that asks as fast as it is refused would
 * otherwise take time from all others.
 */
export class LateRefusals {
  #second = 0
  #refused = new Map<string, number>()
  /** In the second before. */
  #before: ReadonlyMap<string, number> = new Map()
  #waiting = 0

  /** Throws what was thrown, at once or in a moment. */
  async tell(thrown: unknown, caller: string, exchange: GatewayExchange): Promise<never> {
    if (thrown instanceof RefusedForLoad && this.#isOften(caller) && this.#waiting < MOST_WAITING) {
      this.#waiting++
      await pause(LATER * (1 + Math.random()), exchange.signal).finally(() => this.#waiting--)
    }
    throw thrown
  }

  #isOften(caller: string): boolean {
    const second = Math.floor(performance.now() / 1000)
    if (second !== this.#second) {
      this.#before = second === this.#second + 1 ? this.#refused : new Map()
      this.#refused = new Map()
      this.#second = second
    }
    const refused = (this.#refused.get(caller) ?? 0) + 1
    if (refused > 1 || this.#refused.size < MOST_CALLERS) this.#refused.set(caller, refused)
    return Math.max(refused, this.#before.get(caller) ?? 0) > AT_ONCE
  }
}
