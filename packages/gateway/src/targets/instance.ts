import type { TargetModel } from '../model/index.ts'
import { backoffDelay } from './backoff.ts'
import { Handshake } from '../telemetry/handshake.ts'
import type { Link } from './link.ts'
import { Slots } from './slots.ts'
import { isAuthFailure, TargetError } from './target-error.ts'

export type TargetState =
  | 'idle'
  | 'starting'
  | 'ready'
  | 'degraded'
  | 'backing-off'
  | 'needs-auth'
  | 'quarantined'
  | 'stopped'

export interface InstanceHost {
  /** The target's settings, which may change while it lives. */
  model(): TargetModel
  /** Connects; bounded by the gateway's start limit and the target's start time-out. */
  open(handshake: Handshake): Promise<Link>
  changed(instance: Instance): void
  /** It is being started again. */
  restarting(instance: Instance): void
  ready(instance: Instance, link: Link): void
}

/** One connection of a target and its life: idle → starting → ready → backing-off → … */
export class Instance {
  readonly key: string
  readonly slots: Slots
  state: TargetState = 'idle'
  /** Why it is in this state, in words. */
  reason: string | undefined
  since: number = Date.now()
  starts = 0
  failures = 0
  retryAt = 0
  lastUsed: number = Date.now()
  /** The last attempt to connect, step by step. */
  handshake: Handshake | undefined
  /** What the last attempt failed with. */
  failure: unknown
  link: Link | undefined
  readonly #host: InstanceHost
  #starting: Promise<Link> | undefined
  #restart: NodeJS.Timeout | undefined

  constructor(key: string, host: InstanceHost) {
    this.key = key
    this.#host = host
    this.slots = new Slots(host.model().concurrency, host.model().queue)
  }

  /** The connection, made when there is none. Requests that come while it is being made wait for it. */
  acquire(): Link | Promise<Link> {
    this.lastUsed = Date.now()
    if (this.link) return this.link
    if (this.#starting) return this.#starting
    const refused = this.#refusal()
    if (refused) return Promise.reject(refused)
    this.#starting = this.#start().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  #refusal(): TargetError | undefined {
    const { name } = this.#host.model()
    if (this.state === 'stopped') return new TargetError(name, 'closed', `Target "${name}" is stopped`)
    if (this.state === 'needs-auth') {
      return new TargetError(name, 'unauthorized', `Target "${name}" needs a login: ${this.reason}`)
    }
    const wait = this.retryAt - Date.now()
    if (wait <= 0) return undefined
    const when = `tried again in ${Math.ceil(wait / 1000)} s`
    return new TargetError(
      name,
      this.state === 'quarantined' ? 'quarantined' : 'backing_off',
      `Target "${name}" is not available (${when}): ${this.reason}`,
    )
  }

  async #start(): Promise<Link> {
    clearTimeout(this.#restart)
    this.starts++
    if (this.starts > 1) this.#host.restarting(this)
    const handshake = new Handshake(() => this.#host.changed(this))
    this.handshake = handshake
    this.failure = undefined
    this.#enter('starting', undefined)
    try {
      const link = await this.#host.open(handshake)
      if ((this.state as TargetState) === 'stopped') {
        await link.close()
        throw new TargetError(this.#host.model().name, 'closed', 'The target was stopped while it started')
      }
      link.onClose = (reason) => this.#lost(link, reason)
      this.link = link
      this.failures = 0
      this.retryAt = 0
      this.#enter('ready', undefined)
      this.#host.ready(this, link)
      return link
    } catch (thrown) {
      if (this.state !== 'stopped') this.#failed(thrown)
      throw TargetError.from(this.#host.model().name, thrown, false)
    }
  }

  #failed(thrown: unknown): void {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    this.handshake?.fail(thrown)
    this.failure = thrown
    this.failures++
    if (isAuthFailure(thrown)) return this.#enter('needs-auth', reason)
    this.#backOff(reason)
  }

  #backOff(reason: string): void {
    const { restart } = this.#host.model()
    const quarantined = this.failures >= restart.quarantineAfter
    const delay = quarantined ? restart.quarantineFor : backoffDelay(restart, this.failures)
    this.retryAt = Date.now() + delay
    this.#enter(quarantined ? 'quarantined' : 'backing-off', reason)
    if (restart.policy === 'always') this.#scheduleRestart(delay)
  }

  #scheduleRestart(delay: number): void {
    clearTimeout(this.#restart)
    this.#restart = setTimeout(() => {
      this.retryAt = 0
      Promise.resolve(this.acquire()).catch(() => {})
    }, delay)
    this.#restart.unref()
  }

  #lost(link: Link, reason: Error | undefined): void {
    if (this.link !== link) return
    this.link = undefined
    if (this.state === 'stopped') return
    const words = reason?.message ?? 'the connection was closed'
    this.failure = reason
    const { restart } = this.#host.model()
    // A connection that had worked gets its first new try at once; one that keeps failing backs off.
    this.#enter('idle', words)
    if (restart.policy === 'always') this.#scheduleRestart(backoffDelay(restart, 1))
    if (restart.policy === 'never') this.#enter('stopped', words)
  }

  #enter(state: TargetState, reason: string | undefined): void {
    this.state = state
    this.reason = reason
    this.since = Date.now()
    this.#host.changed(this)
  }

  /** Forgets earlier failures, so that the next request tries again at once. */
  reset(): void {
    clearTimeout(this.#restart)
    this.retryAt = 0
    this.failures = 0
    if (!this.link && this.state !== 'starting') this.#enter('idle', undefined)
  }

  /** The connection turned out to be dead; the next request makes a new one. */
  async discard(link: Link, reason: Error): Promise<void> {
    if (this.link !== link) return
    this.#lost(link, reason)
    await link.close().catch(() => {})
  }

  async stop(): Promise<void> {
    clearTimeout(this.#restart)
    const { link } = this
    this.link = undefined
    this.#enter('stopped', undefined)
    await link?.close().catch(() => {})
    await this.#starting?.catch(() => {})
  }
}
