import { callerKey, isKept } from '../../../protocol/callers.ts'
import { tooManyRounds } from '../../client/client-edge.ts'
import {
  type Exchange,
  type Notification,
  type Outcome,
  type Failure,
  failure,
  type InputRequests,
} from '../../exchange.ts'
import { isSameCall, type Continuations, type ParkedCall } from './questions.ts'
import { eraOf } from '../../../protocol/index.ts'
import { abortError } from '../../plain-exchange.ts'
import {
  INVALID_REQUEST,
  isJsonObject,
  ProtocolError,
  URL_ELICITATION_REQUIRED,
} from '../../../jsonrpc/index.ts'

interface PageGateOptions {
  send(exchange: Exchange): Promise<Outcome>
  readonly continuations: Continuations
  readonly maxRounds: number
  /** How long a visit may take before the caller is asked again, in ms. */
  readonly patience: number
}

/** A request of a caller that cannot be asked live is kept waiting so long; then it may come back, unasked. */
const LONGEST_HOLD = 20_000
/** A server need not say that a page is done. Then the call itself finds out, less and less often. */
const FIRST_LOOK = 2_000
const LONGEST_PAUSE = 30_000

/** Takes calls past error −32042: the caller goes to the pages that it lists, and then the call is sent again. */
export class PageGate {
  readonly #options: PageGateOptions
  readonly #completions = new PageCompletions()

  constructor(options: PageGateOptions) {
    this.#options = options
  }

  complete(notification: Notification): void {
    this.#completions.complete(notification)
  }

  /** Replaces −32042 by an outcome for the caller. Any other outcome stays as it is. */
  pass(exchange: Exchange, outcome: Outcome): Outcome | Promise<Outcome> {
    const questions = urlQuestions(outcome, exchange)
    if (!questions) return outcome
    if (exchange.ask) return this.#askLive(exchange, outcome, exchange.ask)
    if (!acceptsPages(exchange, questions)) return this.ask(exchange, questions)
    return this.afterVisit(exchange, { questions, deadline: this.deadline() })
  }

  /** When a visit that begins now has taken too long. */
  deadline(): number {
    return Date.now() + this.#options.patience
  }

  /** Asks with the outcome; the caller comes back with what it did. */
  ask(exchange: Exchange, questions: UrlQuestions): Outcome {
    const requestState = this.#options.continuations.park(new PagesAhead(this, exchange, { questions }))
    const { requests: inputRequests } = questions
    return { type: 'input_required', inputRequests, ...(requestState !== undefined && { requestState }) }
  }

  /** The caller is on its way: nothing is asked again until it is done, or its time is over. */
  async afterVisit(exchange: Exchange, visit: Visit & { readonly deadline: number }): Promise<Outcome> {
    const { questions, deadline } = visit
    const outcome = await this.#untilDone(exchange, questions, Math.min(deadline, Date.now() + LONGEST_HOLD))
    const next = urlQuestions(outcome, exchange)
    if (!next) return outcome
    if (this.#isNew(questions, next) || Date.now() >= deadline) return this.ask(exchange, next)
    const requestState = this.#options.continuations.park(new PagesAhead(this, exchange, visit))
    return requestState === undefined ? this.ask(exchange, next) : { type: 'input_required', requestState }
  }

  async #askLive(exchange: Exchange, first: Outcome, ask: NonNullable<Exchange['ask']>): Promise<Outcome> {
    const { maxRounds } = this.#options
    let outcome = first
    for (let round = 1; ; round++) {
      const questions = urlQuestions(outcome, exchange)
      if (!questions) return outcome
      if (round > maxRounds) throw tooManyRounds(exchange.method, maxRounds)
      if (!allAccepted(await ask(questions.requests, exchange.signal))) return outcome
      outcome = await this.#untilDone(exchange, questions, this.deadline())
    }
  }

  /** Sends the call again when the pages are done, and now and then before that. */
  async #untilDone(exchange: Exchange, questions: UrlQuestions, deadline: number): Promise<Outcome> {
    const { elicitationIds: ids } = questions
    for (let attempt = 0; ; attempt++) {
      const isDone = attempt === 0 && this.#completions.has(ids)
      const pause = Math.min(pauseBefore(attempt), Math.max(0, deadline - Date.now()))
      const wait = () => this.#completions.wait(ids, pause, exchange)
      if (!isDone) await (exchange.whilePaused ? exchange.whilePaused(wait) : wait())
      const outcome = await this.#options.send(exchange)
      const next = urlQuestions(outcome, exchange)
      if (!next || Date.now() >= deadline || this.#isNew(questions, next)) return outcome
    }
  }

  /** Whether the pages are done and the server wants others. Servers may also name the same page anew each time. */
  #isNew({ elicitationIds }: UrlQuestions, next: UrlQuestions): boolean {
    return this.#completions.has(elicitationIds) && !this.#completions.has(next.elicitationIds)
  }
}

function pauseBefore(attempt: number): number {
  const pause = Math.min(LONGEST_PAUSE, FIRST_LOOK * 2 ** attempt)
  return pause * (0.75 + Math.random() / 2)
}

interface Visit {
  readonly questions: UrlQuestions
  /** The end of the time for the visit. Set when the caller has agreed to open the pages. */
  readonly deadline?: number | undefined
}

