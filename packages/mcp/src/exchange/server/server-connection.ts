import {
  classifyMessage,
  INVALID_REQUEST,
  jsonReader,
  ProtocolError,
  RefusedJson,
  type JsonRpcError,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type LateJson,
  type LongJson,
  type ParsedMessage,
  type RequestId,
  unreadable,
} from '../../jsonrpc/index.ts'
import { Announcements } from './announcements.ts'
import { CallTable } from '../pending-requests.ts'
import { failure, type Outcome } from '../exchange.ts'
import { LegacySession } from '../legacy/server/session.ts'
import type { PlainExchange, RequestContext } from '../plain-exchange.ts'
import { isModernRequest, openModernExchange } from '../modern/server-edge.ts'
import { readBatch } from './read-batch.ts'
import {
  type RefusedForLoad,
  respondSafely,
  modernRevisions,
  type Served,
  responseFacts,
  type ResponseFacts,
  writeError,
  dropOutcome,
  writeOutcome,
} from './answer.ts'

export interface ServerConnectionOptions {
  /** Writes one message. */
  send(text: string): void
  /** Writes answers that have long text in them. Without this, such an answer is text like any other. */
  long?: LongAnswers
  /** Writes answers that are read while they are sent. Without this, they are read first. */
  sendLate?(message: LateJson): void
  context?: RequestContext
  /** More requests than this at once are refused. */
  maxInFlight?: number
  /** True while the reader is behind: progress and logs are dropped, news wait, answers are sent. */
  isCongested?: () => boolean
  /** Why an answer of this length cannot be held until it is read: it is answered with that instead. */
  refusesToHold?(length: number): RefusedForLoad | undefined
}

/** Writes long answers. Only transports that can do it load it. */
export interface LongAnswers {
  /** Undefined when there is nothing long in the answer. */
  write(outcome: Outcome, facts: ResponseFacts): LongJson | undefined
  send(message: LongJson): void
}

const DEFAULT_MAX_IN_FLIGHT = 10_000

/** Serves one two-way channel. Each request is modern or legacy by its content, so both eras can share it. */
export class ServerConnection {
  readonly #served: Served
  readonly #send: (text: string) => void
  readonly #sendLate: ((message: LateJson) => void) | undefined
  readonly #sendLong: ((outcome: Outcome, facts: ResponseFacts) => boolean) | undefined
  #context: RequestContext
  readonly #maxInFlight: number
  readonly #isCongested: () => boolean
  readonly #refusesToHold: (length: number) => RefusedForLoad | undefined
  #batches = 0
  readonly #modern = new CallTable<RequestId, PlainExchange>()
  readonly legacy: LegacySession
  readonly #announcements: Announcements
  #waiting: (() => void)[] = []
  #hungUp = false
  #closed = false

