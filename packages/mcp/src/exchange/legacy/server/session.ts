import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  McpError,
  ProtocolError,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type RequestId,
} from '../../../jsonrpc/index.ts'
import { LATEST_LEGACY, META, type Implementation, type LoggingLevel } from '../../../protocol/index.ts'
import { CallTable } from '../../pending-requests.ts'
import { callerKey } from '../../../protocol/callers.ts'
import {
  complete,
  failure,
  methodNotFound,
  type ClientFacts,
  type InputResponses,
  type Outcome,
} from '../../exchange.ts'
import {
  responseFacts,
  writeError,
  dropOutcome,
  writeOutcome,
  writeRawOutcome,
  refusalOf,
  negotiateLegacy,
  type EndedSession,
  type Served,
} from '../../server/answer.ts'
import { hasMethod, type LegacySessionFacts, refuse } from './handshake.ts'
import { LegacyQuestions } from './questions.ts'
import { type CallHost, type LegacyIo, ServedCall } from './served-call.ts'
import { ownMethod, SessionMethods, type SessionMethodsHost } from './session-methods.ts'
import type { SessionSettings } from './session-settings.ts'
import { LegacySubscriptions, type SubscriptionHost } from './subscriptions.ts'
import { NO_PARAMS } from '../../message-hints.ts'
import { PlainExchange, type RequestContext } from '../../plain-exchange.ts'

/** The legacy server edge: one session, which plays modern outcomes as live requests. */
export class LegacySession implements SubscriptionHost, CallHost, SessionMethodsHost {
  readonly served: Served
  client: ClientFacts
  /** Before `logging/setLevel` the server decides (2025-11-25, Logging): everything from `info` up. */
  logLevel: LoggingLevel = 'info'
  /** `initialize` was answered with a result. */
  negotiated = false
  /** Whether `notifications/initialized` has come. */
  initialized = false
  #id: string | undefined
  #hungUp = false
  /** Tells that it has ended, where that is measured. */
  #tellEnd: (() => void) | undefined
  readonly io: LegacyIo
  #methods: SessionMethods | undefined
  #questions: LegacyQuestions | undefined
  #subscriptions: LegacySubscriptions | undefined
  /** The session was brought back: changes may have been missed. Resolves when its resources are followed again. */
  #missed: Promise<unknown> | undefined
  /** The answer to `initialize` while it is on its way: what came with it waits, and is answered behind it. */
  #opening: Promise<unknown> | undefined
  readonly #inFlight = new CallTable<RequestId, ServedCall>()

  constructor(served: Served, io: LegacyIo, id?: string) {
    this.#id = id
    this.served = served
    this.io = io
    // Requests typed by hand come without a handshake: they get the newest revision that is served.
    this.client = { capabilities: {}, version: negotiateLegacy(served, LATEST_LEGACY) ?? LATEST_LEGACY }
  }

  /** Unguessable key of the session. Made on demand: the first random number costs a process milliseconds. */
  get id(): string {
    this.#id ??= crypto.randomUUID()
    return this.#id
  }

  send(text: string): void {
    this.io.send(text, undefined)
  }

  get isCongested(): boolean {
    return this.io.isCongested?.(undefined) === true
  }

