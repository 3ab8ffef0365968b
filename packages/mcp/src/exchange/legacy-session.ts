import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  isJsonObject,
  METHOD_NOT_FOUND,
  ProtocolError,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type RequestId,
} from '../jsonrpc/index.ts'
import {
  isLoggingLevel,
  isMethodInRevision,
  LATEST_LEGACY,
  toInitializeResult,
  type Implementation,
  type LoggingLevel,
  type Revision,
  type ServerCapabilities,
} from '../protocol/index.ts'
import { complete, failure, type ClientFacts, type Notification, type Outcome } from './exchange.ts'
import { LegacyQuestions } from './legacy-questions.ts'
import { LegacySubscriptions, type SubscriptionHost } from './legacy-subscriptions.ts'
import { LiveExchange, type RequestContext } from './live-exchange.ts'
import { respondSafely } from './modern-server-edge.ts'
import { playRounds } from './play-rounds.ts'
import { negotiateLegacy, type Served } from './served.ts'
import { writeNotification, writeOutcome } from './write-message.ts'

const NO_PARAMS = Object.freeze({})

export interface LegacyIo {
  /** Sends a notification or a request of ours. `relatedTo` names the client request it belongs to. */
  send(text: string, relatedTo: RequestId | undefined): void
  /** Lets go of a request's stream; the client comes back for the answer (2025-11-25, SEP-1699). */
  detach?(relatedTo: RequestId, retry: number | undefined): void
  /** Whether messages that belong to no request, and requests of ours, can be delivered at all. */
  readonly canPush: boolean
}

/** What a session is, in a form that can be sealed and brought back after a restart. */
export interface LegacySessionFacts {
  version: Revision
  capabilities: JsonObject
  info?: JsonObject | undefined
  logLevel?: LoggingLevel | undefined
}

/**
 * The legacy server edge: one session, from `initialize` to the end of its connection. It keeps what a
 * legacy client expects to be kept and plays modern outcomes as live requests.
 */
export class LegacySession implements SubscriptionHost {
  readonly served: Served
  /** Unguessable, and only ours: handlers and gateways may key what belongs to a session by it. */
  readonly id: string
  client: ClientFacts = { capabilities: {}, version: LATEST_LEGACY }
  /** Before `logging/setLevel` the server decides (2025-11-25, Logging): everything from `info` up. */
  logLevel: LoggingLevel = 'info'
  /** `initialize` was answered with a result. */
  negotiated = false
  /** The client said that it is ready. */
  initialized = false
  readonly #io: LegacyIo
  #capabilities: ServerCapabilities | undefined
  #questions: LegacyQuestions | undefined
  #subscriptions: LegacySubscriptions | undefined
  readonly #inFlight = new Map<RequestId, LiveExchange>()

  constructor(served: Served, io: LegacyIo, id: string = crypto.randomUUID()) {
    this.id = id
    this.served = served
    this.#io = io
  }

  send(text: string): void {
    this.#io.send(text, undefined)
  }

