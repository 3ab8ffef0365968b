import type { Exchange } from '../../exchange/index.ts'
import { INVALID_PARAMS, isJsonObject, ProtocolError } from '../../jsonrpc/index.ts'
import { Context } from '../questions/context.ts'
import { isInputRequired, Suspended } from '../questions/input-required.ts'
import { LiveQuestions, refuseRound, ReplayedQuestions, type Questions } from '../questions/questions.ts'
import type { ReplayTrace, ReplayWatcher } from '../questions/replay-watch.ts'
import type { RequestStates, RoundState } from '../questions/request-state.ts'
import type { Store } from '../store.ts'

export interface RunOptions {
  states: RequestStates
  store: Store
  /** Whether results may have integers that a double does not hold. */
  exact: boolean
  /** Replays even where the client could be asked live: finds handlers that are not safe to run again. */
  alwaysReplay: boolean
  watcher: ReplayWatcher | undefined
}

/** Runs a handler. Returns its result, or `Suspended` when it waits for the next round. */
export function runHandler<T>(
  exchange: Exchange,
  options: RunOptions,
  handler: (context: Context) => T | Promise<T>,
): T | Promise<T | Suspended> {
  const { requestState, inputResponses } = exchange.params
  if (exchange.ask && !options.alwaysReplay && requestState === undefined) {
    let questions: Questions | undefined
    const live = () => {
      questions ??= new LiveQuestions(exchange)
      return questions
    }
    const running = promised(handler(new Context(exchange, live, options)))
    return running instanceof Promise
      ? running.then((value) => finish(value, exchange, options, undefined))
      : finish(running, exchange, options, undefined)
  }
  if (requestState === undefined && inputResponses === undefined) {
    return runRound(exchange, options, undefined, handler)
  }
  return resume(exchange, options, handler)
}

async function resume<T>(
  exchange: Exchange,
  options: RunOptions,
  handler: (context: Context) => T | Promise<T>,
): Promise<T | Suspended> {
  const { inputResponses } = exchange.params
  if (inputResponses !== undefined && !isJsonObject(inputResponses)) {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "inputResponses" must be an object')
  }
  const state = await options.states.read(exchange)
  return runRound(exchange, options, state, handler)
}

function runRound<T>(
  exchange: Exchange,
  options: RunOptions,
  state: RoundState | undefined,
  handler: (context: Context) => T | Promise<T>,
): T | Promise<T | Suspended> {
  if (options.watcher && !watching) return loadWatch().then(() => runRound(exchange, options, state, handler))
  const round = new Round(exchange, options, state)
  const running = promised(handler(round.context))
  if (!(running instanceof Promise)) return finish(running, exchange, options, state)
  return round.settle(running, options, state)
}

/** Only development watches replays: production does not load it. */
let watching: typeof import('../questions/replay-watch.ts') | undefined

async function loadWatch(): Promise<void> {
  watching = await import('../questions/replay-watch.ts')
}

/** Query builders, and promises of another realm, are no instances of Promise and have to be awaited all the same. */
function promised<T>(value: T | Promise<T>): T | Promise<T> {
  if (typeof value !== 'object' || value === null || value instanceof Promise) return value
  return 'then' in value && typeof value.then === 'function' ? Promise.resolve(value) : value
}

/** One run of a handler on an exchange that cannot be asked live. Questions are set up when first needed. */
class Round {
  readonly context: Context
  readonly #exchange: Exchange
  readonly #options: RunOptions
  readonly #state: RoundState | undefined
  readonly #trace: ReplayTrace | undefined
  #questions: ReplayedQuestions | undefined
  #controller: AbortController | undefined
  #suspended: (() => void) | undefined

  constructor(exchange: Exchange, options: RunOptions, state: RoundState | undefined) {
    this.#exchange = exchange
    this.#options = options
    this.#state = state
    const suspension = (): AbortSignal => {
      this.#controller ??= new AbortController()
      return this.#controller.signal
    }
    this.#trace =
      options.watcher && watching && new watching.ReplayTrace(exchange, state?.trace, options.watcher)
    this.context = new Context(exchange, () => this.#ask(), {
      suspension,
      own: state?.own,
      store: options.store,
      trace: this.#trace,
    })
  }

  #ask(): Questions {
    const responses = this.#exchange.params.inputResponses
    this.#questions ??= new ReplayedQuestions({
      exchange: this.#exchange,
      state: this.#state,
      responses: isJsonObject(responses) ? responses : {},
      trace: this.#trace,
      canAskLive: () => !this.#options.alwaysReplay && this.#exchange.ask !== undefined,
      suspend: () => this.#suspended?.(),
    })
    return this.#questions
  }

  settle<T>(running: Promise<T>, options: RunOptions, state: RoundState | undefined): Promise<T | Suspended> {
    return new Promise((resolve, reject) => {
      const suspend = (): void => {
        const questions = this.#questions!
        this.#suspended = undefined
        this.#trace?.end()
        this.#controller?.abort('suspended')
        options.states
          .write({ ...questions.state(), own: state?.own }, this.#exchange)
          .then((requestState) => resolve(new Suspended(requestState, questions.inputRequests)))
          .catch(reject)
      }
      this.#suspended = suspend
      const settled = (): void => {
        if (this.#suspended) this.#trace?.end()
        this.#suspended = undefined
      }
      // An error of `finish` rejects as well: otherwise the call would get no answer.
      running
        .finally(settled)
        .then((value) => finish(value, this.#exchange, options, state))
        .then(resolve, reject)
    })
  }
}

function finish<T>(
  value: T,
  exchange: Exchange,
  options: RunOptions,
  state: RoundState | undefined,
): T | Promise<T | Suspended> {
  if (!isInputRequired(value)) return value
  refuseRound(state?.round ?? 0)
  const next: RoundState = {
    answers: {},
    asked: {},
    steps: state?.steps ?? {},
    own: value.state,
    round: (state?.round ?? 0) + 1,
  }
  return options.states
    .write(next, exchange)
    .then((requestState) => new Suspended(requestState, value.requests))
}
