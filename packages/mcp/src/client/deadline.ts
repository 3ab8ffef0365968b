import { McpError } from '../jsonrpc/index.ts'
import { LONGEST_TIMER } from '../protocol/index.ts'

export interface DeadlineOptions {
  method: string
  /** How long nothing may happen, in ms. */
  idle: number
  /** How long the request may take in all, in ms, whatever happens. */
  total: number
  signal: AbortSignal
}

type Timer = ReturnType<typeof setTimeout>

/** The time limits of one request: an idle one, which progress resets, under a hard maximum. */
export class Deadline {
  readonly #abort = new AbortController()
  readonly #options: DeadlineOptions
  readonly #onAbort = () => this.#abort.abort(this.#options.signal.reason)
  #idle: Timer | undefined
  #total: Timer | undefined
  #paused = 0

  constructor(options: DeadlineOptions) {
    this.#options = options
    const { signal, total } = options
    if (signal.aborted) this.#onAbort()
    else signal.addEventListener('abort', this.#onAbort, { once: true })
    this.#total = this.#start(total, 'in all')
    this.touch()
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** The request shows signs of life. */
  touch(): void {
    clearTimeout(this.#idle)
    this.#idle = this.#paused > 0 ? undefined : this.#start(this.#options.idle, 'without progress')
  }

  /** Stops the idle clock while someone on our side thinks; the hard maximum goes on. */
  async whilePaused<T>(work: () => Promise<T>): Promise<T> {
    this.#paused++
    this.touch()
    try {
      return await work()
    } finally {
      this.#paused--
      if (!this.#abort.signal.aborted) this.touch()
    }
  }

  /** The request is over. */
  dispose(): void {
    clearTimeout(this.#idle)
    clearTimeout(this.#total)
    this.#options.signal.removeEventListener('abort', this.#onAbort)
  }

  #start(milliseconds: number, how: string): Timer | undefined {
    if (milliseconds === 0 || milliseconds > LONGEST_TIMER) return undefined
    return setTimeout(() => {
      const { method } = this.#options
      const message = `${method} got no answer: ${milliseconds} ms ${how}. The request was cancelled.`
      this.#abort.abort(new McpError('timeout', message, { details: { method, timeout: milliseconds } }))
    }, milliseconds)
  }
}
