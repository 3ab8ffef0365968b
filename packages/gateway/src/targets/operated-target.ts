import type { Principal } from '@gantry/mcp/exchange'
import type { TargetModel } from '../model/index.ts'
import type { Tracer } from '../telemetry/tracer.ts'
import type { Deadlines } from './calls.ts'
import { type Connections, Succession } from './connection/connections.ts'
import type { Instance } from './connection/instance.ts'
import type { ConnectionState } from './connection/life.ts'
import type { OpenerServices } from './connection/connection-opener.ts'
import { instanceKey, isLegacyKey, isSharedKey, sameInAuto } from './connection/pool.ts'
import type { SignInOptions } from './target-auth.ts'

/** What all targets of a gateway share. */
export interface TargetServices extends OpenerServices {
  readonly deadlines: Deadlines
  /** Takes secrets out of what targets and their errors say, for operators. */
  hide(this: void, text: string): string
  /** How long a connection of one call waits for the next round, in milliseconds. */
  readonly heldFor: number
  /** Told of connections that have ended, where that is wanted. */
  readonly tracer?: Pick<Tracer, 'sessionEnded'> | undefined
}

/** Actions of operators and of the configuration on a target: start, stop, replace, sign in. Calls do not come here. */
export abstract class OperatedTarget {
  model: TargetModel
  /** Starts besides the first of each connection. */
  restarts = 0
  /** When it was last stopped by hand. */
  stoppedAt: number | undefined
  protected readonly services: TargetServices
  protected readonly succession: Succession
  protected readonly stopping: AbortController = new AbortController()
  protected suspended = false

  constructor(model: TargetModel, services: TargetServices) {
    this.model = model
    this.services = services
    this.succession = new Succession(model, {
      create: (settings, isChange) => this.connections(settings, isChange),
      mayConnect: () => !this.suspended,
      changed: () => this.changed(),
    })
  }

  /** Makes the connections for one version of the target's entry. */
  protected abstract connections(model: TargetModel, isChange: boolean): Connections

  /** Its state or its connections have changed. */
  protected abstract changed(): void

  /** Takes settings that connections survive. */
  setModel(model: TargetModel): void {
    this.model = model
    this.succession.setModel(model)
  }

  /** Takes settings that need new connections: no call fails because of that. */
  replace(model: TargetModel): Promise<void> {
    this.model = model
    return this.succession.replace(model)
  }

  /** Takes no new calls, and stops when those under way have ended. */
  async retire(): Promise<void> {
    this.stopping.abort()
    await this.succession.retire()
    await this.stop()
  }

  get instances(): readonly Instance[] {
    return this.succession.all.flatMap(({ pool }) => pool.all)
  }

  /** The shared connection: it serves lists, health checks and everything that belongs to no caller. */
  get main(): Instance {
    return this.succession.current.main
  }

  get state(): ConnectionState {
    if (this.suspended) return 'stopped'
    return this.succession.current.pool.find('')?.state ?? 'idle'
  }

  /** Whether a request would start nothing new. */
  get connected(): boolean {
    return this.succession.isConnected
  }

  /** Ends the connections of one caller whose account has changed, or of all callers. */
  async forget(principal: Principal | undefined): Promise<void> {
    const own =
      principal && instanceKey('user', { session: undefined, auth: { principal, scopes: [], claims: {} } })
    for (const { pool } of this.succession.all) {
      for (const instance of pool.all) {
        const key = isLegacyKey(instance.key) ? sameInAuto(instance.key) : instance.key
        if (!isSharedKey(key) && (own === undefined || key === own)) await pool.drop(instance)
      }
    }
  }

  /** Loads what its first connection will need. */
  async prepare(): Promise<void> {
    await this.succession.current.opener.prepare(this.model)
  }

  /** Logs in at the target's authorization server, then connects. Only targets with `oauth` have a login. */
  async signIn(options: SignInOptions): Promise<void> {
    await this.succession.current.opener.signIn(this.model, options, this.stopping.signal)
    await this.start()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await this.succession.close()
  }

  /** Another gateway has the target now: the next request goes there. */
  async letGo(): Promise<void> {
    await this.succession.current.pool.clear()
    this.changed()
  }

  /** Stops every connection and makes the main connection anew. */
  async restart(): Promise<void> {
    const { pool } = this.succession.current
    if (pool.size > 0) this.restarts++
    await pool.clear()
    this.suspended = false
    await this.main.acquire()
  }

  /** Stops every connection. New connections are made only after the target was started by hand. */
  async suspend(): Promise<void> {
    this.suspended = true
    this.stoppedAt = Date.now()
    await this.succession.current.pool.clear()
    this.changed()
  }

  /** Connects now, and ignores earlier failures. */
  async start(): Promise<void> {
    this.suspended = false
    this.main.reset()
    await this.main.acquire()
  }
}
