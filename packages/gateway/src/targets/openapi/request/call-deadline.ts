/**
 * The end of one call: its time is up, its caller went away, or the target closes. `AbortSignal.any` would do,
 * but on a signal that lives as long as the gateway it leaves something behind for every call.
 */
export class CallDeadline {
  timedOut = false
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #timer: NodeJS.Timeout

  constructor(caller: AbortSignal, timeout: number) {
    this.#caller = caller
    this.#timer = setTimeout(() => {
      this.timedOut = true
      this.#controller.abort(new Error('timeout'))
    }, timeout)
    caller.addEventListener('abort', this.abort, { once: true })
    if (caller.aborted) this.abort()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  readonly abort = (): void => this.#controller.abort(this.#caller.reason)

  /** The call is over, whatever its end. */
  release(): void {
    clearTimeout(this.#timer)
    this.#caller.removeEventListener('abort', this.abort)
  }
}
