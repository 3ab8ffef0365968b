import { type Duration, parseDuration } from '../../../protocol/parse-duration.ts'
import {
  INTERNAL_ERROR,
  isJsonObject,
  type JsonObject,
  type JsonRpcRequest,
  type JsonRpcResponse,
  McpError,
  ProtocolError,
  type RequestId,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
} from '../../../jsonrpc/index.ts'
import type { Exchange, InputRequests, InputRequest, Outcome } from '../../exchange.ts'
import {
  META,
  withRelatedTask,
  type ClientCapabilities,
  requireKnownOptions,
  samePrincipal,
} from '../../../protocol/index.ts'
import { missingCapability, INPUT_KEY, withoutHints } from '../../message-hints.ts'
import type { IncomingMessage } from '../../wire.ts'
import { Budget, isKept } from '../../../protocol/callers.ts'

/** How a question left its call: it was answered or withdrawn, or the call ended first. */
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
  /**
   * Answers that came with the call itself, by the name that the server gives the question. Each can be used for one
   * question.
   */
  #given: unknown
  #lastKey = 0

  constructor(reply: (response: JsonRpcResponse) => void, given: unknown) {
    this.#reply = reply
    this.#given = given
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

  /**
   * Returns its key: what the server calls it, if it says so and nothing else is called that. Undefined when the call
   * brought the answer. With `ended` it may belong to another call, whose answers these are not.
   */
  add(request: JsonRpcRequest, ended?: (end: QuestionEnd) => void): string | undefined {
    const named = inputKeyOf(request)
    const key = named !== undefined && !this.#open.has(named) ? named : `input-${++this.#lastKey}`
    this.#open.set(key, { request, abort: new AbortController(), ended })
    const given = ended || named === undefined ? undefined : this.#takeGiven(named)
    if (!given) return key
    this.answer(key, given)
    return undefined
  }

  #takeGiven(name: string): JsonObject | undefined {
    const given = this.#given
    if (!isJsonObject(given) || !Object.hasOwn(given, name)) return undefined
    const { [name]: answer, ...rest } = given
    this.#given = rest
    return isJsonObject(answer) ? answer : undefined
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

  /** The server no longer wants an answer to this request; false when the request is not open here. */
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

const QUESTIONS: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])

/** The request as a question: without its frame, everything else as it was. */
export function toQuestion(request: JsonRpcRequest): InputRequest {
  const { jsonrpc: _, id: __, ...question } = request
  return withoutHints(question)
}

/** The key of the question, from a server built on this SDK; undefined for other servers. */
function inputKeyOf(request: JsonRpcRequest): string | undefined {
  const meta = request.params?._meta
  const key = isJsonObject(meta) ? meta[INPUT_KEY] : undefined
  return typeof key === 'string' && key !== '' && key.length <= 128 ? key : undefined
}

/** The id of the page that a request sends a user to; undefined for other requests. */
export function pageOf({ method, params }: JsonRpcRequest): string | undefined {
  const id = method === 'elicitation/create' && params?.mode === 'url' ? params.elicitationId : undefined
  return isKept('elicitationId', id) ? id : undefined
}

export function isQuestion({ method }: JsonRpcRequest): boolean {
  return QUESTIONS.has(method)
}

