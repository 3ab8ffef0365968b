import { Canceller, type Cancellation } from '../exchange/cancellation.ts'
import { McpError } from '../jsonrpc/index.ts'
import { LONGEST_TIMER } from '../protocol/index.ts'

export interface DeadlineOptions {
  method: string
  /** How long nothing may happen, in ms. */
  idle: number
  /** How long the request may take in all, in ms, whatever happens. */
  total: number
  /** Ends it as well. */
  caller: Cancellation
}

const NEVER = Number.POSITIVE_INFINITY

/**
 * The time limits of one request: an idle one, which progress resets, under a hard maximum. There is one timer
 * for both, and it is not moved when progress comes: when it fires, it looks whether it is time.
 */
export class Deadline extends Canceller {
  readonly #options: DeadlineOptions
  readonly #endAt: number
  #idleAt = NEVER
  #timer: ReturnType<typeof setTimeout> | undefined
  #firesAt = NEVER
  #paused = 0

  constructor(options: DeadlineOptions) {
    super()
    this.#options = options
    this.#endAt = after(options.total)
    const { caller } = options
    if (caller.aborted) this.#follow()
    else caller.onAbort(this.#follow)
    this.touch()
  }

  /** The request shows signs of life. */
  touch(): void {
    this.#idleAt = this.#paused > 0 ? NEVER : after(this.#options.idle)
    const due = Math.min(this.#idleAt, this.#endAt)
    if (due < this.#firesAt && !this.aborted) this.#arm(due)
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

  /** The request is over. */
  dispose(): void {
    clearTimeout(this.#timer)
    this.#firesAt = Number.NEGATIVE_INFINITY
    this.#options.caller.offAbort(this.#follow)
  }

  readonly #follow = (): void => this.abort(this.#options.caller.reason)

  #arm(due: number): void {
    clearTimeout(this.#timer)
    this.#firesAt = due
    this.#timer = setTimeout(this.#check, due - performance.now())
  }

  readonly #check = (): void => {
    const now = performance.now()
    this.#firesAt = NEVER
    // Timers count whole milliseconds and may be early by a part of one.
    if (now + 1 >= this.#endAt) this.#expire(this.#options.total, 'in all')
    else if (now + 1 >= this.#idleAt) this.#expire(this.#options.idle, 'without progress')
    else if (this.#idleAt !== NEVER || this.#endAt !== NEVER) this.#arm(Math.min(this.#idleAt, this.#endAt))
  }

  #expire(milliseconds: number, how: string): void {
    const { method } = this.#options
    const message = `${method} got no answer: ${milliseconds} ms ${how}. The request was cancelled.`
    this.abort(new McpError('timeout', message, { details: { method, timeout: milliseconds } }))
  }
}

/** When a time of this length that begins now is over; 0 is no limit. */
function after(milliseconds: number): number {
  return milliseconds === 0 || milliseconds > LONGEST_TIMER ? NEVER : performance.now() + milliseconds
}
