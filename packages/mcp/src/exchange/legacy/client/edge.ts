import {
  INVALID_PARAMS,
  type JsonObject,
  type JsonRpcResponse,
  McpError,
  ProtocolError,
  URL_ELICITATION_REQUIRED,
} from '../../../jsonrpc/index.ts'
import type {
  ClientCapabilities,
  Discovery,
  Implementation,
  LoggingLevel,
  Revision,
} from '../../../protocol/index.ts'
import {
  type ClientEdge,
  type ClientEdgeOptions,
  createIdMinter,
  type IdMinter,
  orAbort,
  canAskForInput,
  legacyParams,
  progressTokenOf,
  type OwnerOf,
  ownerOf,
  UnansweredCalls,
} from '../../client/client-edge.ts'
import { CallTable } from '../../pending-requests.ts'
import {
  complete,
  type Exchange,
  failure,
  MAX_ROUNDS,
  type Notification,
  type Outcome,
} from '../../exchange.ts'
import { Attributor, type AmbiguousRequest, LegacyInbox } from './inbox.ts'
import { type CallPort, LegacyCall } from './call.ts'
import { type Continuations, MemoryContinuations } from './questions.ts'
import { ExtensionRequests, type RequestAnswer } from './extension.ts'
import { type Handshake, type HandshakeStep, performHandshake } from './handshake.ts'
import { LegacyListeners } from './listeners.ts'
import { LegacyLogLevel } from './log-level.ts'
import { PageGate, declinedUrl } from './pages.ts'
import { callAsTask } from './followed-task.ts'
import { TaskTokens } from './task-tokens.ts'
import type { IncomingMessage, Wire } from '../../wire.ts'

export interface LegacyClientEdgeOptions extends ClientEdgeOptions {
  info: Implementation
  /** Declared in `initialize`, for every call that will be made over this connection. */
  capabilities: ClientCapabilities
  /** The revision to ask for. Default: the newest legacy revision. */
  version?: Revision | undefined
  signal?: AbortSignal | undefined
  onStep?: ((step: HandshakeStep) => void) | undefined
  /** Where calls wait whose callers cannot be asked while they run. */
  continuations?: Continuations | undefined
  ask?: Exchange['ask']
  /** Answers requests before the callers and `ask` get them; undefined leaves them to those. */
  answer?: RequestAnswer | undefined
  onAmbiguous?: ((report: AmbiguousRequest) => void) | undefined
  /** How long a user may take on the pages of error −32042 before being asked again, in ms. Default 5 minutes. */
  urlCompletionTimeout?: number | undefined
}

/** Messages that a server may send before the handshake is through, at most. */
const MAX_EARLY = 64

/** How long a request of the edge's own may take, in ms. No caller limits it. */
const OWN_REQUEST_TIMEOUT = 30_000

/** Asks a legacy server: does the handshake, then makes its session look like exchanges. */
export class LegacyClientEdge implements ClientEdge {
  readonly era = 'legacy'
  readonly version: Revision
  readonly discovery: Discovery
  onClose: ((reason: Error | undefined) => void) | undefined
  readonly #wire: Wire
  readonly #options: LegacyClientEdgeOptions
  readonly #ids: IdMinter
  readonly #calls = new CallTable<unknown, LegacyCall>()
  readonly #unanswered = new UnansweredCalls()
  readonly #taskTokens = new TaskTokens()
  readonly #ownerOf: OwnerOf
  readonly #port: CallPort
  readonly #inbox: LegacyInbox
  readonly #listeners: LegacyListeners
  readonly #logLevel: LegacyLogLevel
  readonly #pages: PageGate

