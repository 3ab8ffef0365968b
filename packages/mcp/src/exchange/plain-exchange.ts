import type { ServerContext } from './app-types.ts'
import { type JsonObject, McpError, type RequestId } from '../jsonrpc/index.ts'
import type { LoggingLevel } from '../protocol/index.ts'
import type {
  Cancellation,
  AuthInfo,
  ClientFacts,
  Exchange,
  InputRequests,
  InputResponses,
  Notification,
  Middleware,
  Outcome,
} from './exchange.ts'

export class Canceller implements Cancellation {
  /** True once the caller cancelled or went away: nothing more may be sent. */
  aborted = false
  reason: unknown
  /** The first listener is kept apart, because most exchanges have only one listener. */
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

/** A signal that the caller made; without it the caller cannot end the exchange. */
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

/** How the sender of a request may give it up, in whichever form that was said. */
export function callerOf({
  cancellation,
  signal,
}: { [Key in keyof Cancellable]?: Cancellable[Key] | undefined }): Cancellation | undefined {
  return cancellation ?? (signal && signalCancellation(signal))
}

/** Waits so many milliseconds; rejects when the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(abortError(signal))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, milliseconds)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

/** Why a request stopped: the McpError that the aborting side gave, or a plain `cancelled`. */
export function abortError({ reason }: { readonly reason: unknown }): McpError {
  if (reason instanceof McpError) return reason
  const text = typeof reason === 'string' ? reason : 'The request was cancelled'
  return new McpError('cancelled', text, { cause: reason })
}

/** The facts that a transport has about a message besides its content. */
export interface RequestContext {
  auth?: AuthInfo | undefined
  serverContext?: ServerContext
  headers?: Readonly<Record<string, string | undefined>> | undefined
  session?: string | undefined
  /** The network address of the peer, if there is one. */
  peer?: string | undefined
}

export interface ExchangeInit extends Omit<RequestContext, 'session'> {
  /** The id of the session, or what has it. */
  session?: string | { readonly id: string } | undefined
  /** The object that holds the name of the connection. */
  connection?: { readonly id: string } | undefined
  method: string
  id?: RequestId | undefined
  params: JsonObject
  client: ClientFacts
  logLevel?: LoggingLevel | undefined
  notify?: ((notification: Notification) => void) | undefined
  detach?: ((retryMs?: number) => void) | undefined
  ask?: ((requests: InputRequests, signal?: AbortSignal) => Promise<InputResponses>) | undefined
}

/** An exchange under way. */
export class PlainExchange extends Canceller implements Exchange {
  readonly method: string
  readonly id: RequestId | undefined
  readonly params: JsonObject
  readonly client: ClientFacts
  readonly auth: AuthInfo | undefined
  readonly logLevel: LoggingLevel | undefined
  readonly serverContext: unknown
  readonly headers: Readonly<Record<string, string | undefined>> | undefined
  readonly peer: string | undefined
  ask: ((requests: InputRequests, signal?: AbortSignal) => Promise<InputResponses>) | undefined
  readonly detach: ((retryMs?: number) => void) | undefined
  checkHeaders: Exchange['checkHeaders']
  readonly #session: ExchangeInit['session']
  readonly #connection: ExchangeInit['connection']
  #finished = false
  readonly #notify: ((notification: Notification) => void) | undefined

  constructor(init: ExchangeInit) {
    super()
    this.method = init.method
    this.id = init.id
    this.params = init.params
    this.client = init.client
    this.auth = init.auth
    this.logLevel = init.logLevel
    this.serverContext = init.serverContext
    this.headers = init.headers
    this.peer = init.peer
    this.#session = init.session
    this.#connection = init.connection
    this.ask = init.ask
    this.detach = init.detach
    this.#notify = init.notify
  }

  get cancellation(): Cancellation {
    return this
  }

  get session(): string | undefined {
    return typeof this.#session === 'object' ? this.#session.id : this.#session
  }

  get connection(): string | undefined {
    return this.#connection?.id
  }

  /** The outcome is known. Notifications of the handler from now on are dropped. */
  finish(): void {
    this.#finished = true
  }

  /** False once it is answered or given up. */
  get open(): boolean {
    return !this.aborted && !this.#finished
  }

  notify(notification: Notification): void {
    if (this.open) this.#notify?.(notification)
  }
}

/** A handle of exchanges of one kind. */
type HandleOf<E extends Exchange> = (exchange: E) => Outcome | Promise<Outcome>

/** Folds middleware around a handle, the first outermost. Without middleware, returns the handle itself. */
export function composeMiddleware<E extends Exchange>(
  middleware: readonly Middleware<E>[],
  handle: HandleOf<E>,
): HandleOf<E> {
  return middleware.reduceRight<HandleOf<E>>(
    (inner, wrap) => (exchange) => wrap(exchange, (changed = exchange) => promised(inner, changed)),
    handle,
  )
}

/** Passes an existing promise on and makes no other: every link of every call runs through here. */
function promised<E extends Exchange>(handle: HandleOf<E>, exchange: E): Promise<Outcome> {
  try {
    const outcome = handle(exchange)
    return outcome instanceof Promise ? outcome : Promise.resolve(outcome)
  } catch (thrown) {
    return Promise.reject(thrown)
  }
}
