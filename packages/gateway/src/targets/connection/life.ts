import { isStoreAway } from '../../store/index.ts'
import { Handshake } from '../../telemetry/handshake.ts'
import type { TargetModel } from '../../model/index.ts'
import { backoffDelay, nextTry, refusalOf, retryAfterOf, RetryClock } from './backoff.ts'
import { HealthCheck } from './health-check.ts'
import type { TargetConnection } from '../connected/target-connection.ts'
import type { Caller } from '../personal.ts'
import { isAuthFailure, TargetError } from '../target-error.ts'

export type ConnectionState =
  | 'idle'
  | 'starting'
  | 'ready'
  | 'degraded'
  | 'backing-off'
  | 'needs-auth'
  | 'quarantined'
  | 'stopped'

/** The facts of the request that wants a connection. */
export interface Opening {
  /** The headers that may be passed on. */
  readonly headers?: Record<string, string> | undefined
  /** The caller of a connection that belongs to one caller alone. */
  readonly caller?: Caller | undefined
}

/** The services and facts that opening a connection needs. */
export interface OpenRequest<Self> extends Opening {
  readonly instance: Self
  readonly handshake: Handshake
  readonly signal: AbortSignal
}

/** When and why a connection broke. */
export interface Break {
  readonly at: number
  readonly reason: Error
}

const BREAKS_KEPT = 20

/** The services that the life of a connection needs; `Self` is the connection. */
export interface LifeHost<Self> {
  /** The target's settings, which may change while it lives. */
  model(): TargetModel
  /** Connects; bounded by the gateway's start limit and the target's start time-out. */
  open(request: OpenRequest<Self>): Promise<TargetConnection>
  changed(instance: Self): void
  /** It is being started again. */
  restarting(instance: Self): void
  ready(instance: Self, connection: TargetConnection): void
  /** A connection is not used any more; it lasted so long, in milliseconds. */
  left(connection: TargetConnection, lasted: number): void
}

/** A connection that lasted so long, in milliseconds, has worked. */
const STEADY = 30_000

/** The life of one connection: idle → starting → ready ⇄ degraded → backing-off → … `Instance` is the whole of it. */
export abstract class Life<Self> {
  state: ConnectionState = 'idle'
  /** Why it is in this state, in words. */
  reason: string | undefined
  since: number = Date.now()
  starts = 0
  failures = 0
  /** Requests of clients under way. */
  calls = 0
  /** The last attempt to connect, step by step. */
  handshake: Handshake | undefined
  /** The error of the last attempt. */
  failure: unknown
  /** Connections that had worked and broke, the newest last. */
  readonly breaks: Break[] = []
  connection: TargetConnection | undefined
  protected readonly host: LifeHost<Self>
  /** Requests under way on each connection. One that is given up is closed when its last request has ended. */
  protected readonly requests: Map<TargetConnection, number> = new Map()
  #readySince = 0
  readonly #retry = new RetryClock()
  #starting: Promise<TargetConnection> | undefined
  #abort: AbortController | undefined
  #health: HealthCheck | undefined
  #ended = false

  constructor(host: LifeHost<Self>) {
    this.host = host
  }

  protected abstract readonly self: Self
  /** Whether requests are under way on it. */
  protected abstract readonly isWorking: boolean
  /** Whether it is connected again automatically. */
  protected abstract readonly restartsItself: boolean

  /** When the next automatic try is made; 0 when no try is planned. */
  get retryAt(): number {
    return this.#retry.retryAt
  }