  /** Does the handshake; the edge exists once the server may be asked. */
  static async connect(wire: Wire, options: LegacyClientEdgeOptions): Promise<LegacyClientEdge> {
    const ids = options.ids ?? createIdMinter()
    const early: IncomingMessage[] = []
    let closed: { reason: Error | undefined } | undefined
    wire.onClose = (reason) => {
      closed = { reason }
    }
    wire.onMessage = (message) => {
      if ('id' in message && message.method === 'ping') {
        wire.send({ jsonrpc: '2.0', id: message.id, result: {} }).catch(() => {})
      } else if (early.length < MAX_EARLY) early.push(message)
    }
    const handshake = await performHandshake(wire, { ...options, id: ids() })
    if (closed) throw closed.reason ?? new McpError('closed', 'The connection closed during the handshake')
    const edge = new LegacyClientEdge(wire, { ...options, ids }, handshake)
    for (const message of early) edge.#inbox.receive(message)
    return edge
  }

  private constructor(wire: Wire, options: LegacyClientEdgeOptions, handshake: Handshake) {
    this.#wire = wire
    this.#options = options
    this.#ids = options.ids ?? createIdMinter()
    this.#ownerOf = options.ownerOf ?? ownerOf
    this.version = handshake.version
    this.discovery = handshake.discovery
    const { capabilities } = handshake.discovery
    this.#listeners = new LegacyListeners(capabilities, (method, uri) => this.#agrees(method, { uri }))
    this.#logLevel = new LegacyLogLevel((level) => this.#agrees('logging/setLevel', { level }))
    this.#port = this.#createPort()
    this.#pages = new PageGate({
      send: (exchange) => this.#send(exchange),
      continuations: this.#port.continuations,
      maxRounds: options.maxRounds ?? MAX_ROUNDS,
      patience: options.urlCompletionTimeout ?? 300_000,
    })
    this.#inbox = new LegacyInbox({
      wire,
      calls: this.#calls,
      taskTokens: this.#taskTokens,
      attributor: new Attributor({
        calls: this.#calls,
        unanswered: this.#unanswered,
        ownerOf: this.#ownerOf,
      }),
      listeners: this.#listeners,
      capabilities: options.capabilities,
      ask: options.ask,
      extension:
        options.answer &&
        new ExtensionRequests({ ...options, wire, version: this.version, answer: options.answer }),
      onAmbiguous: options.onAmbiguous,
      onSharedQuestion: options.onSharedQuestion,
      questionPatience: options.questionPatience,
      onLog: options.onLog,
      onPageDone: (notification) => {
        const id = notification.params?.elicitationId
        this.#pages.complete(notification)
        for (const call of this.#calls.values()) call.completed(id, notification)
        options.onNotification?.(notification)
      },
      onNotification: options.onNotification,
    })
    wire.onMessage = (message) => this.#inbox.receive(message)
    wire.onLateAnswer = (id) => this.#unanswered.answered(id)
    wire.onMissed = () => this.#listeners.end(new McpError('network', 'The stream of the session broke off'))
    wire.onClose = (reason) => this.#closed(reason)
  }

  readonly handle = async (exchange: Exchange): Promise<Outcome> => {
    switch (exchange.method) {
      case 'server/discover':
        return complete(this.discovery)
      case 'subscriptions/listen':
        return this.#listeners.listen(exchange)
      case 'logging/setLevel':
        this.#logLevel.note(exchange.params.level)
        return this.#send(exchange)
    }
    if (!canAskForInput(exchange.method)) return this.#send(exchange)
    const { requestState, inputResponses } = exchange.params
    const isResumed = requestState !== undefined
    const declined = isResumed || inputResponses === undefined ? undefined : declinedUrl(exchange)
    if (declined) return declined
    const outcome = await (isResumed ? this.#resume(exchange, requestState) : this.#call(exchange))
    const needsPages = outcome.type === 'error' && outcome.error.code === URL_ELICITATION_REQUIRED
    return needsPages ? this.#pages.pass(exchange, outcome) : outcome
  }

  #call(exchange: Exchange): Promise<Outcome> {
    const { asTask } = exchange
    if (!asTask || !this.discovery.capabilities.tasks) return this.#send(exchange)
    return callAsTask(exchange, asTask.ttl, (part, of) => this.#send(part, of))
  }

  notify(notification: Notification): Promise<void> {
    return this.#wire.send({ jsonrpc: '2.0', ...notification })
  }

  mayServeOthers(exchange: Exchange): boolean {
    const owner = this.#ownerOf(exchange)
    return owner !== undefined && this.#unanswered.hasOther(owner, false)
  }

  retire(reason: Error): void {
    this.#listeners.end(reason)
  }

  close(): Promise<void> {
    return this.#wire.close()
  }

  /** `of` is the call that the request is a part of, where it is not the call itself. */
  #send(exchange: Exchange, of?: Exchange): Promise<Outcome> {
    const { logLevel } = exchange
    if (logLevel === undefined || !this.discovery.capabilities.logging) return this.#sendNow(exchange, of)
    return this.#sendWithLevel(exchange, logLevel, of)
  }

  async #sendWithLevel(exchange: Exchange, level: LoggingLevel, of?: Exchange): Promise<Outcome> {
    const others = this.#calls.values().map((call) => call.exchange?.logLevel)
    const request = this.#logLevel.enter(level, others)
    try {
      await orAbort(request.told, exchange.signal)
      // Not awaited: once the call is sent, its own log level counts.
      return this.#sendNow(exchange, of)
    } finally {
      request.leave()
    }
  }

  #sendNow(exchange: Exchange, of?: Exchange): Promise<Outcome> {
    const { method } = exchange
    const id = this.#ids()
    const token = progressTokenOf(exchange) === undefined ? undefined : id
    const params = legacyParams(exchange, token, this.#options.capabilities)
    const call = new LegacyCall(id, exchange, this.#port, of)
    this.#calls.set(id, call)
    exchange.sending?.sent(id)
    const outcome = call.start((cancellation) =>
      this.#wire.request(
        params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params },
        {
          signal: this.#wire.takesCancellation ? undefined : cancellation.signal,
          cancellation,
          origin: exchange,
          takesBytes: this.#port.keepsText,
          onMessage: (message) => this.#inbox.receiveFor(call, message),
          onDetached: (retryMs) => call.detach(retryMs),
          headers: this.#options.extraHeaders?.(exchange),
        },
      ),
    )
    return token === undefined || exchange.params.task === undefined
      ? outcome
      : outcome.then((answer) => this.#taskTokens.keep(token, exchange, answer))
  }

  async #resume(exchange: Exchange, token: unknown): Promise<Outcome> {
    const { continuations } = this.#port
    const parked = typeof token === 'string' ? continuations.find(token) : undefined
    if (!parked?.accepts(exchange)) {
      return failure(new ProtocolError(INVALID_PARAMS, 'requestState is unknown, used up or expired'))
    }
    continuations.take(token as string)
    return parked.resume(exchange)
  }

  /** Sends a request of the edge itself. Returns whether the server agreed. */
  async #agrees(method: string, params: JsonObject): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(OWN_REQUEST_TIMEOUT)
      const message = { jsonrpc: '2.0', id: this.#ids(), method, params } as const
      const response = await this.#wire.request(message, { signal })
      return !('error' in response)
    } catch {
      return false
    }
  }

  #createPort(): CallPort {
    const wire = this.#wire
    return {
      continuations: this.#options.continuations ?? new MemoryContinuations(),
      keepsText: this.#options.keepsText === true,
      reply: (response: JsonRpcResponse) => wire.send(response),
      // Closing a stream does not cancel in this era (MCP 2025-11-25, basic/transports), so we always say it.
      cancel: (requestId) => {
        wire
          .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
          .catch(() => {})
      },
      done: (call) => {
        this.#calls.delete(call.id)
        this.#inbox.ended(call)
      },
      givenUp: (call) => {
        const { id, method, origin } = call
        this.#calls.delete(id)
        this.#inbox.givenUp(call)
        const owner = method === 'ping' ? undefined : this.#ownerOf(origin)
        if (owner) this.#unanswered.add(id, { owner, asks: canAskForInput(method) })
      },
      unwantedLog: (notification) => this.#options.onLog?.(notification),
    }
  }

  #closed(reason: Error | undefined): void {
    const error = reason ?? new McpError('closed', 'The connection is closed')
    this.#listeners.end(error)
    this.#inbox.close()
    this.onClose?.(reason)
  }
}