/** A call that a caller has to visit pages for before it can be sent again. Nothing is open at the server. */
class PagesAhead implements ParkedCall {
  readonly #gate: PageGate
  readonly #origin: Exchange
  readonly #visit: Visit

  constructor(gate: PageGate, origin: Exchange, visit: Visit) {
    this.#gate = gate
    this.#origin = origin
    this.#visit = visit
  }

  get caller(): string {
    return callerKey(this.#origin)
  }

  accepts(exchange: Exchange): boolean {
    return isSameCall(exchange, this.#origin)
  }

  async resume(exchange: Exchange): Promise<Outcome> {
    const { questions, deadline } = this.#visit
    if (deadline !== undefined) return this.#gate.afterVisit(exchange, { questions, deadline })
    const declined = declinedUrl(exchange)
    if (declined) return declined
    if (!acceptsPages(exchange, questions)) return this.#gate.ask(exchange, questions)
    return this.#gate.afterVisit(exchange, { questions, deadline: this.#gate.deadline() })
  }

  expire(): void {}
}

interface Waiting {
  readonly exchange: Exchange
  readonly ids: readonly string[]
  check(): void
}

/** Ids come from the server, so the memory of them is bounded. */
const MAX_COMPLETED = 256

/** Remembers which pages a server reported as complete, and lets a call wait for them. */
class PageCompletions {
  readonly #completed = new Set<string>()
  readonly #waiting = new Set<Waiting>()

  /** `notifications/elicitation/complete`. Only older clients know that message. */
  complete(notification: Notification): void {
    const id = notification.params?.elicitationId
    if (!isKept('elicitationId', id)) return
    this.#completed.add(id)
    if (this.#completed.size > MAX_COMPLETED) {
      this.#completed.delete(this.#completed.values().next().value as string)
    }
    for (const one of [...this.#waiting]) {
      const { exchange, ids } = one
      if (ids.includes(id) && eraOf(exchange.client.version) === 'legacy') exchange.notify(notification)
      one.check()
    }
  }

  has(ids: readonly string[]): boolean {
    return ids.length > 0 && ids.every((id) => this.#completed.has(id))
  }

  /** Resolves when all of them become complete, or after so many milliseconds. */
  async wait(ids: readonly string[], milliseconds: number, exchange: Exchange): Promise<void> {
    const { signal } = exchange
    const wasComplete = this.has(ids)
    let onAbort = () => {}
    let timer: ReturnType<typeof setTimeout> | undefined
    let one: Waiting | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        onAbort = () => reject(abortError(signal))
        if (signal.aborted) return onAbort()
        signal.addEventListener('abort', onAbort, { once: true })
        timer = setTimeout(resolve, milliseconds)
        one = { exchange, ids, check: () => !wasComplete && this.has(ids) && resolve() }
        this.#waiting.add(one)
      })
    } finally {
      clearTimeout(timer)
      if (one) this.#waiting.delete(one)
      signal.removeEventListener('abort', onAbort)
    }
  }
}

interface UrlQuestions {
  readonly requests: InputRequests
  readonly elicitationIds: readonly string[]
}

const KEY_PREFIX = 'url-'

/** Error −32042 (2025-11-25 only) lists URL elicitations to go through before the request is sent again. */
function urlQuestions(outcome: Outcome, exchange: Exchange): UrlQuestions | undefined {
  if (outcome.type !== 'error' || outcome.error.code !== URL_ELICITATION_REQUIRED) return undefined
  if (!exchange.client.capabilities.elicitation?.url) return undefined
  const { data } = outcome.error
  const elicitations = isJsonObject(data) && Array.isArray(data.elicitations) ? data.elicitations : []
  const requests: InputRequests = {}
  const elicitationIds: string[] = []
  for (const params of elicitations) {
    if (!isJsonObject(params)) continue
    requests[`${KEY_PREFIX}${Object.keys(requests).length + 1}`] = { method: 'elicitation/create', params }
    if (isKept('elicitationId', params.elicitationId)) elicitationIds.push(params.elicitationId)
  }
  return Object.keys(requests).length > 0 ? { requests, elicitationIds } : undefined
}

function allAccepted(responses: unknown): boolean {
  return isJsonObject(responses) && Object.values(responses).every((answer) => isAccepted(answer))
}

/** Whether a retry says that its caller went to every one of these pages. */
function acceptsPages({ params }: Exchange, { requests }: UrlQuestions): boolean {
  const responses = params.inputResponses
  return isJsonObject(responses) && Object.keys(requests).every((key) => isAccepted(responses[key]))
}

/** A retry that says no to a URL would only be refused again: it ends here. */
export function declinedUrl(exchange: Exchange): Failure | undefined {
  const responses = exchange.params.inputResponses
  if (!isJsonObject(responses)) return undefined
  const declined = Object.entries(responses).some(
    ([key, answer]) => key.startsWith(KEY_PREFIX) && !isAccepted(answer),
  )
  if (!declined) return undefined
  return failure(new ProtocolError(INVALID_REQUEST, 'The elicitation that this request needs was declined'))
}

function isAccepted(answer: unknown): boolean {
  return isJsonObject(answer) && answer.action === 'accept'
}
