import { McpError } from '@gantry/mcp/client'
import type { Exchange, Notification } from '@gantry/mcp/exchange'
import type { TargetModel } from '../../model/index.ts'
import { HeldCalls, readAffinity, type HeldCallsHost } from './held-calls.ts'
import type { Instance, InstanceHost } from './instance.ts'
import { OlderEra } from './older-era.ts'
import { ConnectionOpener, type OpenerServices } from './connection-opener.ts'
import { serverMark } from '../server-mark.ts'
import { InstancePool } from './pool.ts'
import { stateLog } from './state-log.ts'

export interface ConnectionsServices extends OpenerServices, Omit<HeldCallsHost, 'pool'> {}

export interface ConnectionsHost extends Omit<InstanceHost, 'model' | 'unused' | 'isShared' | 'open'> {
  stderr(line: string): void
  notification(instance: Instance, notification: Notification): void
}

const LOOK_AGAIN = 50

/** The connections of one version of a target's entry. Old ones end when their calls have ended. */
export class Connections {
  model: TargetModel
  /** Tells their server from a later one of the same name. */
  readonly mark: string
  readonly pool: InstancePool
  readonly opener: ConnectionOpener
  readonly held: HeldCalls
  readonly olderEra: OlderEra = new OlderEra()
  /** Whether they replace earlier connections, and have not worked yet. */
  #isUnproved: boolean
  readonly #listening = new Set<() => void>()
  #isClosed = false

  constructor(model: TargetModel, services: ConnectionsServices, host: ConnectionsHost, isChange: boolean) {
    this.model = model
    this.mark = serverMark(model)
    this.#isUnproved = isChange
    this.opener = new ConnectionOpener(model.name, services, {
      stderr: (line) => host.stderr(line),
      notification: (instance, notification) => host.notification(instance, notification),
      explain: (thrown) => (this.#isUnproved ? sinceChange(thrown) : thrown),
    })
    const logState = stateLog(model.name, services.log)
    this.pool = new InstancePool(() => this.model, {
      ...host,
      changed: (instance) => {
        logState(instance)
        host.changed(instance)
      },
      open: (request) => this.opener.open(this.model, request),
      ready: (instance, connection) => {
        this.#isUnproved = false
        if (instance.key === '') this.olderEra.note(this.model, connection)
        host.ready(instance, connection)
      },
    })
    this.held = new HeldCalls({ ...services, pool: this.pool })
  }

  setModel(model: TargetModel): void {
    this.model = model
    this.pool.configure()
  }

  get main(): Instance {
    return this.pool.get('')
  }

  /** Whether the exchange continues a call that began on one of these connections. */
  owns(exchange: Exchange): boolean {
    const affinity = readAffinity(exchange)
    return affinity !== undefined && this.pool.find(affinity.key) !== undefined
  }

  /** `end` is called when listening has to begin anew elsewhere; the function returned takes that back. */
  listens(end: () => void): () => void {
    this.#listening.add(end)
    return () => void this.#listening.delete(end)
  }

  /**
   * Closes connections when they have no calls under way, or when the time is over, but not during an installation.
   * Listeners move elsewhere at once.
   */
  async retire(limit: number): Promise<void> {
    for (const end of [...this.#listening]) end()
    const until = Date.now() + limit
    const hasWork = (): boolean => Date.now() < until && this.pool.all.some((instance) => instance.hasWork)
    while (!this.#isClosed && (hasWork() || this.#isInstalling)) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN).unref())
    }
    await this.close()
  }

  /** An installation that is ended in the middle leaves a broken package. */
  get #isInstalling(): boolean {
    return this.pool.all.some((instance) => instance.isInstalling())
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.pool.close()
  }
}

/** Connections that worked before the edit fail now, so the edit is the likely cause. */
function sinceChange(thrown: unknown): unknown {
  if (!(thrown instanceof McpError)) return thrown
  const { code, message, details } = thrown
  const told = `${message.replace(/\.$/, '')} (since its configuration was changed)`
  return new McpError(code, told, { details, cause: thrown.cause })
}

export interface SuccessionHost {
  /** `isChange`: they are to take the place of others. */
  create(model: TargetModel, isChange: boolean): Connections
  /** Whether the target is to be connected without being asked. */
  mayConnect(): boolean
  changed(): void
}

/** The connections of a target from one version of its entry in the configuration to the next. */
export class Succession {
  /** The connections of new calls. */
  current: Connections
  /** The connections that new calls will use when they are up. */
  #coming: Connections | undefined
  /** Connections with earlier settings that still have calls under way. */
  readonly leaving: Set<Connections> = new Set()
  readonly #host: SuccessionHost

  constructor(model: TargetModel, host: SuccessionHost) {
    this.#host = host
    this.current = host.create(model, false)
  }

  get all(): Connections[] {
    const coming = this.#coming ? [this.#coming] : []
    return [this.current, ...coming, ...this.leaving]
  }

  /** Takes settings that connections survive. */
  setModel(model: TargetModel): void {
    this.current.setModel(model)
    this.#coming?.setModel(model)
  }

  /** Where a call in several rounds began. */
  ownerOf(exchange: Exchange): Connections {
    for (const connections of this.leaving) if (connections.owns(exchange)) return connections
    return this.current
  }

  get isConnected(): boolean {
    return this.current.pool.find('')?.connection !== undefined
  }

  /**
   * Takes settings that need new connections. The old connection serves until the new connection is ready or has
   * failed.
   */
  async replace(model: TargetModel): Promise<void> {
    const next = this.#host.create(model, true)
    const earlier = this.#coming
    this.#coming = next
    if (earlier) await this.#leave(earlier)
    const isShared =
      model.enabled && (model.isolation === 'shared' || model.isolation === 'auto') && this.#host.mayConnect()
    if (isShared && (this.isConnected || model.start === 'eager')) {
      const connected = Promise.resolve(next.main.acquire()).catch(() => {})
      if (this.isConnected) await connected
    }
    // Edited or stopped again meanwhile.
    if (this.#coming !== next) return
    this.#coming = undefined
    const old = this.current
    this.current = next
    this.#host.changed()
    await this.#leave(old)
    if (isShared && this.current === next) await this.#tryAgain(next)
  }

  /** The obstacle to the new connection may be gone now. */
  async #tryAgain(next: Connections): Promise<void> {
    const main = next.pool.find('')
    if (!main || main.connection) return
    main.reset()
    await Promise.resolve(main.acquire()).catch(() => {})
  }

  /** Ends when the calls under way have ended. */
  async retire(): Promise<void> {
    const coming = this.#coming
    this.#coming = undefined
    if (coming) await this.#leave(coming)
    await this.#leave(this.current)
  }

  async #leave(connections: Connections): Promise<void> {
    this.leaving.add(connections)
    await connections.retire(connections.model.timeouts.request)
    this.leaving.delete(connections)
  }

  async close(): Promise<void> {
    const { all } = this
    this.#coming = undefined
    await Promise.all(all.map((connections) => connections.close()))
  }
}
