import { McpError } from '../jsonrpc/index.ts'

/** The end of a request without the cost of an `AbortSignal` (docs/adr/0010). */
export interface Cancellation {
  readonly aborted: boolean
  readonly reason: unknown
  readonly signal: AbortSignal
  /** The exchange that the request is sent for, where it is known. */
  readonly origin?: object | undefined
  /** Called once, at once when the end comes; not called for an end that has been already. Must not throw. */
  onAbort(listener: () => void): void
  offAbort(listener: () => void): void
}

export class Canceller implements Cancellation {
  /** True once the caller cancelled or went away: nothing more may be sent. */
  aborted = false
  reason: unknown
  /** The first listener by itself: mostly there is no other. */
  #listener: (() => void) | undefined
  #others: (() => void)[] | undefined
  #controller: AbortController | undefined

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.aborted) this.#controller.abort(this.reason)
    }
    return this.#controller.signal
  }

  onAbort(listener: () => void): void {
    if (this.#listener === undefined) this.#listener = listener
    else if (this.#others === undefined) this.#others = [listener]
    else this.#others.push(listener)
  }

  offAbort(listener: () => void): void {
    if (this.#listener === listener) {
      this.#listener = undefined
      return
    }
    const at = this.#others?.indexOf(listener) ?? -1
    if (at >= 0) this.#others!.splice(at, 1)
  }

  abort(reason?: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const first = this.#listener
    const others = this.#others ?? []
    this.#listener = undefined
    this.#others = undefined
    first?.()
    for (const listener of others) listener()
    this.#controller?.abort(reason)
  }
}

class SignalCancellation implements Cancellation {
  readonly signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.signal = signal
  }

  get aborted(): boolean {
    return this.signal.aborted
  }

  get reason(): unknown {
    return this.signal.reason
  }

  onAbort(listener: () => void): void {
    this.signal.addEventListener('abort', listener, { once: true })
  }

  offAbort(listener: () => void): void {
    this.signal.removeEventListener('abort', listener)
  }
}

export const NEVER_CANCELLED: Cancellation = {
  aborted: false,
  reason: undefined,
  get signal() {
    return new AbortController().signal
  },
  onAbort() {},
  offAbort() {},
}

/** A signal that somebody else made; without one nobody can end it. */
export function signalCancellation(signal: AbortSignal | null | undefined): Cancellation {
  return signal ? new SignalCancellation(signal) : NEVER_CANCELLED
}

interface Cancellable {
  readonly signal: AbortSignal
  readonly cancellation?: Cancellation | undefined
}

/** How to hear of an exchange's end at the least cost. */
export function cancellationOf(exchange: Cancellable): Cancellation {
  return exchange.cancellation ?? new SignalCancellation(exchange.signal)
}

/** Why a request stopped: the McpError that the aborting side gave, or a plain `cancelled`. */
export function abortError({ reason }: { readonly reason: unknown }): McpError {
  if (reason instanceof McpError) return reason
  const text = typeof reason === 'string' ? reason : 'The request was cancelled'
  return new McpError('cancelled', text, { cause: reason })
}
