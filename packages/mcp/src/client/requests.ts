import { cancellationOf, signalCancellation, composeMiddleware } from '../exchange/plain-exchange.ts'
import type { Exchange, Failure, Handle, Middleware, Outcome } from '../exchange/index.ts'
import { deriveExchange } from '../exchange/derive-exchange.ts'
import { playModernRounds } from '../exchange/modern/client-rounds.ts'
import type { ClientEdge } from '../exchange/client/client-edge.ts'
import { HEADER_MISMATCH, McpError, ProtocolError, UNSUPPORTED_PROTOCOL_VERSION } from '../jsonrpc/index.ts'
import { parseDuration } from '../protocol/index.ts'
import { Alarm } from './deadlines/alarm.ts'
import type { Connection } from './connection.ts'
import { copyable, createExchange, type ExchangeDefaults, type OutgoingRequest } from './create-exchange.ts'
import { Deadline, type Limits } from './deadlines/deadline.ts'
import type { Negotiated } from './negotiation/negotiate.ts'
import { resultOf } from './outcome-result.ts'
import { Pages } from './pages.ts'
import { optionsOf, type RequestOptions } from './request-options.ts'
import type { CacheSlot, ResponseCache } from './response-cache.ts'
import { TimedExchange } from './deadlines/timed-exchange.ts'
import type { ToolDirectory } from './tool-directory.ts'

export interface RequestsOptions extends ExchangeDefaults {
  connection: Connection
  cache: ResponseCache | undefined
  directory: ToolDirectory
  /** Idle limit and hard maximum of requests that say nothing else, in ms. */
  timeout: number
  maxTotalTimeout: number
  maxRounds: number
  onAway(): void
  onBack(): void
  middleware: readonly Middleware[]
}

/** The way of a request: middleware, cache, connection, time limits, and the retries that are safe. */
export class Requests {
  readonly #options: RequestsOptions
  readonly #middleware: Middleware[]
  readonly #alarm = new Alarm()
  readonly #limits: Limits
  #chain: Handle
  /** The server could not be reached, and has not answered since. */
  #isAway = false

  constructor(options: RequestsOptions) {
    this.#options = options
    this.#limits = { idle: options.timeout, total: options.maxTotalTimeout }
    this.#middleware = [...options.middleware]
    this.#chain = this.#compose()
  }

  use(middleware: Middleware): void {
    this.#middleware.push(middleware)
    this.#chain = this.#compose()
  }

  /** May throw at once as well: callers are async functions. */
  run(request: OutgoingRequest): Outcome | Promise<Outcome> {
    const exchange = createExchange(request, this.#options)
    return this.#middleware.length === 0 ? this.#handle(exchange) : this.#chain(copyable(exchange))
  }

  #compose(): Handle {
    return composeMiddleware(this.#middleware, (exchange) => this.#handle(exchange))
  }

  /** Ends what is under way, also where it waits for an answer of our own side. */
  end(reason: McpError): void {
    this.#alarm.abortAll(reason)
  }

  /** The time limits of something other than an exchange that starts now. */
  deadline(method: string, options: RequestOptions): Deadline {
    return new Deadline(method, this.#limitsOf(options), signalCancellation(options.signal), this.#alarm)
  }

  /** The limits of a request that middleware makes several of. The client's idle limit is about each of those. */
  deadlineOf(exchange: Exchange): Deadline {
    const { timeout = 0, maxTotalTimeout } = optionsOf(exchange)
    const limits = this.#limitsOf({ timeout, maxTotalTimeout })
    return new Deadline(exchange.method, limits, cancellationOf(exchange), this.#alarm)
  }

  #limitsOf({ timeout, maxTotalTimeout }: RequestOptions): Limits {
    if (timeout === undefined && maxTotalTimeout === undefined) return this.#limits
    return {
      idle: timeout === undefined ? this.#limits.idle : parseDuration(timeout),
      total: maxTotalTimeout === undefined ? this.#limits.total : parseDuration(maxTotalTimeout),
    }
  }

  /** An exchange of another client: it goes to the server as it is, and nothing of it is kept. */
  async pass(exchange: Exchange): Promise<Outcome> {
    return this.#attempt(exchange, await this.#options.connection.acquire(exchange.signal))
  }

  /** Below the middleware: from the cache, or from the server. */
  #handle(exchange: Exchange): Outcome | Promise<Outcome> {
    const { cache, connection } = this.#options
    const options = optionsOf(exchange)
    const slot = cache?.slot(exchange.method, exchange.params)
    if (slot?.found && options.fresh !== true) return { type: 'complete', result: slot.found }
    const start = (negotiated: Negotiated): Promise<Outcome> =>
      this.#attempt(new TimedExchange(exchange, this.#limitsOf(options), this.#alarm), negotiated, slot)
    const { current } = connection
    return current ? start(current) : connection.acquire(exchange.signal).then(start)
  }

  /** Sends, and once more when the first time cannot have had an effect. */
  async #attempt(exchange: Exchange, first: Negotiated, slot?: CacheSlot): Promise<Outcome> {
    try {
      const outcome = await this.#send(exchange, first, slot)
      if (this.#isAway) this.#back()
      if (outcome.type !== 'error' || first.edge.era !== 'modern') return outcome
      return await this.#afterError(outcome, exchange, first, slot)
    } catch (thrown) {
      if (!(thrown instanceof McpError)) throw thrown
      if (thrown.code === 'network') this.#away()
      if (thrown.code !== 'session_lost') throw thrown
      const { connection } = this.#options
      return await this.#send(exchange, await connection.renew(first.edge, thrown, exchange.signal), slot)
    } finally {
      if (exchange instanceof TimedExchange) exchange.dispose()
    }
  }

  /** Over HTTP only a failed request shows that a server is away. */
  #away(): void {
    this.#isAway = true
    this.#options.onAway()
  }

