import type { Exchange, InputRequests, Outcome } from '../../exchange/index.ts'
import {
  INVALID_REQUEST,
  isJsonObject,
  ProtocolError,
  URL_ELICITATION_REQUIRED,
  type JsonObject,
} from '../../jsonrpc/index.ts'
import type { ElicitUrlParams } from '../../protocol/index.ts'
import type { RequestStates } from '../questions/request-state.ts'
import type { ChangeHub } from '../registry/change-hub.ts'

/** Its services. The file is loaded by the first handler that wants a page visited. */
export interface VisitHost {
  readonly states: RequestStates
  readonly hub: ChangeHub
  /** Whether the client understands error −32042. */
  knowsError(exchange: Exchange): boolean
  /** Why the client cannot be sent to a page. */
  lacks(exchange: Exchange): ProtocolError | undefined
}

/** How long a visit may take before the user is asked again. */
const PATIENCE = 5 * 60_000
/** A request is kept waiting so long; then the client comes back, without asking its user. */
const LONGEST_HOLD = 20_000
/** A page does not have to report that it is done: the handler is run again, less and less often. */
const FIRST_LOOK = 2_000
const MOST_IDS = 10_000

/** Sends users to the pages that handlers want visited, and knows which client hears that a visit is over. */
export class PageVisits {
  readonly #host: VisitHost
  /** Which session was told of which page. The oldest makes room. */
  readonly #sessions = new Map<string, string>()
  readonly #waiting = new Set<() => void>()
  /** How many visits are over. */
  #over = 0

  constructor(host: VisitHost) {
    this.#host = host
  }

  /** The visit is over: the client of 2025-11-25 that was sent there hears of it, and calls that wait go on. */
  complete(elicitationId: string): void {
    const session = this.#sessions.get(elicitationId)
    this.#sessions.delete(elicitationId)
    const notification = { method: 'notifications/elicitation/complete', params: { elicitationId } }
    if (session !== undefined) this.#host.hub.tellSession(session, notification)
    this.#over++
    for (const wake of [...this.#waiting]) wake()
  }

  /** The outcome for the caller of a handler that wants pages visited. `again` runs the handler once more. */
  async required(error: ProtocolError, exchange: Exchange, again: () => Promise<Outcome>): Promise<Outcome> {
    const seen = this.#over
    const lacking = this.#host.lacks(exchange)
    if (lacking) return refusal(lacking, exchange)
    if (this.#host.knowsError(exchange)) {
      for (const { elicitationId } of pagesOf(error)) this.#remember(elicitationId, exchange.session)
      return { type: 'error', error: error.toJsonRpc() }
    }
    const { visitUntil, round = 0 } = (await this.#host.states.read(exchange)) ?? {}
    const answers = exchange.params.inputResponses
    if (visitUntil === undefined || (!isJsonObject(answers) && visitUntil === 0)) {
      return this.#ask(error, exchange, round)
    }
    if (isJsonObject(answers) && !Object.values(answers).every(isAccepted)) {
      return refusal(new ProtocolError(INVALID_REQUEST, `The user declined: ${messageOf(error)}`), exchange)
    }
    return this.#hold(error, exchange, { round, until: visitUntil || Date.now() + PATIENCE, seen, again })
  }

  async #ask(error: ProtocolError, exchange: Exchange, round: number): Promise<Outcome> {
    const inputRequests: InputRequests = {}
    for (const { elicitationId: _id, ...params } of pagesOf(error)) {
      inputRequests[`url-${Object.keys(inputRequests).length + 1}`] = { method: 'elicitation/create', params }
    }
    return { type: 'input_required', inputRequests, requestState: await this.#seal(exchange, round, 0) }
  }

  /** The user is on the way. */
  async #hold(
    first: ProtocolError,
    exchange: Exchange,
    visit: { round: number; until: number; seen: number; again: () => Promise<Outcome> },
  ): Promise<Outcome> {
    const end = Math.min(visit.until, Date.now() + LONGEST_HOLD)
    let { seen } = visit
    let error = first
    for (let pause = FIRST_LOOK; Date.now() < end; pause *= 2) {
      if (seen === this.#over) await this.#news(Math.min(pause, end - Date.now()), exchange.signal)
      seen = this.#over
      try {
        return await visit.again()
      } catch (thrown) {
        if (!isPagesError(thrown)) throw thrown
        error = thrown
      }
    }
    if (Date.now() >= visit.until) return this.#ask(error, exchange, visit.round)
    return { type: 'input_required', requestState: await this.#seal(exchange, visit.round, visit.until) }
  }

  #seal(exchange: Exchange, round: number, visitUntil: number): Promise<string> {
    const state = { answers: {}, asked: {}, steps: {}, round: round + 1, visitUntil }
    return this.#host.states.write(state, exchange)
  }

  #remember(id: string, session: string | undefined): void {
    if (session === undefined) return
    this.#sessions.set(id, session)
    if (this.#sessions.size > MOST_IDS) this.#sessions.delete(this.#sessions.keys().next().value as string)
  }

  /** Resolves when some visit is over, or after so many milliseconds. */
  #news(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(settle)
        signal.removeEventListener('abort', settle)
        if (signal.aborted) reject(new ProtocolError(INVALID_REQUEST, 'The request was cancelled'))
        else resolve()
      }
      const timer = setTimeout(settle, milliseconds)
      this.#waiting.add(settle)
      signal.addEventListener('abort', settle)
      if (signal.aborted) settle()
    })
  }
}

export function isPagesError(thrown: unknown): thrown is ProtocolError {
  return thrown instanceof ProtocolError && thrown.code === URL_ELICITATION_REQUIRED
}

function pagesOf({ data }: ProtocolError): (ElicitUrlParams & { elicitationId: string })[] {
  return (data as { elicitations: (ElicitUrlParams & { elicitationId: string })[] }).elicitations
}

function messageOf(error: ProtocolError): string {
  return pagesOf(error)[0]?.message ?? error.message
}

function isAccepted(answer: unknown): boolean {
  return isJsonObject(answer) && answer.action === 'accept'
}

/** Models read results of tools, and not errors. */
function refusal(error: ProtocolError, { method }: Exchange): Outcome {
  if (method !== 'tools/call' || error.data !== undefined) return { type: 'error', error: error.toJsonRpc() }
  const result: JsonObject = { content: [{ type: 'text', text: error.message }], isError: true }
  return { type: 'complete', result }
}
