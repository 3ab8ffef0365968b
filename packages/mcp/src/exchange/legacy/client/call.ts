import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isJsonObject,
  type JsonRpcRequest,
  type JsonRpcResponse,
  McpError,
  ProtocolError,
} from '../../../jsonrpc/index.ts'
import { eraOf } from '../../../protocol/index.ts'
import { abortError, cancellationOf, Canceller } from '../../plain-exchange.ts'
import {
  complete,
  type Cancellation,
  type Exchange,
  type Notification,
  type Outcome,
} from '../../exchange.ts'
import { withoutTask } from './followed-task.ts'
import { wantsLog } from '../../client/client-edge.ts'
import { deliver, modernError, undelivered } from './call-messages.ts'
import { callerKey } from '../../../protocol/callers.ts'
import {
  CallQuestions,
  type QuestionEnd,
  pageOf,
  refusal,
  isSameCall,
  type Continuations,
  type ParkedCall,
} from './questions.ts'
import { received } from '../../received-result.ts'

/** The functions of the edge that a call uses. */
export interface CallPort {
  readonly continuations: Continuations
  readonly keepsText: boolean
  /** Answers a request of the server. */
  reply(response: JsonRpcResponse): Promise<void>
  /** Tells the server that the answer is not wanted any more. */
  cancel(id: number): void
  /** The call is over: the server has answered, or was never asked. */
  done(call: LegacyCall): void
  /** The caller has given up, but the server may still work on it. */
  givenUp(call: LegacyCall): void
  /** A log message that the caller did not ask for. */
  unwantedLog(this: void, notification: Notification): void
}

/** Pages that one call may send its user to and be told of. */
const MAX_PAGES = 64

/** A caller that waits for the outcome. */
interface Round {
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: Error) => void
  readonly cancellation: Cancellation
  readonly onAbort: () => void
}

const MAX_BUFFERED = 256

/** Failures after which the server may go on with the call. */
const UNANSWERED: ReadonlySet<string> = new Set(['network', 'closed', 'timeout', 'cancelled'])

/** One request to a legacy server. Pushed questions are asked live, or the call is parked and returns. */
export class LegacyCall implements ParkedCall {
  readonly id: number
  readonly method: string
  readonly #port: CallPort
  readonly #origin: Exchange
  /** The call that its client made, where this is a part of it. */
  readonly #of: Exchange
  readonly #abort = new Canceller()
  /** Made with the first question, because most calls have no question. */
  #asked: CallQuestions | undefined
  #buffer: Notification[] | undefined
  /** The caller that waits now; undefined while the call is parked. */
  #exchange: Exchange | undefined
  #round: Round | undefined
  #final: { outcome: Outcome } | { error: Error } | undefined
  #flushing = false
  /** Ids of the pages that the caller was sent to. */
  #pages: Set<unknown> | undefined

  constructor(id: number, exchange: Exchange, port: CallPort, of: Exchange = exchange) {
    this.id = id
    this.method = exchange.method
    this.#origin = exchange
    this.#of = of
    this.#port = port
  }

