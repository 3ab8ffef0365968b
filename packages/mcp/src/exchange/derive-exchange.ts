import type { LoggingLevel } from '../protocol/index.ts'
import { cancellationOf } from './plain-exchange.ts'
import type {
  Cancellation,
  AuthInfo,
  ClientFacts,
  Exchange,
  Notification,
  Middleware,
  Outcome,
} from './exchange.ts'
import { withSources } from '../jsonrpc/index.ts'

/** The members of the original that a relay may replace. */
export interface ExchangeChanges
  extends Partial<
    Pick<
      Exchange,
      'method' | 'params' | 'client' | 'notify' | 'ask' | 'detach' | 'sending' | 'session' | 'asTask'
    >
  > {
  /** The signal that ends the new request, when it may end before the original request. */
  cancellation?: Cancellation
}

/** The same request with some parts replaced. A spread would lose getters and make a signal. */
export function deriveExchange(exchange: Exchange, changes: ExchangeChanges): Exchange {
  return new DerivedExchange(exchange, changes)
}

class DerivedExchange implements Exchange {
  readonly method: string
  readonly id: Exchange['id']
  readonly sending: Exchange['sending']
  readonly params: Exchange['params']
  readonly client: ClientFacts
  readonly auth: AuthInfo | undefined
  readonly logLevel: LoggingLevel | undefined
  readonly serverContext: unknown
  readonly headers: Exchange['headers']
  readonly peer: string | undefined
  readonly detach: Exchange['detach']
  readonly checkHeaders: Exchange['checkHeaders']
  readonly asTask: Exchange['asTask']
  ask: Exchange['ask']
  readonly origin: Exchange
  readonly #session: string | undefined
  readonly #notify: ((notification: Notification) => void) | undefined
  readonly #cancellation: Cancellation | undefined

  constructor(origin: Exchange, changes: ExchangeChanges) {
    this.method = changes.method ?? origin.method
    this.id = origin.id
    this.sending = changes.sending ?? origin.sending
    this.params = changes.params ?? origin.params
    this.client = changes.client ?? origin.client
    this.auth = origin.auth
    this.logLevel = origin.logLevel
    this.serverContext = origin.serverContext
    this.headers = origin.headers
    this.peer = origin.peer
    this.detach = 'detach' in changes ? changes.detach : origin.detach
    this.checkHeaders = origin.checkHeaders
    this.asTask = changes.asTask ?? origin.asTask
    this.ask = 'ask' in changes ? changes.ask : origin.ask
    this.origin = origin
    this.#session = changes.session
    this.#notify = changes.notify
    this.#cancellation = changes.cancellation
  }

  get session(): string | undefined {
    return this.#session ?? this.origin.session
  }

  get connection(): string | undefined {
    return this.origin.connection
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

/** Lets a server's handlers put `bigint` into results, questions, progress and logs. */
export const writesIntegers: Middleware = async (exchange, next) => {
  const { ask } = exchange
  const asked = deriveExchange(exchange, {
    notify: (notification) => exchange.notify(withSources(notification)),
    ask: ask && ((requests, signal) => ask(withSources(requests), signal)),
  })
  return toWritable(await next(asked))
}

/** Converts outcomes only: a thrown error never leaves the process. */
function toWritable(outcome: Outcome): Outcome {
  return outcome.type === 'error' ? { ...outcome, error: withSources(outcome.error) } : withSources(outcome)
}

/** Lets a client's author put `bigint` into arguments; answers to questions are seen to where they are made. */
export const sendsIntegers: Middleware = (exchange: Exchange, next) => {
  const params = withSources(exchange.params)
  return next(params === exchange.params ? exchange : deriveExchange(exchange, { params }))
}
