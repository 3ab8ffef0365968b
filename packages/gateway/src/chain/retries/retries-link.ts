import { setTimeout as sleep } from 'node:timers/promises'
import { cancellationOf, deriveExchange, signalCancellation, type Outcome } from '@gantry/mcp/exchange'
import type { RetryModel } from '../../model/index.ts'
import type { GatewayExchange, ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { isAbout } from '../results/result-handling.ts'
import { toFailure } from '../to-failure.ts'
import { RetryBudget } from './retry-budget.ts'
import { TargetError } from '../../targets/target-error.ts'

type Next = Parameters<Link>[1]

/** The longest time that a caller waits for another try, in milliseconds. */
const LONGEST_PAUSE = 5_000

/**
 * Makes a call once more when its server could not be reached or was too busy, or makes a second one beside it when it
 * takes long. Only for tools that declare that they may be called twice, and that the configuration names.
 */
export function retriesLink(models: readonly RetryModel[]): Link | undefined {
  if (models.length === 0) return undefined
  const budgets = new Map<string, RetryBudget>()
  return async (given, next) => {
    const exchange = given as ResolvedExchange
    const model = modelFor(exchange, models)
    if (!model) return next()
    const { name } = exchange.resolved.target
    const budget = budgets.get(name) ?? new RetryBudget()
    budgets.set(name, budget)
    budget.earn()
    const call = new RepeatedCall(exchange, next, model, budget)
    return model.hedgeAfter === undefined ? call.oneAfterAnother() : call.sideBySide(model.hedgeAfter)
  }
}

function modelFor(
  { method, params, resolved }: ResolvedExchange,
  models: readonly RetryModel[],
): RetryModel | undefined {
  // `safe` is what the annotations of the tool say. A call that goes on with an answer is not the first.
  if (method !== 'tools/call' || !resolved.safe || params.requestState !== undefined) return undefined
  return models.find((model) => isAbout(model, resolved))
}

class RepeatedCall {
  readonly #exchange: ResolvedExchange
  readonly #next: Next
  readonly #model: RetryModel
  readonly #budget: RetryBudget

  constructor(exchange: ResolvedExchange, next: Next, model: RetryModel, budget: RetryBudget) {
    this.#exchange = exchange
    this.#next = next
    this.#model = model
    this.#budget = budget
  }

  async oneAfterAnother(): Promise<Outcome> {
    const { cancellation } = this.#exchange
    let outcome = await this.#try(new AbortController())
    for (let tries = 0; tries < this.#model.attempts && !cancellation.aborted; tries++) {
      const pause = this.#pauseAfter(outcome, tries)
      if (pause === undefined || !this.#budget.spend()) break
      await sleep(pause, undefined, { signal: cancellation.signal }).catch(() => {})
      if (cancellation.aborted) break
      outcome = await this.#try(new AbortController())
    }
    return outcome
  }

  /** Returns the answer of the call that is answered first, and cancels the other call. */
  async sideBySide(after: number): Promise<Outcome> {
    const tries = [new AbortController(), new AbortController()] as const
    const first = this.#try(tries[0])
    const isLate = await Promise.race([first.then(() => false), sleep(after, true, { ref: false })])
    if (!isLate || !this.#budget.spend()) return first
    const second = this.#try(tries[1], true)
    const answered = async (one: Promise<Outcome>): Promise<Outcome> => {
      const outcome = await one
      if (failureKind(outcome) === 'answered') return outcome
      throw outcome
    }
    try {
      return await Promise.any([answered(first), answered(second)])
    } catch {
      return await first
    } finally {
      for (const one of tries) one.abort(new Error('Another try was answered first'))
    }
  }

  /** How long to wait before the next try; undefined when there is no further try. */
  #pauseAfter(outcome: Outcome, tries: number): number | undefined {
    const kind = failureKind(outcome)
    if (kind !== 'transport' && kind !== 'throttled') return undefined
    const usual = this.#model.pause * 2 ** tries * (0.5 + Math.random() / 2)
    const pause = Math.max(usual, pauseOf(outcome) ?? 0)
    return pause <= LONGEST_PAUSE ? pause : undefined
  }

  async #try(abort: AbortController, isQuiet = false): Promise<Outcome> {
    const { cancellation } = this.#exchange
    const end = (): void => abort.abort(cancellation.reason)
    cancellation.onAbort(end)
    const origin = deriveExchange(this.#exchange, {
      params: this.#exchange.params,
      cancellation: signalCancellation(abort.signal),
      ...(isQuiet && { notify: () => {} }),
    })
    const attempt: GatewayExchange = this.#exchange.under(origin)
    try {
      const outcome = await this.#next(attempt).catch(toFailure)
      // A task lives at the server that answered the try that counts.
      this.#exchange.server = attempt.server
      return outcome
    } finally {
      cancellationOf(this.#exchange).offAbort(end)
    }
  }
}

/** `answered`: the server got the call and answered it, with whatever result. */
type FailureKind = 'transport' | 'throttled' | 'authorization' | 'answered' | 'gateway'

const TRANSPORT: ReadonlySet<string> = new Set([
  'closed',
  'exited',
  'network',
  'session_lost',
  'not_connected',
  'stalled',
  'timeout',
])
const AUTHORIZATION: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'oauth'])
const AWAY: ReadonlySet<number | undefined> = new Set([502, 503, 504])
const TOO_MANY = 429

/** Why a call failed: only some of it may be different the next time. */
function failureKind(outcome: Outcome): FailureKind {
  if (outcome.type !== 'error') return 'answered'
  const { cause } = outcome
  if (!(cause instanceof TargetError)) return 'answered'
  const { reason, facts } = cause
  if (AUTHORIZATION.has(reason)) return 'authorization'
  if (TRANSPORT.has(reason)) return 'transport'
  if (reason !== 'http_status') return 'gateway'
  if (facts.status === TOO_MANY) return 'throttled'
  return AWAY.has(facts.status) ? 'transport' : 'answered'
}

/** How long a server wants to be left alone, in milliseconds; undefined when it does not say. */
function pauseOf(outcome: Outcome): number | undefined {
  const cause = outcome.type === 'error' ? outcome.cause : undefined
  const text = cause instanceof TargetError ? cause.retryAfter : undefined
  if (text === undefined) return undefined
  return /^\d+$/.test(text) ? Number(text) * 1000 : Math.max(0, Date.parse(text) - Date.now())
}