  /** Answers a request with the text of its response; `undefined` when it was cancelled. */
  request(
    message: JsonRpcRequest,
    context: RequestContext,
  ): string | undefined | Promise<string | undefined> {
    if (this.#inFlight.has(message.id)) {
      const error = new ProtocolError(INVALID_REQUEST, `Invalid request: id ${message.id} is already in use`)
      return this.#write(failure(error), message)
    }
    const outcome = this.#dispatch(message, context)
    return outcome instanceof Promise
      ? outcome.then((settled) => this.#conclude(settled, message))
      : this.#conclude(outcome, message)
  }

  notification(message: JsonRpcNotification, context: RequestContext): void {
    switch (message.method) {
      case 'notifications/initialized':
        this.open(context)
        return
      case 'notifications/cancelled':
        this.cancel(message.params?.requestId as RequestId, message.params?.reason)
    }
  }

  /** The client is ready: changes may be sent to it from now on. */
  open(context: RequestContext): void {
    this.initialized = true
    if (!this.#io.canPush) return
    this.#subscriptions ??= new LegacySubscriptions(this)
    this.#subscriptions.openLists(context)
  }

  response(message: JsonRpcResponse): boolean {
    return this.#questions?.settle(message) ?? false
  }

  cancel(id: RequestId, reason?: unknown): void {
    this.#inFlight.get(id)?.abort(reason ?? 'cancelled')
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  facts(): LegacySessionFacts {
    const { version, capabilities, info } = this.client
    return { version, capabilities, info: info as JsonObject | undefined, logLevel: this.logLevel }
  }

  restore(facts: LegacySessionFacts): void {
    this.client = {
      version: facts.version,
      capabilities: facts.capabilities,
      info: facts.info as Implementation | undefined,
    }
    if (facts.logLevel) this.logLevel = facts.logLevel
    this.negotiated = true
  }

  close(reason: unknown = 'closed'): void {
    for (const exchange of this.#inFlight.values()) exchange.abort(reason)
    this.#inFlight.clear()
    this.#questions?.close()
    this.#subscriptions?.close()
  }

  #conclude(outcome: Outcome, message: JsonRpcRequest): string | undefined {
    const exchange = this.#inFlight.get(message.id)
    this.#inFlight.delete(message.id)
    if (exchange?.aborted) return undefined
    return this.#write(outcome, message)
  }

  #write(outcome: Outcome, message: JsonRpcRequest): string {
    return writeOutcome(outcome, {
      id: message.id,
      method: message.method,
      revision: this.client.version,
      serverInfo: this.served.info,
    })
  }

  #dispatch(message: JsonRpcRequest, context: RequestContext): Outcome | Promise<Outcome> {
    switch (message.method) {
      case 'initialize':
        return this.#initialize(message, context).catch((error) => failure(ProtocolError.from(error), error))
      case 'ping':
        return complete({})
      case 'logging/setLevel':
        return this.#setLevel(message, context)
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return this.#subscribe(message, context)
    }
    if (this.served.strict && !this.initialized) return refuse(INVALID_REQUEST, 'Not initialized')
    if (!isMethodInRevision(message.method, this.client.version)) return notFound(message.method)
    return this.#run(message, context)
  }

  #run(message: JsonRpcRequest, context: RequestContext): Outcome | Promise<Outcome> {
    const params = message.params ?? NO_PARAMS
    const progress = new IncreasingProgress()
    const exchange = this.#openExchange(message, params, context, progress)
    const outcome = respondSafely(this.served, exchange)
    if (!(outcome instanceof Promise)) {
      if (outcome.type !== 'input_required') return outcome
    }
    return playRounds(outcome, {
      ask: exchange.ask && ((requests) => exchange.ask!(requests, exchange.signal)),
      capabilities: this.client.capabilities,
      again: (answered) => {
        const next = this.#openExchange(message, { ...params, ...answered }, context, progress)
        if (exchange.aborted) next.abort()
        return respondSafely(this.served, next)
      },
    })
  }

