import type { Cancellation, Continuations, Exchange, Outcome, ParkedCall } from '@gantry/mcp/exchange'
import type { TargetConnection } from '../connected/target-connection.ts'
import { FairQueue } from './fair-queue.ts'
import { Life, type LifeHost, type Opening } from './life.ts'

export interface InstanceHost extends LifeHost<Instance> {
  /** Whether it is shared by all callers, and so is kept up without being asked. */
  isShared(instance: Instance): boolean
  /** Called when the server asked on a channel that all calls of this connection share. */
  sharedQuestion(instance: Instance, exchanges: readonly Exchange[], isRefused: boolean): void
  /** Called when nothing uses it for now. */
  unused(instance: Instance): void
}

/** One connection of a target: what uses it, and within which limits. */
export class Instance extends Life<Instance> {
  readonly key: string
  readonly slots: Slots
  lastUsed: number = Date.now()
  /** How many users of the connection only listen. */
  listeners = 0
  /** Calls that wait for their clients to come back. */
  parked = 0
  /** Whether its launcher is seen to install a package. */
  isInstalling: () => boolean = () => false
  readonly #host: InstanceHost
  /** Calls, parked calls and listeners that need the connection to stay. */
  #leases = 0

  constructor(key: string, host: InstanceHost) {
    super(host)
    this.key = key
    this.#host = host
    this.slots = new Slots(host.model().concurrency, host.model().queue)
  }

  protected get self(): Instance {
    return this
  }

  protected get isWorking(): boolean {
    return this.slots.used > 0
  }

  protected get restartsItself(): boolean {
    return this.#host.model().restart.policy === 'always' && this.#host.isShared(this)
  }

  get inUse(): boolean {
    return this.#leases > 0
  }

  /** Whether a call is under way or waits for its next round. Subscriptions do not count. */
  get hasWork(): boolean {
    return this.#leases > this.listeners
  }

  /** Keeps the connection open although it is unused. The returned function ends that. */
  readonly lease = (): (() => void) => this.#hold(false)

  /** The same for a call that waits for its client to come back. */
  readonly park = (): (() => void) => this.#hold(true)

  #hold(isParked: boolean): () => void {
    this.#leases++
    if (isParked) this.parked++
    let held = true
    return () => {
      if (!held) return
      held = false
      if (isParked) this.parked--
      this.#leases--
      this.lastUsed = Date.now()
      if (this.#leases === 0) this.#host.unused(this)
    }
  }

  readonly sharedQuestion = (exchanges: readonly Exchange[], isRefused: boolean): void =>
    this.#host.sharedQuestion(this, exchanges, isRefused)

  /** The connection. It is made when there is none, and requests that come meanwhile wait for it. */
  acquire(opening?: Opening): TargetConnection | Promise<TargetConnection> {
    this.lastUsed = Date.now()
    return this.connection ?? this.connect(opening)
  }

  /** Counts a request on a connection, which stays open until `done` is called for it. */
  use(connection: TargetConnection): void {
    this.requests.set(connection, (this.requests.get(connection) ?? 0) + 1)
  }

  done(connection: TargetConnection): void {
    const left = this.requests.get(connection)! - 1
    this.requests.set(connection, left)
    if (left > 0 || this.connection === connection) return
    this.requests.delete(connection)
    connection.close().catch(() => {})
  }
}

/** Bounds the requests under way on a connection, and for each caller the requests that wait. */
export class Slots {
  #limit: number
  #queueLimit: number
  /** Made when a request has to wait for the first time. */
  #queue: FairQueue | undefined
  #used = 0

  constructor(limit: number, queueLimit: number) {
    this.#limit = limit
    this.#queueLimit = queueLimit
  }

  get used(): number {
    return this.#used
  }

  get waiting(): number {
    return this.#queue?.size ?? 0
  }

  /** Takes a slot at once, or a promise for one; undefined when too many of this caller wait already. */
  take(caller: () => string, cancellation?: Cancellation): true | Promise<void> | undefined {
    if (this.#used < this.#limit) {
      this.#used++
      return true
    }
    const key = caller()
    this.#queue ??= new FairQueue()
    return this.#queue.sizeOf(key) >= this.#queueLimit ? undefined : this.#queue.wait(key, cancellation)
  }

  release(): void {
    this.#used--
    this.#admit()
  }

  /** New limits hold for waiting requests, too. */
  resize(limit: number, queueLimit: number): void {
    this.#limit = limit
    this.#queueLimit = queueLimit
    this.#admit()
  }

  #admit(): void {
    while (this.#used < this.#limit && this.#queue?.next() !== undefined) this.#used++
  }
}

/** The parked calls of one connection. They keep it in use: closing it would lose the calls. */
export class LeasedContinuations implements Continuations {
  readonly #shared: Continuations
  readonly #lease: () => () => void

  /** `lease` says that the connection is in use; the function that it returns ends that. */
  constructor(shared: Continuations, lease: () => () => void) {
    this.#shared = shared
    this.#lease = lease
  }

  park(call: ParkedCall): string | undefined {
    const release = this.#lease()
    const token = this.#shared.park(new LeasedCall(call, release))
    if (token === undefined) release()
    return token
  }

  find(token: string): ParkedCall | undefined {
    return this.#shared.find(token)
  }

  take(token: string): ParkedCall | undefined {
    return this.#shared.take(token)
  }
}

class LeasedCall implements ParkedCall {
  readonly #call: ParkedCall
  readonly #release: () => void

  constructor(call: ParkedCall, release: () => void) {
    this.#call = call
    this.#release = release
  }

  get caller(): string {
    return this.#call.caller
  }

  accepts(exchange: Exchange): boolean {
    return this.#call.accepts(exchange)
  }

  /** The lease ends with the round. A call that asks again has taken a new lease by then. */
  resume(exchange: Exchange): Promise<Outcome> {
    return this.#call.resume(exchange).finally(this.#release)
  }

  expire(): void {
    this.#call.expire()
    this.#release()
  }
}