  get #questions(): CallQuestions {
    this.#asked ??= new CallQuestions((response) => this.#reply(response), this.#origin.params.inputResponses)
    return this.#asked
  }

  /** The exchange that it was made for. */
  get origin(): Exchange {
    return this.#origin
  }

  /** The task whose result this is a request for. */
  get awaitedTask(): unknown {
    return this.method === 'tasks/result' ? this.#origin.params.taskId : undefined
  }

  /** The exchange that waits for the outcome, if any. */
  get exchange(): Exchange | undefined {
    return this.#exchange
  }

  /** How many questions wait for an answer. */
  get open(): number {
    return this.#asked?.size ?? 0
  }

  start(send: (cancellation: Cancellation) => Promise<JsonRpcResponse>): Promise<Outcome> {
    const cancellation = cancellationOf(this.#origin)
    if (cancellation.aborted) {
      this.#port.done(this)
      return Promise.reject(abortError(cancellation))
    }
    const outcome = this.#attach(this.#origin)
    send(this.#abort).then(
      (response) => this.#finish({ outcome: this.#outcomeOf(response) }),
      (thrown: unknown) => {
        const error = McpError.from(thrown)
        this.#finish({ error }, !UNANSWERED.has(error.code))
      },
    )
    return outcome
  }

  #outcomeOf(response: JsonRpcResponse): Outcome {
    if ('error' in response) return { type: 'error', error: modernError(response.error, this.#origin) }
    const kept = this.#port.keepsText ? received(response, false) : undefined
    const outcome = kept ?? complete(response.result)
    return this.#of === this.#origin ? outcome : withoutTask(outcome)
  }

  get caller(): string {
    return callerKey(this.#origin)
  }

  accepts(exchange: Exchange): boolean {
    return isSameCall(exchange, this.#of)
  }

  resume(exchange: Exchange): Promise<Outcome> {
    const answers = exchange.params.inputResponses
    if (isJsonObject(answers)) {
      for (const key of this.#questions.keys()) {
        const answer = Object.hasOwn(answers, key) ? answers[key] : undefined
        if (isJsonObject(answer)) this.#questions.answer(key, answer)
      }
    }
    return this.#attach(exchange)
  }

  expire(): void {
    this.#questions.refuseAll('Nobody answered in time')
    this.#stop(new McpError('timeout', `Nobody came back to answer what ${this.method} asked for`))
  }

  /** A pushed request for this call. With `ended` it may be for another call of the same owner. */
  push(request: JsonRpcRequest, ended?: (end: QuestionEnd) => void): void {
    const refused = this.#refusal(request)
    if (refused) {
      this.#questions.refuse(request.id, refused)
      ended?.('settled')
      return
    }
    const page = pageOf(request)
    if (page !== undefined && (this.#pages?.size ?? 0) < MAX_PAGES) {
      this.#pages = (this.#pages ?? new Set()).add(page)
    }
    const key = this.#questions.add(request, ended)
    if (key === undefined) return
    if (this.#exchange?.ask) this.#questions.askLive(key, this.#exchange.ask)
    else this.#flushSoon()
  }

  #refusal(request: JsonRpcRequest): ProtocolError | undefined {
    if (this.#final) return new ProtocolError(INVALID_REQUEST, 'The call that this belongs to is over')
    if (!this.#questions.isFull) return refusal(request, this.#origin.client.capabilities)
    return new ProtocolError(INTERNAL_ERROR, 'Too many requests at a time')
  }

  /** The server no longer wants an answer to a request that it pushed. */
  withdraw(requestId: unknown): boolean {
    return this.#asked?.withdraw(requestId) ?? false
  }

  notify(notification: Notification): void {
    if (this.#final) return
    if (this.#exchange) return deliver(this.#exchange, notification, this.#port.unwantedLog)
    this.#buffer ??= []
    if (this.#buffer.length >= MAX_BUFFERED) this.#buffer.shift()
    this.#buffer.push(notification)
  }

  wantsLog(notification: Notification): boolean {
    return this.#exchange !== undefined && wantsLog(this.#exchange, notification)
  }

  /** The user is done with a page that this call asked for. Only older clients know that message. */
  completed(elicitationId: unknown, notification: Notification): void {
    if (!this.#pages?.has(elicitationId) || eraOf(this.#origin.client.version) === 'modern') return
    this.notify(notification)
  }

  /** The server closes the response stream; so may a gateway between it and the caller. */
  detach(retryMs: number | undefined): void {
    this.#exchange?.detach?.(retryMs)
  }

  #attach(exchange: Exchange): Promise<Outcome> {
    this.#exchange = exchange
    if (this.#buffer) {
      for (const one of this.#buffer.splice(0)) deliver(exchange, one, this.#port.unwantedLog)
    }
    return new Promise((resolve, reject) => {
      const cancellation = cancellationOf(exchange)
      const onAbort = (): void => this.#stop(abortError(cancellation))
      this.#round = { resolve, reject, cancellation, onAbort }
      cancellation.onAbort(onAbort)
      if (cancellation.aborted) onAbort()
      else if (this.#final) this.#settle()
      else this.#pursueQuestions(exchange)
    })
  }

  /** Asks the questions that arrived between two rounds, and those without an answer. */
  #pursueQuestions(exchange: Exchange): void {
    const questions = this.#asked
    if (!questions || questions.size === 0) return
    if (exchange.ask) for (const key of questions.keys()) questions.askLive(key, exchange.ask)
    else this.#flushSoon()
  }

  /** An answer that cannot be delivered leaves the server waiting for ever, so the call has failed. */
  #reply(response: JsonRpcResponse): void {
    this.#port.reply(response).catch((thrown: unknown) => this.#stop(undelivered(McpError.from(thrown))))
  }

  /** Waits for the end of the tick, so that questions which arrive together travel together. */
  #flushSoon(): void {
    if (this.#flushing || !this.#round) return
    this.#flushing = true
    setTimeout(() => {
      this.#flushing = false
      this.#flush()
    }, 0)
  }

  #flush(): void {
    const round = this.#round
    if (!round || this.#questions.size === 0) return
    const requestState = this.#port.continuations.park(this)
    if (requestState === undefined) {
      this.#questions.refuseAll('Too many calls wait for input')
      return
    }
    const inputRequests = this.#questions.toInputRequests()
    this.#leave(round).resolve({ type: 'input_required', inputRequests, requestState })
  }

  /** Gives the call up on our side. */
  #stop(error: Error): void {
    if (this.#final) return
    this.#port.cancel(this.id)
    this.#finish({ error }, false)
    this.#abort.abort(error)
  }

  #finish(final: { outcome: Outcome } | { error: Error }, isAnswered = true): void {
    if (this.#final) return
    this.#final = final
    if (isAnswered) this.#port.done(this)
    else this.#port.givenUp(this)
    this.#asked?.close()
    this.#settle()
  }

  #settle(): void {
    if (!this.#final || !this.#round) return
    const round = this.#leave(this.#round)
    if ('outcome' in this.#final) round.resolve(this.#final.outcome)
    else round.reject(this.#final.error)
  }

  /** From now on no caller waits. */
  #leave(round: Round): Round {
    round.cancellation.offAbort(round.onAbort)
    this.#round = undefined
    this.#exchange = undefined
    return round
  }
}
