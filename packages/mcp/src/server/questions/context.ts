import type { ServerContext } from '../../exchange/app-types.ts'
import { type Duration, parseDuration } from '../../protocol/parse-duration.ts'
import type { AuthInfo, ClientFacts, Exchange, Notification } from '../../exchange/index.ts'
import { PARTIAL_CONTENT } from '../../exchange/message-hints.ts'
import { isJsonObject, McpError, toNumber, type JsonObject } from '../../jsonrpc/index.ts'
import {
  passesLevel,
  samplingProblem,
  type ContentBlock,
  type CreateMessageParams,
  type CreateMessageResult,
  type LoggingLevel,
  type ProgressToken,
  type Revision,
  type Root,
} from '../../protocol/index.ts'
import { checkRoots, checkSampled } from './check-answer.ts'
import { createElicit, type Elicit, type PageOptions, type QuestionOptions } from './elicit.ts'
import { requireQuestion } from './require-capability.ts'
import type { StreamSource } from './stream-content.ts'
import type { CallerState } from './kept-values.ts'
import type { Questions } from './questions.ts'
import type { ReplayTrace } from './replay-watch.ts'
import type { Store } from '../store.ts'
import { senderKey } from '../../protocol/callers.ts'
import { eraOf } from '../../protocol/revisions.ts'
import { isInStep } from './step-scope.ts'

/** The round that a context belongs to, where calls have rounds. */
export interface RoundFacts {
  suspension?: (() => AbortSignal) | undefined
  /** The state that the author's own previous round left. */
  own?: unknown
  /** Where `ctx.state` is kept. */
  store?: Store | undefined
  trace?: ReplayTrace | undefined
}

/** Fixed second argument of every handler: who asks, and everything that can be done while answering. */
export class Context {
  readonly #exchange: Exchange
  #progress: number = Number.NEGATIVE_INFINITY
  readonly #questions: () => Questions
  readonly #round: RoundFacts
  #state: CallerState | undefined
  #elicit: Elicit | undefined
  #signal: AbortSignal | undefined

  constructor(exchange: Exchange, questions: () => Questions, round: RoundFacts = {}) {
    this.#exchange = exchange
    this.#questions = questions
    this.#round = round
  }