  #back(): void {
    this.#isAway = false
    this.#options.onBack()
  }

  async #afterError(
    outcome: Failure,
    exchange: Exchange,
    first: Negotiated,
    slot: CacheSlot | undefined,
  ): Promise<Outcome> {
    if (outcome.error.code === UNSUPPORTED_PROTOCOL_VERSION) {
      const reason = ProtocolError.fromJsonRpc(outcome.error)
      const { connection } = this.#options
      return this.#send(exchange, await connection.renew(first.edge, reason, exchange.signal), slot)
    }
    if (outcome.error.code === HEADER_MISMATCH && exchange.method === 'tools/call') {
      await this.#relearn(exchange, first)
      return this.#send(exchange, first, slot)
    }
    return outcome
  }

  /** A request that nothing has to watch costs nothing more. */
  #send(exchange: Exchange, { edge }: Negotiated, slot: CacheSlot | undefined): Promise<Outcome> {
    if (slot === undefined && exchange.method !== 'tools/list') return edge.handle(exchange)
    return this.#sendAndLearn(exchange, edge, slot)
  }

  async #sendAndLearn(exchange: Exchange, edge: ClientEdge, slot: CacheSlot | undefined): Promise<Outcome> {
    let sends = 0
    const sendOnce = (params: Exchange['params']) => {
      sends++
      return edge.handle(deriveExchange(exchange, { params, ask: undefined }))
    }
    // Results of retried rounds must not be cached, so the rounds of cacheable requests are counted here.
    const cacheable = slot !== undefined && edge.era === 'modern'
    const outcome = cacheable
      ? await playModernRounds(exchange, sendOnce, this.#options.maxRounds)
      : await edge.handle(exchange)
    if (outcome.type !== 'complete') return outcome
    if (exchange.method === 'tools/list') this.#options.directory.learn(outcome.result.tools)
    if (cacheable && sends === 1) slot.store(outcome.result)
    return outcome
  }

  /** The tool's schema may have changed since it was listed (basic/transports, client behavior). */
  async #relearn(exchange: Exchange, { edge }: Negotiated): Promise<void> {
    const { client, signal } = exchange
    const list = new Pages<{ name?: unknown }>({ method: 'tools/list', member: 'tools' }, async (cursor) => {
      const params = cursor === undefined ? {} : { cursor }
      const outcome = await edge.handle({ method: 'tools/list', params, client, signal, notify: () => {} })
      return resultOf(outcome, 'tools/list')
    })
    for await (const page of list.pages()) {
      this.#options.directory.learn(page)
      if (page.some((tool) => tool?.name === exchange.params.name)) return
    }
  }
}
