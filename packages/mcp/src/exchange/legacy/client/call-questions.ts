import {
  INTERNAL_ERROR,
  isJsonObject,
  type JsonObject,
  type JsonRpcRequest,
  type JsonRpcResponse,
  McpError,
  ProtocolError,
  type RequestId,
} from '../../../jsonrpc/index.ts'
import type { Exchange, InputRequests } from '../../exchange.ts'
import { answerTo, inputKeyOf, toQuestion } from './questions.ts'

/** How a question left its call: it was settled, or the call ended before it. */
export type QuestionEnd = 'settled' | 'call over'

interface Question {
  readonly request: JsonRpcRequest
  readonly abort: AbortController
  /** For a question that may belong to another call: told when this call is done with it. */
  readonly ended: ((end: QuestionEnd) => void) | undefined
}

const MAX_QUESTIONS = 64

/** Requests that a legacy server pushed on behalf of one call and that are not answered yet, each under a key. */
export class CallQuestions {
  readonly #reply: (response: JsonRpcResponse) => void
  readonly #open = new Map<string, Question>()
  #lastKey = 0

  constructor(reply: (response: JsonRpcResponse) => void) {
    this.#reply = reply
  }

  get size(): number {
    return this.#open.size
  }

  get isFull(): boolean {
    return this.#open.size >= MAX_QUESTIONS
  }

  keys(): string[] {
    return [...this.#open.keys()]
  }

  /** Returns its key: what the server calls it, if it says so and nothing else is called that. */
  add(request: JsonRpcRequest, ended?: (end: QuestionEnd) => void): string {
    const named = inputKeyOf(request)
    const key = named !== undefined && !this.#open.has(named) ? named : `input-${++this.#lastKey}`
    this.#open.set(key, { request, abort: new AbortController(), ended })
    return key
  }

  /** All of them, as a caller gets them. */
  toInputRequests(): InputRequests {
    const requests: InputRequests = {}
    for (const [key, { request }] of this.#open) requests[key] = toQuestion(request)
    return requests
  }

  async askLive(key: string, ask: NonNullable<Exchange['ask']>): Promise<void> {
    const question = this.#open.get(key)
    if (!question) return
    const { request, abort } = question
    try {
      const answers = await ask({ [key]: toQuestion(request) }, abort.signal)
      const answer = answers[key]
      if (!isJsonObject(answer)) throw new McpError('invalid_answer', `No answer to ${request.method}`)
      this.answer(key, answer)
    } catch (thrown) {
      if (this.#open.delete(key)) {
        this.refuse(request.id, ProtocolError.from(thrown))
        question.ended?.('settled')
      }
    }
  }

  answer(key: string, result: JsonObject): void {
    const question = this.#open.get(key)
    if (!question) return
    this.#open.delete(key)
    const { request } = question
    this.#reply({ jsonrpc: '2.0', id: request.id, result: answerTo(request, result) })
    question.ended?.('settled')
  }

  /** Also for requests that were never added. */
  refuse(id: RequestId, error: ProtocolError): void {
    this.#reply({ jsonrpc: '2.0', id, error: error.toJsonRpc() })
  }

  refuseAll(message: string): void {
    for (const { request, ended } of this.#open.values()) {
      this.refuse(request.id, new ProtocolError(INTERNAL_ERROR, message))
      ended?.('settled')
    }
    this.#open.clear()
  }

  /** The server no longer wants an answer to a request; false when it is none of these. */
  withdraw(requestId: unknown): boolean {
    for (const [key, { request, abort, ended }] of this.#open) {
      if (request.id !== requestId) continue
      this.#open.delete(key)
      abort.abort('The server withdrew its request')
      ended?.('settled')
      return true
    }
    return false
  }

  close(): void {
    const open = [...this.#open.values()]
    this.#open.clear()
    for (const { abort, ended } of open) {
      abort.abort('The call is over')
      ended?.('call over')
    }
  }
}
