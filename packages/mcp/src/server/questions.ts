import type { Exchange, InputRequest, InputRequests } from '../exchange/index.ts'
import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import { canonicalJson, fingerprint } from './canonical-json.ts'
import type { Answer, RoundState } from './request-state.ts'

/** How a handler's questions reach the client. */
export interface Questions {
  ask(request: InputRequest, key?: string): Promise<JsonObject>
  step<T>(name: string, run: () => T | Promise<T>): Promise<T>
}

/** The client can be asked while the call runs: the handler runs once and steps need no memory. */
export class LiveQuestions implements Questions {
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  async ask(request: InputRequest, key = 'question'): Promise<JsonObject> {
    const answers = await this.#exchange.ask!({ [key]: request }, this.#exchange.signal)
    return answers[key] ?? {}
  }

  async step<T>(_name: string, run: () => T | Promise<T>): Promise<T> {
    return run()
  }
}

/**
 * The client answers by calling again, unless it can be asked live by then: a question without an answer parks the handler for good (its promise
 * never settles, so no `try/catch` can swallow it) and the next round runs it anew with the answers so far.
 */
export class ReplayedQuestions implements Questions {
  readonly #answers: Record<string, Answer>
  readonly #steps: Record<string, unknown>
  readonly #pending = new Map<string, { request: InputRequest; print: string }>()
  readonly #counts = new Map<string, number>()
  readonly #round: number
  readonly #suspend: () => void
  readonly #live: () => Exchange['ask']
  #scheduled = false
  #busySteps = 0

  constructor(
    state: RoundState | undefined,
    responses: JsonObject,
    suspend: () => void,
    live: () => Exchange['ask'],
  ) {
    this.#live = live
    this.#answers = { ...state?.answers }
    this.#steps = { ...state?.steps }
    this.#round = state?.round ?? 0
    this.#suspend = suspend
    for (const [key, response] of Object.entries(responses)) {
      // Keys that we did not ask for are ignored; without a state, nothing says what was asked.
      const print = state ? state.asked[key] : ''
      if (print !== undefined && isJsonObject(response)) this.#answers[key] = { print, response }
    }
  }

  ask(request: InputRequest, explicitKey?: string): Promise<JsonObject> {
    const print = fingerprint(explicitKey === undefined ? canonicalJson(request) : shapeOf(request))
    const key = explicitKey ?? this.#numbered(`q_${print}`)
    const answer = this.#answers[key]
    // An answer to a different question is no answer: this one is asked again.
    if (answer && (answer.print === print || answer.print === '')) return Promise.resolve(answer.response)
    const live = this.#live()
    if (live) return live({ [key]: request }).then((answers) => answers[key] ?? {})
    this.#pending.set(key, { request, print })
    this.#schedule()
    return new Promise(() => {})
  }

  async step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    const key = this.#numbered(name)
    if (Object.hasOwn(this.#steps, key)) return this.#steps[key] as T
    this.#busySteps++
    try {
      const value = await run()
      this.#steps[key] = value ?? null
      return value
    } finally {
      this.#busySteps--
      if (this.#pending.size > 0) this.#schedule()
    }
  }

  get inputRequests(): InputRequests {
    return Object.fromEntries([...this.#pending].map(([key, { request }]) => [key, request]))
  }

  state(): RoundState {
    const asked: Record<string, string> = {}
    for (const [key, { print }] of this.#pending) asked[key] = print
    return { answers: this.#answers, asked, steps: this.#steps, round: this.#round + 1 }
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
      if (this.#busySteps === 0) this.#suspend()
    }, 0)
  }
}

/** With an explicit key the wording may change between rounds; the kind and the form may not. */
function shapeOf(request: InputRequest): string {
  return canonicalJson([request.method, request.params?.mode, request.params?.requestedSchema])
}
