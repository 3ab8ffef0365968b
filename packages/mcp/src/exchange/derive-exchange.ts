import type { LoggingLevel } from '../protocol/index.ts'
import { cancellationOf, type Cancellation } from './cancellation.ts'
import type { AuthInfo, ClientFacts, Exchange, Notification } from './exchange.ts'

/** What a relay may put in the place of the original's. */
export interface ExchangeChanges
  extends Partial<Pick<Exchange, 'method' | 'params' | 'client' | 'notify' | 'ask'>> {
  /** Its end, when that may come before the original's. */
  cancellation?: Cancellation
}

/** The same request with some parts replaced. A spread would lose getters and make a signal. */
export function deriveExchange(exchange: Exchange, changes: ExchangeChanges): Exchange {
  return new DerivedExchange(exchange, changes)
}

class DerivedExchange implements Exchange {
  readonly method: string
  readonly params: Exchange['params']
  readonly client: ClientFacts
  readonly auth: AuthInfo | undefined
  readonly logLevel: LoggingLevel | undefined
  readonly serverContext: unknown
  readonly headers: Exchange['headers']
  readonly peer: string | undefined
  readonly detach: Exchange['detach']
  readonly checkHeaders: Exchange['checkHeaders']
  readonly ask: Exchange['ask']
  readonly origin: Exchange
  readonly #notify: ((notification: Notification) => void) | undefined
  readonly #cancellation: Cancellation | undefined

  constructor(origin: Exchange, changes: ExchangeChanges) {
    this.method = changes.method ?? origin.method
    this.params = changes.params ?? origin.params
    this.client = changes.client ?? origin.client
    this.auth = origin.auth
    this.logLevel = origin.logLevel
    this.serverContext = origin.serverContext
    this.headers = origin.headers
    this.peer = origin.peer
    this.detach = origin.detach
    this.checkHeaders = origin.checkHeaders
    this.ask = 'ask' in changes ? changes.ask : origin.ask
    this.origin = origin
    this.#notify = changes.notify
    this.#cancellation = changes.cancellation
  }

  get session(): string | undefined {
    return this.origin.session
  }

  get signal(): AbortSignal {
    return this.#cancellation?.signal ?? this.origin.signal
  }

  get cancellation(): Cancellation {
    return this.#cancellation ?? cancellationOf(this.origin)
  }

  get whilePaused(): Exchange['whilePaused'] {
    const origin = this.origin
    return origin.whilePaused && ((work) => origin.whilePaused!(work))
  }

  notify(notification: Notification): void {
    if (this.#notify) this.#notify(notification)
    else this.origin.notify(notification)
  }
}