  #openExchange(
    message: JsonRpcRequest,
    params: JsonObject,
    context: RequestContext,
    progress: IncreasingProgress,
  ): LiveExchange {
    const { id } = message
    const send = (text: string): void => this.#io.send(text, id)
    const exchange: LiveExchange = new LiveExchange({
      method: message.method,
      params,
      client: this.client,
      logLevel: this.logLevel,
      auth: context.auth,
      serverContext: context.serverContext,
      headers: context.headers,
      session: this.id,
      notify: (notification) => {
        if (progress.admits(notification)) send(writeNotification(this.#shape(notification)))
      },
      detach: this.#io.detach && ((retry) => this.#io.detach!(id, retry)),
      ask: this.#io.canPush
        ? (requests, signal) => {
            this.#questions ??= new LegacyQuestions(this.served.answerTimeout)
            return this.#questions.ask(requests, send, signal ?? exchange.signal)
          }
        : undefined,
    })
    this.#inFlight.set(id, exchange)
    return exchange
  }

  /** Progress messages came with 2025-03-26. */
  #shape(notification: Notification): Notification {
    if (this.client.version > '2024-11-05' || notification.method !== 'notifications/progress') {
      return notification
    }
    const { message: _message, ...params } = notification.params ?? {}
    return { method: notification.method, params }
  }

  async #initialize(message: JsonRpcRequest, context: RequestContext): Promise<Outcome> {
    const { protocolVersion, capabilities, clientInfo } = message.params ?? {}
    if (typeof protocolVersion !== 'string') throw required('protocolVersion', 'a string')
    if (!isJsonObject(capabilities)) throw required('capabilities', 'an object')
    if (!isJsonObject(clientInfo)) throw required('clientInfo', 'an object')
    const version = negotiateLegacy(this.served, protocolVersion)
    if (!version) {
      const names = (this.served.revisions ?? []).join(', ')
      return refuse(METHOD_NOT_FOUND, `Method not found: initialize (this server speaks ${names} only)`)
    }
    this.client = { version, capabilities, info: clientInfo as unknown as Implementation }
    const discovered = await this.#discover(context)
    if (discovered.type !== 'complete') return discovered
    this.#capabilities = this.#deliverable(discovered.result.capabilities as ServerCapabilities)
    this.negotiated = true
    const facts = { ...discovered.result, capabilities: this.#capabilities }
    return complete(toInitializeResult(facts, version, this.served.info))
  }

  async #discover(context: RequestContext): Promise<Outcome> {
    return respondSafely(
      this.served,
      new LiveExchange({ ...context, method: 'server/discover', params: NO_PARAMS, client: this.client }),
    )
  }

  /** A connection that cannot push has no change notifications to promise. */
  #deliverable(capabilities: ServerCapabilities): ServerCapabilities {
    if (this.#io.canPush) return capabilities
    const { tools, prompts, resources, ...rest } = capabilities
    return {
      ...rest,
      ...(tools && { tools: {} }),
      ...(prompts && { prompts: {} }),
      ...(resources && { resources: {} }),
    }
  }

  async #knownCapabilities(context: RequestContext): Promise<ServerCapabilities> {
    if (!this.#capabilities) {
      const discovered = await this.#discover(context)
      const found = discovered.type === 'complete' ? discovered.result.capabilities : {}
      this.#capabilities = this.#deliverable(found as ServerCapabilities)
    }
    return this.#capabilities
  }

  async #setLevel(message: JsonRpcRequest, context: RequestContext): Promise<Outcome> {
    const capabilities = await this.#knownCapabilities(context)
    if (!capabilities.logging) return notFound(message.method)
    const level = message.params?.level
    if (!isLoggingLevel(level)) return refuse(INVALID_PARAMS, `Invalid params: unknown log level`)
    this.logLevel = level
    return complete({})
  }

  async #subscribe(message: JsonRpcRequest, context: RequestContext): Promise<Outcome> {
    const capabilities = await this.#knownCapabilities(context)
    if (!capabilities.resources?.subscribe) return notFound(message.method)
    const uri = message.params?.uri
    if (typeof uri !== 'string') return refuse(INVALID_PARAMS, 'Invalid params: "uri" must be a string')
    this.#subscriptions ??= new LegacySubscriptions(this)
    if (message.method === 'resources/subscribe') return this.#subscriptions.subscribe(uri, context)
    this.#subscriptions.unsubscribe(uri)
    return complete({})
  }
}

/** A handler that runs again for its next answer reports what the client has heard already. */
class IncreasingProgress {
  #last = Number.NEGATIVE_INFINITY

  /** Progress MUST increase with each notification (2025-11-25, Progress). */
  admits(notification: Notification): boolean {
    if (notification.method !== 'notifications/progress') return true
    const progress = notification.params?.progress
    if (typeof progress !== 'number' || progress <= this.#last) return false
    this.#last = progress
    return true
  }
}

function required(member: string, what: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Invalid params: "${member}" must be ${what}`)
}

function refuse(code: number, message: string): Outcome {
  return failure(new ProtocolError(code, message))
}

function notFound(method: string): Outcome {
  return refuse(METHOD_NOT_FOUND, `Method not found: ${method}`)
}
