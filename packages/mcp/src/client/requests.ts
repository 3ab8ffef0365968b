import {
  type Cancellation,
  cancellationOf,
  NEVER_CANCELLED,
  signalCancellation,
} from '../exchange/cancellation.ts'
import type { Exchange, Handle, Middleware, Outcome } from '../exchange/index.ts'
import { deriveExchange } from '../exchange/derive-exchange.ts'
import { playModernRounds } from '../exchange/modern-client-edge-rounds.ts'
import type { ClientEdge } from '../exchange/client-edge.ts'
import { HEADER_MISMATCH, McpError, ProtocolError, UNSUPPORTED_PROTOCOL_VERSION } from '../jsonrpc/index.ts'
import { parseDuration } from '../protocol/index.ts'
import type { Connection } from './connection.ts'
import { copyable, createExchange, type ExchangeDefaults, type OutgoingRequest } from './create-exchange.ts'
import { Deadline } from './deadline.ts'
import type { Negotiated } from './negotiate.ts'
import { resultOf } from './outcome-result.ts'
import { Pages } from './pages.ts'
import { optionsOf, type RequestOptions } from './request-options.ts'
import type { CacheSlot, ResponseCache } from './response-cache.ts'
import type { ToolDirectory } from './tool-directory.ts'

export interface RequestsOptions extends ExchangeDefaults {
  connection: Connection
  cache: ResponseCache | undefined
  directory: ToolDirectory
  /** Idle limit and hard maximum of requests that say nothing else, in ms. */
  timeout: number
  maxTotalTimeout: number
  maxRounds: number
  middleware: readonly Middleware[]
}

/** The way of a request: middleware, cache, connection, time limits, and the retries that are safe. */
export class Requests {
  readonly #options: RequestsOptions
  readonly #middleware: Middleware[]
  #chain: Handle

  constructor(options: RequestsOptions) {
    this.#options = options
    this.#middleware = [...options.middleware]
    this.#chain = this.#compose()
  }

  use(middleware: Middleware): void {
    this.#middleware.push(middleware)
    this.#chain = this.#compose()
  }

  async run(request: OutgoingRequest): Promise<Outcome> {
    const exchange = createExchange(request, this.#options)
    return this.#chain(this.#middleware.length === 0 ? exchange : copyable(exchange))
  }

  #compose(): Handle {
    return this.#middleware.reduceRight<Handle>(
      (inner, wrap) => (exchange) => wrap(exchange, async (changed = exchange) => inner(changed)),
      (exchange) => this.#handle(exchange),
    )
  }

  /** The time limits of a request that starts now. */
  deadline(
    method: string,
    options: RequestOptions,
    caller: Cancellation = options.signal ? signalCancellation(options.signal) : NEVER_CANCELLED,
  ): Deadline {
    const { timeout, maxTotalTimeout } = this.#options
    return new Deadline({
      method,
      idle: options.timeout === undefined ? timeout : parseDuration(options.timeout),
      total: options.maxTotalTimeout === undefined ? maxTotalTimeout : parseDuration(options.maxTotalTimeout),
      caller,
    })
  }

  /** Somebody else's exchange: to the server as it is, and nothing is kept of it. */
  async pass(exchange: Exchange): Promise<Outcome> {
    return this.#attempt(exchange, await this.#options.connection.acquire(exchange.signal), undefined)
  }

  /** Below the middleware: from the cache, or from the server. */
  async #handle(exchange: Exchange): Promise<Outcome> {
    const { cache, connection } = this.#options
    const options = optionsOf(exchange)
    const slot = cache?.slot(exchange.method, exchange.params)
    if (slot?.found && options.fresh !== true) return { type: 'complete', result: slot.found }
    const negotiated = connection.current ?? (await connection.acquire(exchange.signal))
    const deadline = this.deadline(exchange.method, options, cancellationOf(exchange))
    try {
      return await this.#attempt(underDeadline(exchange, deadline), negotiated, slot)
    } finally {
      deadline.dispose()
    }
  }

  /** Sends, and once more when the first time cannot have had an effect. */
  async #attempt(exchange: Exchange, first: Negotiated, slot: CacheSlot | undefined): Promise<Outcome> {
    const { connection } = this.#options
    let outcome: Outcome
    try {
      outcome = await this.#send(exchange, first, slot)
    } catch (thrown) {
      if (!(thrown instanceof McpError) || thrown.code !== 'session_lost') throw thrown
      return this.#send(exchange, await connection.renew(first.edge, thrown, exchange.signal), slot)
    }
    if (outcome.type !== 'error' || first.edge.era !== 'modern') return outcome
    if (outcome.error.code === UNSUPPORTED_PROTOCOL_VERSION) {
      const reason = ProtocolError.fromJsonRpc(outcome.error)
      return this.#send(exchange, await connection.renew(first.edge, reason, exchange.signal), slot)
    }
    if (outcome.error.code === HEADER_MISMATCH && exchange.method === 'tools/call') {
      await this.#relearn(exchange, first)
      return this.#send(exchange, first, slot)
    }
    return outcome
  }

  /** Whatever is nothing but sent costs nothing more. */
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

function underDeadline(exchange: Exchange, deadline: Deadline): Exchange {
  const { ask } = exchange
  return deriveExchange(exchange, {
    cancellation: deadline,
    notify: (notification) => {
      if (notification.method === 'notifications/progress') deadline.touch()
      exchange.notify(notification)
    },
    ask: ask && ((requests, signal) => deadline.whilePaused(() => ask(requests, signal ?? deadline.signal))),
  })
}
