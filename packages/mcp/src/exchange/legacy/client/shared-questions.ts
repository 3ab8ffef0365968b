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

/** Questions of this kind that are open at a time, where fewer calls are under way: each call may ask. */
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

  /** Asks the owner that these calls share, through one of the calls if the connection cannot ask its user. */
  askOwner(request: JsonRpcRequest, calls: readonly LegacyCall[]): void {
    const able = calls.filter((call) => !refusal(request, call.origin.client.capabilities))
    const working = onlyWorking(calls)
    if (working && able.includes(working)) return void this.#askThrough(request, working, calls)
    const carrier = carrierOf(able)
    const { ask } = this.#options
    if (!carrier) this.refuse(request, refusal(request, calls[0]!.origin.client.capabilities)!)
    else if (ask) void this.#askLive(request, ask, calls)
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
    if (this.#open.size >= Math.max(MAX_OPEN, calls.length)) {
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

/**
 * The only call that does not wait for an answer. A call that waits hardly ever asks a second time, so a message counts
 * as a message of this call. It may be the question of another call, though, which is still open when this call ends.
 */
export function onlyWorking(calls: readonly LegacyCall[]): LegacyCall | undefined {
  const working = calls.filter((call) => call.exchange !== undefined)
  return working.length === 1 ? working[0] : undefined
}

/**
 * The call that carries a question to its owner: if possible a call that can ask live, and among these the call with
 * the fewest questions. Most calls ask one question at a time, and a question must be asked again when its call ends.
 */
function carrierOf(calls: readonly LegacyCall[]): LegacyCall | undefined {
  const live = calls.filter((call) => call.exchange?.ask)
  if (live.length > 0) return live.reduce((least, call) => (call.open < least.open ? call : least))
  return calls.find((call) => call.exchange) ?? calls[0]
}

/** A person is being asked, so these calls may be silent meanwhile. */
function whilePaused<T>(calls: readonly LegacyCall[], work: () => Promise<T>): Promise<T> {
  return calls.reduceRight(
    (inner, { exchange }) => (exchange?.whilePaused ? () => exchange.whilePaused!(inner) : inner),
    work,
  )()
}