  /** Aborted when the caller cancels or goes away, and when the call is suspended until the next round. */
  get signal(): AbortSignal {
    const { suspension } = this.#round
    this.#signal ??= suspension
      ? AbortSignal.any([this.#exchange.signal, suspension()])
      : this.#exchange.signal
    return this.#signal
  }

  get client(): ClientFacts {
    return this.#exchange.client
  }

  get protocolVersion(): Revision {
    return this.#exchange.client.version
  }

  get auth(): AuthInfo | undefined {
    return this.#exchange.auth
  }

  /** Whatever the embedding application set for this request; `AppTypes` says its type. */
  get serverContext(): ServerContext {
    return this.#exchange.serverContext as ServerContext
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    return this.#exchange.headers ?? {}
  }

  /** The request's `_meta`, with trace context and members of extensions. */
  get meta(): Readonly<JsonObject> {
    const meta = this.#exchange.params._meta
    return isJsonObject(meta) ? meta : {}
  }

  get exchange(): Exchange {
    return this.#exchange
  }

  /** Answers to questions of an earlier round, for handlers that run the rounds by hand. */
  get inputResponses(): Readonly<JsonObject> {
    const responses = this.#exchange.params.inputResponses
    return isJsonObject(responses) ? responses : {}
  }

  /** The state that `inputRequired(…)` got in the previous round. */
  get roundState(): unknown {
    return this.#round.own
  }

  /** Values that the same caller finds again in its next calls. Belongs to its principal, else to its session. */
  get state(): CallerState {
    const { store } = this.#round
    if (!store) throw new McpError('unsupported', 'There is no ctx.state here')
    this.#state ??= createCallerState(this.#exchange, store, this.#questions)
    return this.#state
  }

  /** Reports progress, if the client asked for it. Progress that does not go on is no news, and not sent. */
  async progress(progress: number, total?: number, message?: string): Promise<void> {
    this.#report(progress, { total, message })
  }

  #report(
    progress: number,
    {
      total,
      message,
      piece,
    }: { total?: number | undefined; message?: string | undefined; piece?: ContentBlock },
  ): void {
    const { progressToken } = this.meta as { progressToken?: ProgressToken }
    if (typeof progressToken !== 'string' && toNumber(progressToken) === undefined) return
    // "MUST increase with each notification" (2026-07-28, Progress).
    if (!(progress > this.#progress && progress < Number.POSITIVE_INFINITY)) return
    this.#progress = progress
    const params: JsonObject = { progressToken, progress }
    if (total !== undefined) params.total = total
    if (message !== undefined) params.message = message
    if (piece !== undefined && this.meta[PARTIAL_CONTENT] === true)
      params._meta = { [PARTIAL_CONTENT]: piece }
    this.#notify({ method: 'notifications/progress', params })
  }

  /**
   * Sends pieces as they come, with the progress of the call, to clients that take pieces, and returns the whole:
   * `return ctx.stream(model.write(topic))`. Other clients get progress without the pieces, and the whole at the end.
   */
  async stream(source: StreamSource): Promise<ContentBlock[]> {
    const { streamContent } = await import('./stream-content.ts')
    const tell = (piece: ContentBlock): void => this.#report(Math.max(0, this.#progress) + 1, { piece })
    return streamContent(source, { signal: this.signal, tell })
  }

  /** Sends a log message, if the client wants messages of this level. */
  async log(level: LoggingLevel, data: unknown, logger?: string): Promise<void> {
    if (!passesLevel(level, this.#exchange.logLevel)) return
    const params = logger === undefined ? { level, data } : { level, logger, data }
    this.#notify({ method: 'notifications/message', params })
  }

  #notify(notification: Notification): void {
    this.#round.trace?.notified(notification)
    this.#exchange.notify(notification)
  }

  /** Asks the user for a form; resolves with the validated value, throws `Declined` when refused. */
  get elicit(): Elicit {
    this.#elicit ??= createElicit(this.#exchange, this.#questions)
    return this.#elicit
  }

  /** Asks a yes/no question. A declined or cancelled question counts as no. */
  async confirm(message: string, options?: QuestionOptions): Promise<boolean> {
    // An empty form: accepting it is the yes, so there is no box that could be left unticked.
    const answer = await this.elicit.result(message, { type: 'object', properties: {} }, options)
    return answer.action === 'accept'
  }

  /** Lets the user choose one of several values; throws `Declined` when refused. */
  async choose<T extends string>(
    message: string,
    choices: readonly T[],
    options?: QuestionOptions,
  ): Promise<T> {
    const schema = {
      type: 'object',
      properties: { choice: { type: 'string', enum: [...choices] } },
      required: ['choice'],
    }
    const answer = (await this.elicit(message, schema, options)) as { choice: T }
    return answer.choice
  }

  /** Sends the user to a page and resolves when they say they have been there; throws `Declined`. */
  openUrl(message: string, url: string, options?: PageOptions): Promise<void> {
    return this.elicit.url(message, url, options)
  }

  async sample(params: CreateMessageParams, options: QuestionOptions = {}): Promise<CreateMessageResult> {
    const problem = samplingProblem(params.messages)
    if (problem !== undefined) throw new McpError('invalid_definition', `Cannot ask the model: ${problem}`)
    const request = { method: 'sampling/createMessage', params }
    requireQuestion(request, this.#exchange, options)
    return checkSampled(await this.#questions().ask(request, options.key))
  }

  async roots(options: QuestionOptions = {}): Promise<Root[]> {
    const request = { method: 'roots/list', params: {} }
    requireQuestion(request, this.#exchange, options)
    return checkRoots(await this.#questions().ask(request, options.key))
  }

  /** Runs a side effect once, however often the handler is run again for later answers. */
  step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    return this.#questions().step(name, run)
  }

  /** Closes the response stream while the work goes on; the client returns for the result after `retry`. */
  detach(retry?: Duration): void {
    this.#exchange.detach?.(retry === undefined ? retry : parseDuration(retry))
  }

  /** Called when the call is suspended until the client's answers come: release what you hold. */
  onSuspend(release: () => void): void {
    this.#round.suspension?.().addEventListener('abort', release, { once: true })
  }
}

function createCallerState(exchange: Exchange, store: Store, questions: () => Questions): CallerState {
  const step: Questions['step'] = async (name, run) => (isInStep() ? run() : questions().step(name, run))
  const host = { owner: ownerOf(exchange), store, step, parseDuration }
  const kept = async () => (await import('./kept-values.ts')).keptValues(host)
  return {
    get: async (key) => (await kept()).get(key),
    set: async (key, value, options) => (await kept()).set(key, value, options),
    delete: async (key) => (await kept()).delete(key),
  }
}

/** The principal; without a principal the session, or the connection if it lasts. */
function ownerOf(exchange: Exchange): string | undefined {
  const { auth, client, session, connection, ask } = exchange
  if (auth) return senderKey(exchange)
  // Without sessions, HTTP makes a session for each request, and nothing can be asked.
  const isLasting = eraOf(client.version) === 'legacy' && ask
  return isLasting ? `session ${session}` : connection && `session ${connection}`
}
