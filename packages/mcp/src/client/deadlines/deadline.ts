import { Canceller } from '../../exchange/plain-exchange.ts'
import type { Cancellation } from '../../exchange/exchange.ts'
import { McpError } from '../../jsonrpc/index.ts'
import { LONGEST_TIMER } from '../../protocol/index.ts'
import type { Alarm, Expiring } from './alarm.ts'

/** Time limits in milliseconds; 0 for no limit. */
export interface Limits {
  readonly idle: number
  readonly total: number
}

const NEVER = Number.POSITIVE_INFINITY

/** The time limits of a request: an idle limit, which progress resets, and a hard maximum. */
export class Deadline extends Canceller implements Expiring {
  place = -1
  due: number
  readonly method: string
  readonly #limits: Limits
  readonly #endAt: number
  #idleAt: number
  #paused = 0
  readonly #alarm: Alarm
  readonly #caller: Cancellation

  /** `caller` ends it as well. */
  constructor(method: string, limits: Limits, caller: Cancellation, alarm: Alarm) {
    super()
    const now = performance.now()
    this.method = method
    this.#limits = limits
    this.#endAt = after(now, limits.total)
    this.#idleAt = after(now, limits.idle)
    this.due = Math.min(this.#idleAt, this.#endAt)
    this.#alarm = alarm
    this.#caller = caller
    if (caller.aborted) this.#follow()
    else caller.onAbort(this.#follow)
    if (!this.aborted) alarm.add(this)
  }

  /** The request shows signs of life. */
  touch(): void {
    this.#idleAt = this.#paused > 0 ? NEVER : after(performance.now(), this.#limits.idle)
    const due = Math.min(this.#idleAt, this.#endAt)
    const isSooner = due < this.due
    this.due = due
    if (isSooner) this.#alarm.hasten(due)
  }

  /** Stops the idle clock while someone on our side thinks; the hard maximum goes on. */
  async whilePaused<T>(work: () => Promise<T>): Promise<T> {
    this.#paused++
    this.touch()
    try {
      return await work()
    } finally {
      this.#paused--
      this.touch()
    }
  }

  check(now: number): void {
    if (now >= this.#endAt) this.#expire(this.#limits.total, 'in all')
    else if (now >= this.#idleAt) this.#expire(this.#limits.idle, 'without progress')
  }

  dispose(): void {
    this.#alarm.delete(this)
    this.#caller.offAbort(this.#follow)
  }

  readonly #follow = (): void => this.abort(this.#caller.reason)

  #expire(milliseconds: number, how: string): void {
    const { method } = this
    this.#alarm.delete(this)
    const message = `${method} got no answer: ${milliseconds} ms ${how}. The request was cancelled.`
    this.abort(new McpError('timeout', message, { details: { method, timeout: milliseconds } }))
  }
}

/** When a time of this length that begins now is over; 0 is no limit. */
function after(now: number, milliseconds: number): number {
  return milliseconds === 0 || milliseconds > LONGEST_TIMER ? NEVER : now + milliseconds
}
