import {
  INTERNAL_ERROR,
  isJsonObject,
  type JsonRpcRequest,
  McpError,
  METHOD_NOT_FOUND,
  ProtocolError,
  type RequestId,
} from '../../../jsonrpc/index.ts'
import type { Exchange } from '../../exchange.ts'
import type { LegacyCall } from './call.ts'
import { type QuestionEnd, answerTo, refusal, toQuestion } from './questions.ts'

type Ask = NonNullable<Exchange['ask']>

export interface SharedQuestionsOptions {
  ask?: Exchange['ask']
  reply(reply: { id: RequestId } & ({ result: object } | { error: object })): void
  /** Finds out anew who can be asked: the call that carried the question is over. */
  again(request: JsonRpcRequest): void
}

/** Questions of this kind that are open at a time. */
const MAX_OPEN = 64

/** Questions of a legacy server that belong to no single call: to the connection, or to the owner of several calls. */
export class SharedQuestions {
  readonly #options: SharedQuestionsOptions
  readonly #open = new Map<RequestId, AbortController>()

  constructor(options: SharedQuestionsOptions) {
    this.#options = options
  }

  askConnection(request: JsonRpcRequest): void {
    const { ask } = this.#options
    if (ask) void this.#askLive(request, ask, [])
    else this.refuse(request, new ProtocolError(METHOD_NOT_FOUND, `Nobody here answers ${request.method}`))
  }

  /** Asks the one owner of these calls: live if that is possible, else with the outcome of one of them. */
  askOwner(request: JsonRpcRequest, calls: readonly LegacyCall[]): void {
    const able = calls.filter((call) => !refusal(request, call.origin.client.capabilities))
    const carrier = able.find((call) => call.exchange?.ask) ?? able.find((call) => call.exchange) ?? able[0]
    const live = this.#options.ask ?? carrier?.exchange?.ask
    if (!carrier) this.refuse(request, refusal(request, calls[0]!.origin.client.capabilities)!)
    else if (live) void this.#askLive(request, live, calls)
    else void this.#askThrough(request, carrier, calls)
  }

  refuse(request: JsonRpcRequest, error: ProtocolError): void {
    this.#options.reply({ id: request.id, error: error.toJsonRpc() })
  }

  withdraw(id: RequestId): void {
    this.#open.get(id)?.abort('The server withdrew its request')
  }

  close(): void {
    for (const abort of this.#open.values()) abort.abort('The connection is closed')
    this.#open.clear()
  }

  async #askLive(request: JsonRpcRequest, ask: Ask, calls: readonly LegacyCall[]): Promise<void> {
    if (this.#open.size >= MAX_OPEN) {
      return this.refuse(request, new ProtocolError(INTERNAL_ERROR, 'Too many requests at a time'))
    }
    const abort = new AbortController()
    const { signal } = abort
    this.#open.set(request.id, abort)
    try {
      const answers = await whilePaused(calls, () => ask({ input: toQuestion(request) }, signal))
      if (!isJsonObject(answers.input)) throw new McpError('invalid_answer', `No answer to ${request.method}`)
      if (!signal.aborted) this.#options.reply({ id: request.id, result: answerTo(request, answers.input) })
    } catch (thrown) {
      if (!signal.aborted) this.refuse(request, ProtocolError.from(thrown))
    } finally {
      this.#open.delete(request.id)
    }
  }

  async #askThrough(
    request: JsonRpcRequest,
    carrier: LegacyCall,
    calls: readonly LegacyCall[],
  ): Promise<void> {
    const others = calls.filter((call) => call !== carrier)
    const end = await whilePaused(
      others,
      () => new Promise<QuestionEnd>((settled) => carrier.push(request, settled)),
    )
    if (end === 'call over') this.#options.again(request)
  }
}

/** A person is being asked: that none of these calls is heard of meanwhile means nothing. */
function whilePaused<T>(calls: readonly LegacyCall[], work: () => Promise<T>): Promise<T> {
  return calls.reduceRight(
    (inner, { exchange }) => (exchange?.whilePaused ? () => exchange.whilePaused!(inner) : inner),
    work,
  )()
}
