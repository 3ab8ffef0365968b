import { orAbort } from '../../exchange/client/client-edge.ts'
import type { Cancellation } from '../../exchange/exchange.ts'
import { cancellationOf } from '../../exchange/plain-exchange.ts'
import type { AuthInfo, ClientFacts, Exchange, Notification } from '../../exchange/index.ts'
import type { LoggingLevel } from '../../protocol/index.ts'
import type { Alarm } from './alarm.ts'
import { Deadline, type Limits } from './deadline.ts'

/** A request and its time limits, in one object since every call has it. */
export class TimedExchange extends Deadline implements Exchange {
  readonly params: Exchange['params']
  readonly client: ClientFacts
  readonly auth: AuthInfo | undefined
  readonly logLevel: LoggingLevel | undefined
  readonly serverContext: unknown
  readonly headers: Exchange['headers']
  readonly detach: Exchange['detach']
  readonly sending: Exchange['sending']
  readonly #origin: Exchange

  constructor(origin: Exchange, limits: Limits, alarm: Alarm) {
    super(origin.method, limits, cancellationOf(origin), alarm)
    this.params = origin.params
    this.client = origin.client
    this.auth = origin.auth
    this.logLevel = origin.logLevel
    this.serverContext = origin.serverContext
    this.headers = origin.headers
    this.detach = origin.detach
    this.sending = origin.sending
    this.#origin = origin
  }

  get cancellation(): Cancellation {
    return this
  }

  /** Read late: ids of sessions are made on the first read. */
  get session(): string | undefined {
    return this.#origin.session
  }

  notify(notification: Notification): void {
    if (notification.method === 'notifications/progress') this.touch()
    this.#origin.notify(notification)
  }

  get ask(): Exchange['ask'] {
    const { ask } = this.#origin
    return (
      ask &&
      ((requests, signal = this.signal) => this.whilePaused(() => orAbort(ask(requests, signal), signal)))
    )
  }
}