/** Why a server's request cannot be passed on to a client with these capabilities; undefined when it can. */
export function refusal(
  request: JsonRpcRequest,
  capabilities: ClientCapabilities,
): ProtocolError | undefined {
  const { method } = request
  if (!isQuestion(request)) return new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`)
  const missing = missingCapability(request, capabilities)
  if (!missing) return undefined
  const name = Object.keys(missing)[0] ?? method
  // An undeclared mode or option is an invalid parameter (2025-11-25). Without the capability, the method does not
  // exist.
  return capabilities[name] === undefined
    ? new ProtocolError(METHOD_NOT_FOUND, `The client did not declare the ${name} capability`)
    : new ProtocolError(INVALID_PARAMS, `The client did not declare ${JSON.stringify(missing)}`)
}

/** The task that a message belongs to (2025-11-25, Tasks); the call that follows the task is asked. */
export function relatedTaskOf(message: IncomingMessage): string | undefined {
  const meta = message.params?._meta
  const task = isJsonObject(meta) ? meta[META.relatedTask] : undefined
  return isJsonObject(task) && typeof task.taskId === 'string' ? task.taskId : undefined
}

/** The answer to a question of a task names the task, as the question does (2025-11-25, Tasks). */
export function answerTo(request: JsonRpcRequest, result: JsonObject): JsonObject {
  const taskId = relatedTaskOf(request)
  return taskId === undefined ? result : withRelatedTask(result, taskId)
}

/** A call whose server waits for an answer while its caller has not come back. */
export interface ParkedCall {
  /** The caller that the call counts for (`callerKey`). */
  readonly caller: string
  /** Whether this retry belongs to the call: same method, same target, same principal. */
  accepts(exchange: Exchange): boolean
  /** Gives the server the answers in `params.inputResponses` and waits for what comes next. */
  resume(exchange: Exchange): Promise<Outcome>
  /** The caller did not come back: refuse what the server asks and cancel the call. */
  expire(): void
}

/** The place where calls are parked between two rounds. Several edges may share it. */
export interface Continuations {
  /** Keeps a call and names it; undefined when there is no room. */
  park(call: ParkedCall): string | undefined
  find(token: string): ParkedCall | undefined
  /** Takes a call out, because a token can be used for one round only. */
  take(token: string): ParkedCall | undefined
}

export interface MemoryContinuationsOptions {
  /** Calls that may be parked at a time. Default 1000. */
  maxParked?: number
  /** How many calls of one caller may be parked at a time. Default: as many as are allowed in all. */
  maxParkedOfCaller?: number
  /** How long a call stays parked. Default 10 minutes: people take their time. */
  ttl?: Duration
}

interface Parked {
  readonly call: ParkedCall
  readonly caller: string
  readonly timer: ReturnType<typeof setTimeout>
}

/** Parks calls in memory, bounded in number and in time. */
export class MemoryContinuations implements Continuations {
  readonly #parked = new Map<string, Parked>()
  readonly #budget: Budget
  readonly #ttl: number

  constructor(options: MemoryContinuationsOptions = {}) {
    requireKnownOptions('place for calls', { maxParked: 1, maxParkedOfCaller: 1, ttl: 1 }, options)
    const total = options.maxParked ?? 1_000
    this.#budget = new Budget({ perCaller: options.maxParkedOfCaller ?? total, total })
    this.#ttl = parseDuration(options.ttl ?? '10m')
  }

  get size(): number {
    return this.#parked.size
  }

  park(call: ParkedCall): string | undefined {
    const { caller } = call
    if (this.#budget.take(caller, 1)) return undefined
    const token = crypto.randomUUID()
    const timer = setTimeout(() => this.take(token)?.expire(), this.#ttl)
    timer.unref?.()
    this.#parked.set(token, { call, caller, timer })
    return token
  }

  find(token: string): ParkedCall | undefined {
    return this.#parked.get(token)?.call
  }

  take(token: string): ParkedCall | undefined {
    const entry = this.#parked.get(token)
    if (!entry) return undefined
    clearTimeout(entry.timer)
    this.#parked.delete(token)
    this.#budget.give(entry.caller, 1)
    return entry.call
  }
}

/** Whether a retry is one of this request: same method, same target, same principal. */
export function isSameCall(retry: Exchange, origin: Exchange): boolean {
  return (
    retry.method === origin.method &&
    retry.params.name === origin.params.name &&
    retry.params.uri === origin.params.uri &&
    samePrincipal(retry.auth?.principal, origin.auth?.principal)
  )
}
