import {
  bindingOf,
  deriveExchange,
  INVALID_PARAMS,
  isJsonObject,
  ProtocolError,
  type Continuations,
  type Exchange,
  type InputRequired,
  type JsonObject,
  type Notification,
  type Outcome,
  type Sealer,
} from '@gantry/mcp/exchange'
import { callAndFollow, cannotFollow, TASKS_EXTENSION } from '@gantry/mcp/extensions/tasks'
import { isAnnouncement, updatedUri } from '../targets/listening/shared-listener.ts'
import type { Target } from '../targets/target.ts'
import type { Destination, RelayedExchange } from './destination.ts'

export interface RelayOptions {
  /** The target that the endpoint is for; empty for the common endpoint. */
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
    const parked = state && 'token' in state ? state : undefined
    if (state) exchange.params = { ...params, requestState: 'token' in state ? state.token : state.state }
    exchange.hear(share)
    // The configuration may put another server in its place before it answers.
    exchange.server = target.serverOf(exchange)
    const outcome =
      parked === undefined ? await ask(exchange, destination) : await this.#resume(exchange, target, parked)
    return outcome.type === 'input_required' ? this.#toClient(outcome, target, exchange, parked) : outcome
  }

  /** The upstream call is still open, here or at another gateway, and waits for its answer; no new request is made. */
  async #resume(exchange: RelayedExchange, target: Target, { token, at }: Parked): Promise<Outcome> {
    const call = this.#continuations.take(token)
    const isElsewhere = !call && at !== undefined && at !== target.gateway
    const outcome = isElsewhere ? await target.askAt(at, exchange) : undefined
    if (outcome) return outcome
    if (!call?.accepts(exchange)) {
      call?.expire()
      throw new ProtocolError(INVALID_PARAMS, 'Invalid requestState: the call it belongs to has ended')
    }
    return target.resume(call, exchange)
  }

  /** A call that is parked stays where it is, whichever gateway its client comes to. */
  async #toClient(
    outcome: InputRequired,
    target: Target,
    exchange: RelayedExchange,
    parked: Parked | undefined,
  ): Promise<Outcome> {
    const state = outcome.requestState
    if (state === undefined) return outcome
    const isHere = this.#continuations.find(state) !== undefined
    const at = isHere ? target.gateway : parked?.at
    const content: RelayedState =
      isHere || parked
        ? { token: state, ...(at !== undefined && { at }) }
        : { state, server: exchange.server! }
    return { ...outcome, requestState: await this.#states.write(content, target, exchange) }
  }
}

function ask(exchange: RelayedExchange, destination: Destination): Promise<Outcome> {
  const { target, capabilities, taskSupport } = destination
  const hasTasks = capabilities?.extensions?.[TASKS_EXTENSION] !== undefined
  if (taskSupport === 'required' && !hasTasks) {
    exchange.asTask = { ttl: target.model.timeouts.request }
    // Only the older era says of a tool that it can be called as a task only.
    return target.handle(exchange, { ...destination, older: true })
  }
  if (!hasTasks || !cannotFollow(exchange)) return target.handle(exchange, destination)
  return callAndFollow(exchange, {
    maxWaitMs: target.model.timeouts.request,
    // Only the newer era has these tasks.
    call: (following) => target.handle(following, { ...destination, older: false }),
    send: (request) => target.handle(request, { safe: request.method === 'tasks/get' }),
  })
}

/**
 * Notifications of changes are for everybody who listens. Changed lists are announced when the gateway has read them,
 * so the caller does not hear of them here.
 */
function share(notification: Notification, { resolved }: RelayedExchange): Notification | undefined {
  if (!isAnnouncement(notification)) return notification
  resolved!.target.announce(notification)
  return updatedUri(notification) === undefined ? undefined : notification
}

/**
 * The state that a client sends back to continue a call: the name of a call that is parked here, or the target's state.
 */
type RelayedState = Parked | { state: string; server: string }

interface Parked {
  readonly token: string
  /** The gateway that has the call, where there are several. */
  readonly at?: string
}

/** Seals every `requestState` for its caller, endpoint, target, method and params, until it expires. */
class RelayedStates {
  readonly #sealer: Sealer
  readonly #endpoint: string
  readonly #ttl: number

  constructor(options: { sealer: Sealer; endpoint: string; ttl: number }) {
    this.#sealer = options.sealer
    this.#endpoint = options.endpoint
    this.#ttl = options.ttl
  }

  write(content: RelayedState, target: Target, exchange: Exchange): Promise<string> {
    const sealed = { ...content, expires: Date.now() + this.#ttl }
    return this.#sealer.seal(sealed, this.#bindingOf(target, exchange))
  }

  async read(text: unknown, target: Target, exchange: Exchange): Promise<RelayedState> {
    const opened =
      typeof text === 'string' ? await this.#sealer.open(text, this.#bindingOf(target, exchange)) : undefined
    const isTimely = isJsonObject(opened) && (opened.expires as number) >= Date.now()
    if (isTimely && isOfServer(opened as RelayedState, target, exchange)) return opened as RelayedState
    const message = 'Invalid requestState: it does not belong to this request, or it expired'
    throw new ProtocolError(INVALID_PARAMS, message)
  }

  #bindingOf({ name }: Target, { auth, method, params }: Exchange): string {
    return bindingOf('relayed state', auth?.principal, this.#endpoint, name, method, asked(params))
  }
}

/** Whether the server that made it gets it. A call that is parked here goes on where it began. */
function isOfServer(content: RelayedState, target: Target, exchange: Exchange): boolean {
  if ('token' in content) return true
  return (
    content.server === target.serverOf(deriveExchange(exchange, { params: { requestState: content.state } }))
  )
}

/** The request without what differs from round to round. */
function asked({ _meta, inputResponses, requestState, ...params }: JsonObject): JsonObject {
  return { ...params, arguments: params.arguments ?? {} }
}
