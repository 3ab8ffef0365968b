import type { JsonObject } from '../jsonrpc/index.ts'
import type { LoggingLevel } from '../protocol/index.ts'
import { Canceller, type Cancellation } from './cancellation.ts'
import type {
  AuthInfo,
  ClientFacts,
  Exchange,
  InputRequests,
  InputResponses,
  Notification,
} from './exchange.ts'

/** What a transport knows about a message besides its content. */
export interface RequestContext {
  auth?: AuthInfo | undefined
  serverContext?: unknown
  headers?: Readonly<Record<string, string | undefined>> | undefined
  session?: string | undefined
  /** The network address of the peer, where there is one. */
  peer?: string | undefined
}

export interface ExchangeInit extends Omit<RequestContext, 'session'> {
  /** The id of the session, or what has it. */
  session?: string | { readonly id: string } | undefined
  method: string
  params: JsonObject
  client: ClientFacts
  logLevel?: LoggingLevel | undefined
  notify?: ((notification: Notification) => void) | undefined
  detach?: ((retryMs?: number) => void) | undefined
  ask?: ((requests: InputRequests, signal?: AbortSignal) => Promise<InputResponses>) | undefined
}

/** An exchange under way. */
export class LiveExchange extends Canceller implements Exchange {
  readonly method: string
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
  #finished = false
  readonly #notify: ((notification: Notification) => void) | undefined

  constructor(init: ExchangeInit) {
    super()
    this.method = init.method
    this.params = init.params
    this.client = init.client
    this.auth = init.auth
    this.logLevel = init.logLevel
    this.serverContext = init.serverContext
    this.headers = init.headers
    this.peer = init.peer
    this.#session = init.session
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

  /** The outcome is known: what a handler says from now on has no stream to travel on. */
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