  constructor(served: Served, options: ServerConnectionOptions) {
    this.#served = served
    this.#send = options.send
    const { long } = options
    this.#sendLate = options.sendLate
    this.#sendLong = long && ((outcome, facts) => this.#sendApart(outcome, facts, long))
    this.#context = options.context ?? {}
    this.#maxInFlight = options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT
    this.#isCongested = options.isCongested ?? (() => false)
    this.#refusesToHold = options.refusesToHold ?? (() => undefined)
    this.#announcements = new Announcements({ send: this.#send, isCongested: this.#isCongested })
    this.legacy = new LegacySession(served, {
      send: (text, relatedTo) => this.#say(text, relatedTo === undefined),
      canPush: true,
      ...(this.#sendLong && { sendLong: this.#sendLong }),
      sendLate: (_id, message) => this.#sentLate(message),
      isCongested: this.#isCongested,
    })
  }

  /**
   * Takes one parsed message. A `context` replaces the previous context, because over HTTP+SSE each message has its own
   * credentials.
   */
  receive(value: unknown, context?: RequestContext): void {
    if (this.#closed) return
    if (context) this.#context = context
    if (Array.isArray(value)) {
      this.#batch(value)
      return
    }
    const answer = this.#answer(classifyMessage(value))
    const send = (text: string | undefined): void => this.#sendIfAny(text && this.#readable(text, value))
    if (answer instanceof Promise) answer.then(send)
    else send(answer)
  }

  /** Takes one message as text. Returns the error that was answered when it cannot be read. */
  receiveText(text: string): JsonRpcError | undefined {
    let value: unknown
    try {
      value = jsonReader(this.#served.numbers)(text)
    } catch (thrown) {
      const { id, ...error } = unreadable(thrown)
      const isResponse = thrown instanceof RefusedJson && thrown.isResponse
      if (!this.#closed && !isResponse) this.#send(writeError(id, error))
      return error
    }
    this.receive(value)
    return undefined
  }

  /** The reader is no longer far behind. */
  caughtUp(): void {
    if (!this.#closed) this.#announcements.release()
  }

  /** How many requests are being worked on. */
  get inFlight(): number {
    return this.#modern.size + this.legacy.inFlight
  }

  /** Resolves when every request is answered, except requests that listen. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#checkIdle()
    })
  }

  #checkIdle(): void {
    if (this.#waiting.length === 0 || this.legacy.inFlight > 0 || this.#batches > 0) return
    for (const exchange of this.#modern.values()) {
      if (exchange.method !== 'subscriptions/listen') return
    }
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** The peer says nothing more: from now on only answers are sent. */
  hangUp(): void {
    this.#hungUp = true
    this.legacy.hangUp()
  }

  /** Calls under way get the error as their answer, by the end of this turn; without an error they get no answer. */
  close(reason: unknown = 'closed', error?: ProtocolError): void {
    this.#closed = true
    for (const [id, exchange] of this.#modern.entries()) {
      const isCall = exchange.method !== 'subscriptions/listen'
      if (error && isCall) this.#send(writeError(id, error.toJsonRpc()))
      exchange.abort(reason)
    }
    this.#modern.clear()
    this.legacy.close(reason, error)
  }

  #say(text: string, isNews: boolean): void {
    if (this.#hungUp) return
    if (isNews) this.#announcements.say(text)
    else this.#send(text)
  }

  #sendIfAny(text: string | undefined): void {
    if (text !== undefined) this.#send(text)
    if (this.#waiting.length > 0) this.#checkIdle()
  }

  #answer(parsed: ParsedMessage): string | undefined | Promise<string | undefined> {
    switch (parsed.kind) {
      case 'request':
        return this.#request(parsed.message)
      case 'notification':
        this.#notification(parsed.message)
        return undefined
      case 'response':
        this.legacy.response(parsed.message)
        return undefined
      case 'invalid':
        return parsed.isResponse ? undefined : JSON.stringify(parsed.reply)
    }
  }

  #request(message: JsonRpcRequest): string | undefined | Promise<string | undefined> {
    if (this.inFlight >= this.#maxInFlight) {
      return writeError(message.id, { code: INVALID_REQUEST, message: 'Too many requests in flight' })
    }
    if (this.#modern.has(message.id)) return this.#duplicate(message.id)
    const modern = isModernRequest(message, this.legacy.negotiated)
    if (modern && modernRevisions(this.#served).length > 0) return this.#runModern(message)
    return this.legacy.request(message, this.#context)
  }

  #runModern(message: JsonRpcRequest): string | undefined | Promise<string | undefined> {
    if (this.legacy.isInFlight(message.id)) return this.#duplicate(message.id)
    let exchange: PlainExchange
    try {
      const isNews = message.method === 'subscriptions/listen'
      const send = (text: string): void => {
        if (isNews || !this.#isCongested()) this.#say(text, isNews)
      }
      exchange = openModernExchange(message, this.#served, this.#context, send, this.legacy)
    } catch (error) {
      return writeError(message.id, ProtocolError.from(error).toJsonRpc())
    }
    const outcome = respondSafely(this.#served, exchange)
    if (!(outcome instanceof Promise)) return this.#concludeModern(message, exchange, outcome)
    this.#modern.set(message.id, exchange)
    return outcome.then((settled) => this.#concludeModern(message, exchange, settled))
  }

  #concludeModern(
    message: JsonRpcRequest,
    exchange: PlainExchange,
    outcome: Outcome,
  ): string | undefined | Promise<string> {
    // A cancelled request's id may be in use again.
    if (this.#modern.get(message.id) === exchange) this.#modern.delete(message.id)
    exchange.finish()
    if (exchange.aborted) return dropOutcome(outcome)
    if (message.method === 'subscriptions/listen' && !this.#hungUp) this.#announcements.release()
    const facts = responseFacts(message, exchange.client.version, this.#served)
    if (this.#sendLong?.(outcome, facts)) return undefined
    const answer = writeOutcome(outcome, facts)
    if (typeof answer === 'string') return answer
    return this.#sentLate(answer) ? undefined : answer.whole()
  }

  #sentLate(message: LateJson): boolean {
    if (!this.#sendLate || this.#batches > 0) return false
    this.#sendLate(message)
    return true
  }

  /** The answers of a batch leave together, as text. */
  #sendApart(outcome: Outcome, facts: ResponseFacts, long: LongAnswers): boolean {
    const message = this.#batches > 0 ? undefined : long.write(outcome, facts)
    if (!message) return false
    const refusal = this.#refusesToHold(message.length)
    if (refusal) this.#send(writeError(facts.id, refusal.toJsonRpc()))
    else long.send(message)
    return true
  }

  /** The answer, or an error in place of an answer that cannot be held until its reader takes it. */
  #readable(text: string, asked: unknown): string {
    const refusal = this.#refusesToHold(text.length)
    return refusal ? writeError((asked as JsonRpcRequest).id ?? null, refusal.toJsonRpc()) : text
  }

  #duplicate(id: RequestId): string {
    const error = new ProtocolError(INVALID_REQUEST, `Invalid request: id ${id} is already in use`)
    return writeError(id, failure(error).error)
  }

  #notification(message: JsonRpcNotification): void {
    if (message.method === 'notifications/cancelled') {
      const id = message.params?.requestId as RequestId
      const exchange = this.#modern.get(id)
      if (exchange) {
        // Over at once, whatever its handler goes on doing.
        this.#modern.delete(id)
        exchange.abort(message.params?.reason ?? 'cancelled')
        this.#checkIdle()
        return
      }
    }
    this.legacy.notification(message, this.#context)
  }

  #batch(values: unknown[]): void {
    const batch = readBatch(values, this.legacy.client.version)
    if (typeof batch === 'string') {
      this.#send(writeError(null, { code: INVALID_REQUEST, message: batch }))
      return
    }
    this.#batches++
    Promise.all(batch.map((parsed) => this.#answer(parsed))).then((texts) => {
      this.#batches--
      const answers = texts.filter((text) => text !== undefined)
      const length = answers.reduce((sum, answer) => sum + answer.length, 0)
      const refusal = this.#refusesToHold(length)
      const sent = refusal ? batch.flatMap((parsed) => refusedIn(parsed, refusal)) : answers
      this.#sendIfAny(sent.length > 0 ? `[${sent.join(',')}]` : undefined)
    })
  }
}

function refusedIn(parsed: ParsedMessage, refusal: RefusedForLoad): string[] {
  return parsed.kind === 'request' ? [writeError(parsed.message.id, refusal.toJsonRpc())] : []
}