  /** Connects. Requests that come meanwhile wait for the same attempt. */
  protected connect(opening: Opening = {}): Promise<TargetConnection> {
    if (this.#starting) return this.#starting
    const refused = refusalOf(this, this.host.model().name, this.#ended, this.#retry.refusedFor)
    if (refused) return Promise.reject(refused)
    this.#starting = this.#start(opening).finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  async #start(opening: Opening): Promise<TargetConnection> {
    this.#retry.cancel()
    const abort = new AbortController()
    this.#abort = abort
    await this.#retry.pause(abort.signal)
    this.starts++
    if (this.starts > 1) this.host.restarting(this.self)
    const handshake = new Handshake(() => this.host.changed(this.self))
    this.handshake = handshake
    this.#enter('starting', undefined)
    try {
      const { signal } = abort
      const connection = await this.host.open({ ...opening, instance: this.self, handshake, signal })
      if (this.#ended) {
        await connection.close()
        throw new TargetError(this.host.model().name, 'stopped', 'The target was stopped while it started')
      }
      this.#adopt(connection)
      return connection
    } catch (thrown) {
      if (!this.#ended) this.#failed(thrown)
      if (isStoreAway(thrown)) throw thrown
      throw TargetError.from(this.host.model().name, thrown)
    }
  }

  #adopt(connection: TargetConnection): void {
    connection.onClose = (reason) => this.#lost(connection, reason)
    this.connection = connection
    this.#retry.forget()
    this.#readySince = Date.now()
    // The failure is kept until the connection works again.
    this.failure = undefined
    this.#enter('ready', undefined)
    if (connection.ping) this.#watch(connection, connection.ping)
    this.host.ready(this.self, connection)
  }

  #watch(connection: TargetConnection, ping: (signal: AbortSignal) => Promise<unknown>): void {
    this.#health = new HealthCheck({
      model: () => this.host.model().health,
      ping,
      report: (failures, error) => this.#checked(connection, failures, error),
    })
  }

  /** A server that works on a call may be too busy to answer pings, so only an idle server is given up. */
  #checked(connection: TargetConnection, failures: number, error: unknown): void {
    if (this.connection !== connection) return
    if (failures === 0) {
      if (this.state === 'degraded') this.#enter('ready', undefined)
      return
    }
    const words = error instanceof Error ? error.message : String(error)
    if (failures >= this.host.model().health.failures && !this.isWorking) {
      this.discard(connection, new Error(`${failures} pings in a row were not answered: ${words}`))
    } else this.#enter('degraded', `a ping was not answered: ${words}`)
  }

  #failed(thrown: unknown): void {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    this.handshake?.fail(thrown)
    this.failure = thrown
    if (isStoreAway(thrown)) return this.#storeAway(reason)
    this.failures++
    if (isAuthFailure(thrown)) this.#needAuth(reason)
    else this.#backOff(reason, retryAfterOf(thrown))
  }

  /** The store says where a program runs, and has the accounts. The target has not failed. */
  #storeAway(reason: string): void {
    this.#enter('idle', reason)
    if (this.restartsItself) this.#scheduleRestart(backoffDelay(this.host.model().restart, 1))
  }

  /** Waits for a login. A call that comes much later tries again: the login may have happened elsewhere. */
  #needAuth(reason: string): void {
    const { quarantineFor } = this.host.model().restart
    this.#retry.wait({ delay: quarantineFor, refuseFor: quarantineFor, floor: 0 })
    this.#enter('needs-auth', reason)
  }

  /** `asked` is how long the server wants to be left alone. */
  #backOff(reason: string, asked = 0): void {
    const model = this.host.model()
    if (model.restart.policy === 'never') return this.#enter('stopped', reason)
    const next = nextTry(model, this.failures, asked)
    this.#retry.wait(next)
    this.#enter(next.quarantined ? 'quarantined' : 'backing-off', reason)
    if (this.restartsItself) this.#scheduleRestart(next.delay)
  }

  #scheduleRestart(delay: number): void {
    this.#retry.schedule(delay, () => {
      if (!this.connection) this.connect().catch(() => {})
    })
  }

  #lost(connection: TargetConnection, reason: Error | undefined): void {
    if (this.connection !== connection) return
    this.#detach()
    this.#closeUnused(connection)
    if (this.#ended) return
    const words = reason?.message ?? 'the connection was closed'
    this.failure = reason
    this.breaks.push({ at: Date.now(), reason: reason ?? new Error(words) })
    if (this.breaks.length > BREAKS_KEPT) this.breaks.shift()
    const { restart } = this.host.model()
    if (restart.policy === 'never') return this.#enter('stopped', words)
    if (Date.now() - this.#readySince > STEADY) this.proved()
    // A connection that had worked is tried again at once. A connection that keeps failing backs off.
    if (++this.failures > 1) {
      // Requests of one caller may end the connection every time. The wait for the others must stay short.
      if (this.calls > 0) this.failures = Math.min(this.failures, restart.quarantineAfter - 1)
      return this.#backOff(words)
    }
    this.#enter('idle', words)
    if (this.restartsItself) this.#scheduleRestart(backoffDelay(restart, 1))
  }

  /** The connection works: earlier failures do not count any more. */
  proved(): void {
    this.failures = 0
  }

  #detach(): void {
    this.#health?.stop()
    this.#health = undefined
    if (this.connection) this.host.left(this.connection, Date.now() - this.#readySince)
    // No request is under way on it.
    if (this.connection && this.requests.get(this.connection) === 0) this.requests.delete(this.connection)
    this.connection = undefined
  }

  #enter(state: ConnectionState, reason: string | undefined): void {
    this.state = state
    this.reason = reason
    this.since = Date.now()
    this.host.changed(this.self)
  }

  /** Forgets earlier failures, so that the next request tries again at once. */
  reset(): void {
    this.#retry.cancel()
    this.#retry.forget()
    this.failures = 0
    if (!this.connection && !this.#starting && !this.#ended) this.#enter('idle', undefined)
  }

  /** Drops a dead connection. HTTP requests under way may still succeed; listeners must be told. */
  discard(connection: TargetConnection, reason: Error): void {
    if (this.connection !== connection) return
    this.#lost(connection, reason)
    connection.retire?.(reason)
  }

  /** The server wants a login that this connection does not have. */
  refuse(connection: TargetConnection, reason: Error): void {
    if (this.connection !== connection) return
    this.#detach()
    this.failure = reason
    this.#needAuth(reason.message)
    this.#closeUnused(connection)
  }

  #closeUnused(connection: TargetConnection): void {
    if (!this.requests.has(connection)) connection.close().catch(() => {})
  }

  async stop(): Promise<void> {
    this.#ended = true
    this.#retry.cancel()
    this.#abort?.abort(new TargetError(this.host.model().name, 'stopped', 'The target was stopped'))
    const connections = new Set(this.requests.keys())
    if (this.connection) connections.add(this.connection)
    this.#detach()
    this.#enter('stopped', undefined)
    await Promise.all([...connections].map((connection) => connection.close().catch(() => {})))
    await this.#starting?.catch(() => {})
  }
}
