import { type Exchange, type InputRequest, type InputRequests, MAX_ROUNDS } from '../../exchange/exchange.ts'
import { RefusedForLoad } from '../../exchange/server/answer.ts'
import {
  canonicalJson,
  findUnwritable,
  isJsonObject,
  type JsonObject,
  McpError,
  ProtocolError,
} from '../../jsonrpc/index.ts'
import { QuestionError } from './question-error.ts'
import { insideStep, refuseInStep } from './step-scope.ts'
import type { ReplayTrace } from './replay-watch.ts'
import type { Answer, RoundState } from './request-state.ts'

export interface Questions {
  ask(request: InputRequest, key?: string): Promise<JsonObject>
  step<T>(name: string, run: () => T | Promise<T>): Promise<T>
}

/** The client can be asked while the call runs: the handler runs once and steps need no memory. */
export class LiveQuestions implements Questions {
  readonly #exchange: Exchange
  #rounds: number
  #open = 0

  /** `rounds`: those that the call had before it could be asked while it runs. */
  constructor(exchange: Exchange, rounds: number = 0) {
    this.#exchange = exchange
    this.#rounds = rounds
  }

  async ask(request: InputRequest, key = 'question'): Promise<JsonObject> {
    refuseInStep()
    requireWritable(request)
    // Questions that are open together are one round, as they are where each round is a request.
    if (this.#open === 0) refuseRound(this.#rounds++)
    this.#open++
    try {
      return await askLive(this.#exchange, request, key)
    } finally {
      this.#open--
    }
  }

  async step<T>(_name: string, run: () => T | Promise<T>): Promise<T> {
    return insideStep(run)
  }
}

/** The handler may catch the error of a question that got no answer; the call itself goes on. */
async function askLive(exchange: Exchange, request: InputRequest, key: string): Promise<JsonObject> {
  try {
    const answers = await exchange.ask!({ [key]: request }, exchange.signal)
    return (Object.hasOwn(answers, key) ? answers[key] : undefined) ?? {}
  } catch (error) {
    // A client that was not asked at all learns that it has to answer other questions first.
    if (error instanceof RefusedForLoad || exchange.signal.aborted) throw error
    const { method } = request
    if (error instanceof ProtocolError) {
      throw new QuestionError('invalid_answer', `The client refused ${method}: ${error.message}`, {
        cause: error,
        details: { method, code: error.code },
      })
    }
    if (!(error instanceof McpError)) throw error
    throw new QuestionError(error.code, error.message, {
      cause: error,
      details: { ...error.details, method },
    })
  }
}

export interface ReplayHost {
  readonly exchange: Exchange
  readonly state: RoundState | undefined
  readonly responses: JsonObject
  readonly trace: ReplayTrace | undefined
  /** Whether the client can be asked while the call runs, by now: a call that became a task can. */
  canAskLive(): boolean
  /** Called when the handler waits for answers that only the next round can bring. */
  suspend(): void
}

/** An unanswered question parks the handler for good; the next round runs it anew with the answers. */
export class ReplayedQuestions implements Questions {
  readonly #host: ReplayHost
  // Maps: clients choose keys, and `__proto__` is one.
  readonly #answers: Map<string, Answer>
  readonly #steps: Map<string, unknown>
  readonly #pending = new Map<string, { request: InputRequest; print: string }>()
  readonly #counts = new Map<string, number>()
  #live: LiveQuestions | undefined
  #scheduled = false
  #busySteps = 0

  constructor(host: ReplayHost) {
    this.#host = host
    const { state, responses } = host
    this.#answers = new Map(Object.entries(state?.answers ?? {}))
    this.#steps = new Map(Object.entries(state?.steps ?? {}))
    for (const [key, response] of Object.entries(responses)) {
      // Keys that we did not ask for are ignored; without a state, nothing says what was asked.
      const print = state ? ownMember(state.asked, key) : ''
      if (print !== undefined && isJsonObject(response)) this.#answers.set(key, { print, response })
    }
  }

  async ask(request: InputRequest, explicitKey?: string): Promise<JsonObject> {
    refuseInStep()
    requireWritable(request)
    const { trace, state } = this.#host
    const print = fingerprint(explicitKey === undefined ? canonicalJson(request) : shapeOf(request))
    const key = explicitKey ?? this.#numbered(`q_${print}`)
    trace?.question(key, String(request.params?.message ?? request.method))
    const answer = this.#answers.get(key)
    // The answer is for a different question, so this question is asked again.
    if (answer && (answer.print === print || answer.print === '')) {
      trace?.answered()
      return answer.response
    }
    const rounds = state?.round ?? 0
    if (this.#host.canAskLive()) {
      this.#live ??= new LiveQuestions(this.#host.exchange, rounds)
      return this.#live.ask(request, key)
    }
    refuseRound(rounds)
    this.#pending.set(key, { request, print })
    this.#schedule()
    return new Promise(() => {})
  }

  async step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    const { trace } = this.#host
    const key = this.#numbered(name)
    trace?.stepStarted(name)
    if (this.#steps.has(key)) {
      const value = this.#steps.get(key) as T
      trace?.stepEnded(name, value, true)
      return value
    }
    this.#busySteps++
    let value: T | undefined
    try {
      value = await insideStep(run)
      this.#steps.set(key, value ?? null)
      return value
    } finally {
      this.#busySteps--
      trace?.stepEnded(name, value, false)
      if (this.#pending.size > 0) this.#schedule()
    }
  }

  get inputRequests(): InputRequests {
    return Object.fromEntries([...this.#pending].map(([key, { request }]) => [key, request]))
  }

  state(): RoundState {
    const { state, trace } = this.#host
    return {
      answers: Object.fromEntries(this.#answers),
      asked: Object.fromEntries([...this.#pending].map(([key, { print }]) => [key, print])),
      steps: Object.fromEntries(this.#steps),
      round: (state?.round ?? 0) + 1,
      ...(trace && { trace: trace.events }),
    }
  }

  #numbered(base: string): string {
    const count = (this.#counts.get(base) ?? 0) + 1
    this.#counts.set(base, count)
    return count === 1 ? base : `${base}_${count}`
  }

  /** Waits for the turn to end, so that questions asked together travel together. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setTimeout(() => {
      this.#scheduled = false
      // A step under way must finish first, or its effect would be forgotten and repeated.
      if (this.#busySteps === 0) this.#host.suspend()
    }, 0)
  }
}

/** Integers of servers with exact numbers are written by their edge. */
function requireWritable({ method, params }: InputRequest): void {
  const found = findUnwritable(params, method, true)
  if (!found) return
  const { path, problem, cause } = found
  throw new McpError('invalid_definition', `Cannot ask the client: ${path} ${problem}`, { cause })
}

/** The limit is the same whether a round is a request or a question on an open connection. */
export function refuseRound(before: number): void {
  if (before < MAX_ROUNDS) return
  const message = `Still asking after ${MAX_ROUNDS} rounds of questions, which is the limit of one call; give each question a key, or ask several at once`
  throw new QuestionError('too_many_rounds', message, { details: { limit: MAX_ROUNDS } })
}

function ownMember<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** With an explicit key the wording may change between rounds; the kind and the form may not. */
function shapeOf(request: InputRequest): string {
  return canonicalJson([request.method, request.params?.mode, request.params?.requestedSchema])
}

/** A short fingerprint (FNV-1a, 64 bits in two halves). Not a secret: the state that holds it is sealed. */
function fingerprint(text: string): string {
  let low = 0x811c9dc5
  let high = 0xcbf29ce4
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ (code + i), 0x01000193)
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36)
}
