import { abortError, Canceller } from '../../../exchange/plain-exchange.ts'
import type { Cancellation } from '../../../exchange/exchange.ts'
import { type OpenMember, OpenSet } from '../../../protocol/callers.ts'
import { closedError, networkError } from './errors.ts'

/** Runs an operation, which answers its caller. The promise settles when nothing is open any more. */
type Run<T> = (operation: Operation<T>) => Promise<void>

/** The operations of one wire. When the wire is closed, all of them end and remove their listeners from callers. */
export class Operations {
  readonly #live = new OpenSet<Canceller & OpenMember>()
  readonly #url: string
  #closed = false

  constructor(url: string) {
    this.#url = url
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Rejects at once when the caller gives up, even if `run` takes longer to notice. */
  run<T>(caller: Cancellation | undefined, run: Run<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closedError(this.#url))
    if (caller?.aborted) return Promise.reject(abortError(caller))
    return new Promise((resolve, reject) => {
      const operation = new Operation(caller, resolve, reject)
      this.#live.add(operation)
      const end = (): void => {
        this.#live.delete(operation)
        operation.end(this.#url)
      }
      run(operation).then(end, (thrown: unknown) => {
        reject(networkError(this.#url, thrown))
        end()
      })
    })
  }

  /** Ends everything but `spared` with `reason`; nothing can be started afterwards. */
  close(reason: Error = closedError(this.#url), spared?: ReadonlySet<Canceller>): void {
    this.#closed = true
    for (const operation of this.#live.all()) if (!spared?.has(operation)) operation.abort(reason)
  }
}

export class Operation<T> extends Canceller implements OpenMember {
  place = -1
  origin: object | undefined
  readonly #caller: Cancellation | undefined
  readonly #resolve: (value: T) => void
  readonly #reject: (error: Error) => void
  #answered = false

  constructor(caller: Cancellation | undefined, resolve: (value: T) => void, reject: (error: Error) => void) {
    super()
    this.#caller = caller
    this.#resolve = resolve
    this.#reject = reject
    caller?.onAbort(this.#follow)
  }

  answer(value: T): void {
    this.#answered = true
    this.#caller?.offAbort(this.#follow)
    this.#resolve(value)
  }

  override abort(reason?: unknown): void {
    if (!this.aborted) this.#reject(abortError({ reason }))
    super.abort(reason)
  }

  end(url: string): void {
    this.#caller?.offAbort(this.#follow)
    if (!this.#answered) this.#reject(closedError(url))
  }

  readonly #follow = (): void => this.abort(this.#caller?.reason)
}

/** A canceller that follows `signal` until it is unlinked. */
export function linkedCanceller(signal: AbortSignal): { canceller: Canceller; unlink: () => void } {
  const canceller = new Canceller()
  const follow = (): void => canceller.abort(signal.reason)
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  return { canceller, unlink: () => signal.removeEventListener('abort', follow) }
}
