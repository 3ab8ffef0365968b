import { abortError, closedError, networkError } from './http-client-errors.ts'

/** Runs one operation. `resolve` answers the caller; the promise settles when nothing is left open. */
type Run<T> = (operation: { abort: AbortController; resolve: (value: T) => void }) => Promise<void>

/**
 * The operations of one wire that are under way. Each has a controller of its own, so that closing the wire ends
 * all of them, and no listener stays on a caller's signal that outlives the operation.
 */
export class Operations {
  readonly #live = new Set<AbortController>()
  readonly #url: string
  #closed = false

  constructor(url: string) {
    this.#url = url
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Rejects at once when the signal is aborted, even if `run` takes longer to notice. */
  run<T>(signal: AbortSignal | undefined, run: Run<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closedError(this.#url))
    if (signal?.aborted) return Promise.reject(abortError(signal.reason))
    return new Promise((resolve, reject) => {
      const { controller, unlink } = linkedController(signal)
      this.#live.add(controller)
      const onAbort = (): void => reject(abortError(controller.signal.reason))
      controller.signal.addEventListener('abort', onAbort, { once: true })
      let answered = false
      const answer = (value: T): void => {
        answered = true
        unlink()
        resolve(value)
      }
      const end = (): void => {
        unlink()
        // `fetch` keeps the signal while the error of the request lives, which this listener would keep alive.
        controller.signal.removeEventListener('abort', onAbort)
        this.#live.delete(controller)
        if (!answered) reject(closedError(this.#url))
      }
      run({ abort: controller, resolve: answer })
        .catch((thrown: unknown) => reject(networkError(this.#url, thrown)))
        .then(end)
    })
  }

  /** Ends everything with `reason`; nothing can be started afterwards. */
  close(reason: Error = closedError(this.#url)): void {
    this.#closed = true
    for (const controller of this.#live) controller.abort(reason)
  }
}

/** A controller that follows `signal` until it is unlinked. */
export function linkedController(signal: AbortSignal | undefined): {
  controller: AbortController
  unlink: () => void
} {
  const controller = new AbortController()
  if (signal === undefined) return { controller, unlink: () => {} }
  const follow = (): void => controller.abort(signal.reason)
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  return { controller, unlink: () => signal.removeEventListener('abort', follow) }
}
