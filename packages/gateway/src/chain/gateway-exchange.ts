import {
  cancellationOf,
  type AuthInfo,
  type Cancellation,
  type ClientFacts,
  type Exchange,
  type JsonObject,
  type Notification,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { Destination, RelayedExchange } from '../relay/destination.ts'
import type { PublicUris } from '../catalog/public-uris.ts'
import type { ObjectKind, RuleModel } from '../model/index.ts'
import type { ExchangeRecord } from '../telemetry/exchange-record.ts'
import type { RequestTrace } from '../telemetry/tracer.ts'
import type { Called, CallerCatalog, Policy } from './policy/caller-catalog.ts'
import { isPermitted } from './policy/policy-call.ts'
import { Work } from '../rules/work.ts'
import type { CallerTask } from './tasks/task-ids.ts'

/** The object of a request, under the target's own names. */
export interface Resolved extends Destination, Called {
  /** The kind of object that policy is asked about. For a task it is the kind of the object that made it. */
  readonly kind: ObjectKind
  /** The request's params in the target's own names. */
  readonly params: JsonObject
  /** How the target's URIs look to clients. */
  readonly uris: PublicUris
  /** The task that is asked about. */
  readonly task?: CallerTask | undefined
}

/** Sees what a target says during a call; returns it, something else in its place, or undefined to drop it. */
export type Hears = (notification: Notification, exchange: GatewayExchange) => Notification | undefined

/** Hears how a request ended. */
export type Ended = (outcome: Outcome, exchange: GatewayExchange) => void

export type Ask = NonNullable<Exchange['ask']>

/** The decision about a request before it was made. */
export interface Ruling {
  readonly allowed: boolean
  /** The rule that decided; undefined: the default did. */
  readonly rule: string | undefined
  /** The approval that it waited for. */
  readonly approval?: string | undefined
}

/** Where a request came in. */
export interface ExchangeEndpoint {
  /** The target that the endpoint is for; empty for the common endpoint. */
  readonly name: string
  readonly policy: Policy
}

/**
 * One request on its way through the gateway: one object for all links, which they change as they go. It begins in
 * the caller's names. From `resolve` on, `params` are in the target's.
 */
export class GatewayExchange implements RelayedExchange {
  /** The exchange that the server edge made. */
  readonly origin: Exchange
  readonly endpoint: ExchangeEndpoint
  readonly method: string
  readonly client: ClientFacts
  params: JsonObject
  ask: Exchange['ask']
  /** Its record in the exchange log. */
  record: ExchangeRecord | undefined
  /** Its spans, where requests are traced. */
  trace: RequestTrace | undefined
  /** Undefined until `resolve` has run, and for requests that the endpoint answers itself. */
  resolved: Resolved | undefined
  /** Undefined until something is decided. */
  ruling: Ruling | undefined
  server: string | undefined
  asTask: Exchange['asTask']
  /** Calls back when the task is over that the gateway made of this call; undefined: it made none. */
  afterTask: ((over: () => void) => void) | undefined
  /** Rules that want an approval or a confirmation first; policy says so. */
  holds: readonly RuleModel[] | undefined
  #visible: CallerCatalog | undefined
  #hears: Hears[] | undefined
  #ended: Ended | undefined
  #othersEnded: Ended[] | undefined
  #rules: Policy['rules'] | undefined
  #work: Work | undefined

  constructor(origin: Exchange, endpoint: ExchangeEndpoint) {
    this.origin = origin
    this.endpoint = endpoint
    this.method = origin.method
    this.client = origin.client
    this.params = origin.params
    this.ask = origin.ask
  }

  /** The same request with another beginning: a task runs on when its caller's request has ended. */
  under(origin: Exchange): GatewayExchange {
    const exchange = new GatewayExchange(origin, this.endpoint)
    exchange.record = this.record
    exchange.trace = this.trace
    exchange.resolved = this.resolved
    exchange.ruling = this.ruling
    exchange.#rules = this.#rules
    exchange.#visible = this.#visible
    return exchange
  }

  /** The catalog of this caller: the entries that it may see and call. */
  get visible(): CallerCatalog {
    this.#visible ??= this.endpoint.policy.visibleTo(this)
    return this.#visible
  }

  /** Pays for all conditions and expressions about this request. */
  get work(): Work {
    this.#work ??= new Work()
    return this.#work
  }

  /** Whether they cost too much together, so that it was refused. */
  get isOverspent(): boolean {
    return this.#work?.isSpent ?? false
  }

  resolve(resolved: Resolved): void {
    this.resolved = resolved
    this.#rules = this.endpoint.policy.rules
    this.params = resolved.params
    if (!this.record) return
    this.record.target = resolved.target.name
    if (this.method === 'tools/call') this.record.tool = resolved.name
  }

  /** Whether policy has changed since, and denies now what the request is about. */
  get isWithdrawn(): boolean {
    const { policy } = this.endpoint
    return this.resolved && policy.rules !== this.#rules
      ? !isPermitted(this as ResolvedExchange, policy.visibleTo(this))
      : false
  }

  /** The link that comes last hears first: it is the nearest to the target. */
  hear(hears: Hears): void {
    if (this.#hears) this.#hears.push(hears)
    else this.#hears = [hears]
  }

  /**
   * For links that only want to know the end: they need no promise of their own. The recorder tells them. A function
   * that all calls share costs nothing.
   */
  whenEnded(ended: Ended): void {
    if (!this.#ended) this.#ended = ended
    else if (this.#othersEnded) this.#othersEnded.push(ended)
    else this.#othersEnded = [ended]
  }

  /** The same for what a call holds as long as it runs: as a task of the gateway it runs on when its request has ended. */
  whenOver(over: () => void): void {
    this.whenEnded(() => (this.afterTask ? this.afterTask(over) : over()))
  }

  tellEnded(outcome: Outcome): void {
    this.#ended?.(outcome, this)
    if (this.#othersEnded) for (const ended of this.#othersEnded) ended(outcome, this)
  }

  /** Questions to the caller go by the function that `wrap` returns. */
  askThrough(wrap: (ask: Ask) => Ask): void {
    if (this.ask) this.ask = wrap(this.ask)
  }

  notify(notification: Notification): void {
    if (this.isWithdrawn) return
    let heard: Notification | undefined = notification
    for (let at = (this.#hears?.length ?? 0) - 1; at >= 0 && heard; at--) {
      heard = this.#hears![at]!(heard, this)
    }
    if (heard) this.origin.notify(heard)
  }

  get id(): Exchange['id'] {
    return this.origin.id
  }

  get auth(): AuthInfo | undefined {
    return this.origin.auth
  }

  get logLevel(): Exchange['logLevel'] {
    return this.origin.logLevel
  }

  get serverContext(): unknown {
    return this.origin.serverContext
  }

  get headers(): Exchange['headers'] {
    return this.origin.headers
  }

  get peer(): string | undefined {
    return this.origin.peer
  }

  get session(): string | undefined {
    return this.origin.session
  }

  get detach(): Exchange['detach'] {
    return this.origin.detach
  }

  get signal(): AbortSignal {
    return this.origin.signal
  }

  get cancellation(): Cancellation {
    return cancellationOf(this.origin)
  }

  get whilePaused(): Exchange['whilePaused'] {
    const { origin } = this
    return origin.whilePaused && ((work) => origin.whilePaused!(work))
  }
}

/** Answers a request: the end of a chain. */
export type HandleGatewayExchange = (exchange: GatewayExchange) => Outcome | Promise<Outcome>

/** An exchange behind `resolve`, which is about a target. */
export type ResolvedExchange = GatewayExchange & { readonly resolved: Resolved }
