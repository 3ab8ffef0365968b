import {
  INVALID_PARAMS,
  ProtocolError,
  type Continuations,
  type InputRequired,
  type Notification,
  type Outcome,
  type Sealer,
} from '@gantry/mcp/exchange'
import { isAnnouncement, updatedUri } from '../targets/shared-listener.ts'
import type { Target } from '../targets/target.ts'
import { askAndAwait, mustAwaitTasks } from './awaited-task.ts'
import type { Destination, RelayedExchange } from './destination.ts'
import { accepts, callAsLegacyTask, needsLegacyTask, resumeCall } from './legacy-task.ts'
import { RelayedStates, type RelayedState } from './relayed-states.ts'

export interface RelayOptions {
  /** The target that the endpoint is for; empty for the common one. */
  readonly endpoint: string
  readonly continuations: Continuations
  readonly sealer: Sealer
  /** How long a client has to come back with its answers, in milliseconds. */
  readonly parkedFor: number
}

/** The end of the chain: asks the target that a request was resolved to, and brings back what it says. */
export class Relay {
  readonly #continuations: Continuations
  readonly #states: RelayedStates

  constructor({ continuations, parkedFor, ...options }: RelayOptions) {
    this.#continuations = continuations
    this.#states = new RelayedStates({ ...options, ttl: parkedFor })
  }

  readonly handle = async (exchange: RelayedExchange): Promise<Outcome> => {
    const destination = exchange.resolved!
    const { target } = destination
    const { params } = exchange
    const { requestState } = params
    const state =
      requestState === undefined ? undefined : await this.#states.read(requestState, target, exchange)
    const token = state && 'token' in state ? state.token : undefined
    if (state) exchange.params = { ...params, requestState: 'token' in state ? state.token : state.state }
    exchange.hear(share)
    // The configuration may put another server in its place before it answers.
    exchange.server = target.serverOf(exchange)
    const outcome =
      token === undefined ? await ask(exchange, destination) : await this.#resume(exchange, target, token)
    return outcome.type === 'input_required' ? this.#toClient(outcome, target, exchange) : outcome
  }

  /** The upstream call is still open and waits for its answer; no new request is made. */
  async #resume(exchange: RelayedExchange, target: Target, token: string): Promise<Outcome> {
    const call = this.#continuations.take(token)
    if (!call || !accepts(call, exchange)) {
      call?.expire()
      throw new ProtocolError(INVALID_PARAMS, 'Invalid requestState: the call it belongs to has ended')
    }
    return resumeCall(call, exchange, target)
  }

  async #toClient(outcome: InputRequired, target: Target, exchange: RelayedExchange): Promise<Outcome> {
    const state = outcome.requestState
    if (state === undefined) return outcome
    const isParked = this.#continuations.find(state) !== undefined
    const content: RelayedState = isParked ? { token: state } : { state, server: exchange.server! }
    return { ...outcome, requestState: await this.#states.write(content, target, exchange) }
  }
}

function ask(exchange: RelayedExchange, destination: Destination): Promise<Outcome> {
  const { target, capabilities } = destination
  if (needsLegacyTask(destination, capabilities)) return callAsLegacyTask(exchange, destination, capabilities)
  if (mustAwaitTasks(exchange, capabilities)) return askAndAwait(exchange, destination)
  return target.handle(exchange, destination)
}

/**
 * News of changes concern all who listen. Changed lists are announced when the gateway has read them, so the caller
 * does not hear of them here.
 */
function share(notification: Notification, { resolved }: RelayedExchange): Notification | undefined {
  if (!isAnnouncement(notification)) return notification
  resolved!.target.announce(notification)
  return updatedUri(notification) === undefined ? undefined : notification
}