  /** Answers a request with the text of its response; `undefined` when it was cancelled, or sent in pieces. */
  request(
    message: JsonRpcRequest,
    context: RequestContext,
  ): string | undefined | Promise<string | undefined> {
    const { id } = message
    if (this.#inFlight.has(id)) {
      const error = new ProtocolError(INVALID_REQUEST, `Invalid request: id ${id} is already in use`)
      return writeError(id, error.toJsonRpc())
    }
    const call = new ServedCall(this, message, context)
    const outcome = this.#opening
      ? this.#opening.then(() => (call.aborted ? complete({}) : this.#dispatch(message, context, call)))
      : this.#dispatch(message, context, call)
    if (!(outcome instanceof Promise)) return this.#conclude(outcome, message, call)
    this.#inFlight.set(id, call)
    const answered = new Promise<string | undefined>((resolve) => {
      const settle = (settled: Outcome): void => resolve(this.#conclude(settled, message, call))
      call.wait(settle, () => resolve(undefined))
      outcome.then(settle, (thrown) => settle(failure(ProtocolError.from(thrown), thrown)))
    })
    if (message.method === 'initialize') {
      this.#opening = answered
      answered.then(() => (this.#opening = undefined))
    }
    return answered
  }

  notification(message: JsonRpcNotification, context: RequestContext): void {
    switch (message.method) {
      case 'notifications/initialized':
        return void (this.#opening ? this.#opening.then(() => this.open(context)) : this.open(context))
      case 'notifications/cancelled':
        this.cancel(message.params?.requestId as RequestId, message.params?.reason)
    }
  }

  /** The client is ready: changes may be sent to it from now on. */
  open(context: RequestContext): void {
    this.initialized = true
    if (!this.io.canPush || this.#hungUp) return
    this.listening.openLists(context)
    const missed = this.#missed
    this.#missed = undefined
    missed?.then(() => this.#own.tellMissed(context)).catch(() => {})
  }

  get listening(): LegacySubscriptions {
    this.#subscriptions ??= new LegacySubscriptions(this)
    return this.#subscriptions
  }

  get #own(): SessionMethods {
    this.#methods ??= new SessionMethods(this)
    return this.#methods
  }

  response(message: JsonRpcResponse): boolean {
    return this.#questions?.settle(message) ?? false
  }

  cancel(id: RequestId, reason?: unknown): void {
    const call = this.#inFlight.get(id)
    this.#inFlight.delete(id)
    call?.abort(reason ?? 'cancelled')
  }

  isInFlight(id: RequestId): boolean {
    return this.#inFlight.has(id)
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  facts(): LegacySessionFacts {
    const { version, capabilities, info } = this.client
    return { version, capabilities, info: info as JsonObject | undefined }
  }

  /** What the client has asked for since the session began. */
  get settings(): SessionSettings {
    return { logLevel: this.logLevel, resources: this.#subscriptions?.uris ?? [] }
  }

  /**
   * The session goes on in this process. With `context` (of its first request), its client hears about changes again.
   */
  restore(facts: LegacySessionFacts, settings?: SessionSettings, context?: RequestContext): void {
    const { version, capabilities, info } = facts
    this.client = { version, capabilities, info: info as Implementation | undefined }
    if (settings?.logLevel) this.logLevel = settings.logLevel
    this.initialized = true
    // Only sessions over HTTP can be resumed.
    this.begin('http')
    if (!context) return
    const { resources = [] } = settings ?? {}
    // Resources that the caller may not use any more are not followed any more.
    this.#missed = Promise.all(resources.map((uri) => this.listening.subscribe(uri, context)))
  }

  /** The client sends nothing more: questions would get no answer, so only answers are sent. */
  hangUp(): void {
    this.#hungUp = true
    this.#questions?.close()
    this.#subscriptions?.close()
  }

  /** Calls under way get the error as their answer; without an error they get no answer. */
  close(reason: unknown = 'closed', error?: ProtocolError): void {
    this.#hungUp = true
    for (const call of [...this.#inFlight.values()]) {
      if (error) call.settle?.(failure(error))
      call.abort(reason)
    }
    this.#inFlight.clear()
    this.#questions?.close()
    this.#subscriptions?.close()
    this.#tellEnd?.()
    this.#tellEnd = undefined
  }

  begin(transport: EndedSession['transport']): void {
    this.negotiated = true
    const { onSessionEnd } = this.served
    if (!onSessionEnd) return
    const at = performance.now()
    this.#tellEnd ??= () =>
      onSessionEnd({ version: this.client.version, lasted: performance.now() - at, transport })
  }

  #conclude(
    outcome: Outcome,
    message: JsonRpcRequest,
    call: ServedCall,
  ): string | undefined | Promise<string> {
    // A cancelled request's id may be in use again.
    if (this.#inFlight.get(message.id) === call) this.#inFlight.delete(message.id)
    call.exchange?.finish()
    if (call.aborted) return dropOutcome(outcome)
    const refusal = refusalOf(outcome)
    if (refusal) this.io.refused?.(message.id, refusal)
    const facts = responseFacts(message, this.client.version, this.served)
    const raw = this.io.sendBytes && writeRawOutcome(outcome, facts)
    if (raw && this.io.sendBytes?.(message.id, raw)) return undefined
    if (this.io.sendLong?.(outcome, facts)) return undefined
    const answer = writeOutcome(outcome, facts)
    if (typeof answer === 'string') return answer
    return this.io.sendLate?.(message.id, answer) ? undefined : answer.whole()
  }

  #dispatch(message: JsonRpcRequest, context: RequestContext, call: ServedCall): Outcome | Promise<Outcome> {
    const { method } = message
    const { strict, around } = this.served
    const own = ownMethod(method)
    if (strict && !this.initialized && method !== 'initialize' && method !== 'ping') {
      return refuse(INVALID_REQUEST, 'Not initialized')
    }
    if (!own) return this.#pass(method, call)
    if (!around) return own(this.#own, message, context)
    const params = message.params ?? NO_PARAMS
    return around(new PlainExchange({ ...context, method, params, client: this.client }), () =>
      own(this.#own, message, context),
    )
  }

  #pass(method: string, call: ServedCall): Outcome | Promise<Outcome> {
    if (!negotiateLegacy(this.served, this.client.version)) {
      return refuse(INVALID_PARAMS, `Invalid params: _meta["${META.protocolVersion}"] is required`)
    }
    if (!hasMethod(this.served, method, this.client.version)) return methodNotFound(method)
    return call.run()
  }

  /** Asks the client on behalf of a call. */
  ask(...[exchange, requests, asking]: Parameters<CallHost['ask']>): Promise<InputResponses> {
    if (this.#hungUp) throw new McpError('closed', 'The client has gone: nobody can be asked')
    this.#questions ??= new LegacyQuestions(this.served)
    return this.#questions.ask(requests, { caller: callerKey(exchange), ...asking })
  }
}
