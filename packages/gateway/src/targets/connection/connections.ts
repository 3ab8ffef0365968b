import { McpError } from '@gantry/mcp/client'
import type { Exchange, Notification } from '@gantry/mcp/exchange'
import type { TargetModel } from '../../model/index.ts'
import { HeldCalls, readAffinity, type HeldCallsHost } from './held-calls.ts'
import { Instance, type InstanceHost } from './instance.ts'
import { OlderEra } from './older-era.ts'
import { LinkOpener, type OpenerServices } from './link-opener.ts'
import { serverMark } from '../server-mark.ts'
import { isCallKey, isSharedKey } from './isolation.ts'
import { TargetError } from '../target-error.ts'

export interface ConnectionsServices extends OpenerServices, Omit<HeldCallsHost, 'pool'> {}

export interface ConnectionsHost extends Omit<InstanceHost, 'model' | 'unused' | 'open'> {
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
  readonly opener: LinkOpener
  readonly held: HeldCalls
  readonly olderEra: OlderEra = new OlderEra()
  /** Whether they are there instead of others, and have not worked yet. */
  #isUnproved: boolean
  readonly #listening = new Set<() => void>()
  #isClosed = false

  constructor(model: TargetModel, services: ConnectionsServices, host: ConnectionsHost, isChange: boolean) {
    this.model = model
    this.mark = serverMark(model)
    this.#isUnproved = isChange
    this.opener = new LinkOpener(model.name, services, {
      stderr: (line) => host.stderr(line),
      notification: (instance, notification) => host.notification(instance, notification),
      explain: (thrown) => (this.#isUnproved ? sinceChange(thrown) : thrown),
    })
    this.pool = new InstancePool(() => this.model, {
      ...host,
      open: (request) => this.opener.open(this.model, request),
      ready: (instance, link) => {
        this.#isUnproved = false
        if (instance.key === '') this.olderEra.note(this.model, link)
        host.ready(instance, link)
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

  /** Whether the exchange goes on with a call that began here. */
  owns(exchange: Exchange): boolean {
    const affinity = readAffinity(exchange)
    return affinity !== undefined && this.pool.find(affinity.key) !== undefined
  }

  /** `end` is called when listening has to begin anew elsewhere; the function returned takes that back. */
  listens(end: () => void): () => void {
    this.#listening.add(end)
    return () => void this.#listening.delete(end)
  }

  /** Closes them when nothing is under way any more, or when the time is over. Who listens goes elsewhere at once. */
  async retire(limit: number): Promise<void> {
    for (const end of [...this.#listening]) end()
    const until = Date.now() + limit
    while (!this.#isClosed && Date.now() < until && this.pool.all.some((instance) => instance.hasWork)) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN).unref())
    }
    await this.close()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.pool.close()
  }
}

/** What worked before does not: the reader should look at what was edited. */
function sinceChange(thrown: unknown): unknown {
  if (!(thrown instanceof McpError)) return thrown
  const { code, message, details } = thrown
  const told = `${message.replace(/\.$/, '')} (since its configuration was changed)`
  return new McpError(code, told, { details, cause: thrown.cause })
}

/** Connections of single callers end after so long without use, where the configuration names no time. */
const PRIVATE_IDLE_STOP = 300_000

/** The connections of one target, by whom they are for. The empty key is the one that everybody shares. */
export class InstancePool {
  readonly #model: () => TargetModel
  readonly #host: Omit<InstanceHost, 'model' | 'unused'>
  readonly #instances = new Map<string, Instance>()
  #sweep: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(model: () => TargetModel, host: Omit<InstanceHost, 'model' | 'unused'>) {
    this.#model = model
    this.#host = host
    this.configure()
  }

  get all(): readonly Instance[] {
    return [...this.#instances.values()]
  }

  get size(): number {
    return this.#instances.size
  }

  find(key: string): Instance | undefined {
    return this.#instances.get(key)
  }

  /** Settings that live connections take on. */
  configure(): void {
    const { idleStop, isolation, concurrency, queue } = this.#model()
    const privateStop = idleStop ?? (isolation === 'auto' ? PRIVATE_IDLE_STOP : undefined)
    clearInterval(this.#sweep)
    this.#sweep = undefined
    for (const instance of this.#instances.values()) instance.slots.resize(concurrency, queue)
    if (privateStop === undefined) return
    const pace = Math.min(30_000, Math.max(100, privateStop / 4))
    this.#sweep = setInterval(() => this.#stopIdle(idleStop, privateStop), pace)
    this.#sweep.unref()
  }

  /** The connection under this key; a new one as long as there is room, or can be made. */
  get(key: string): Instance {
    const known = this.#instances.get(key)
    if (known) return known
    if (!isSharedKey(key)) this.#makeRoom()
    if (this.#isClosed) return this.#stopped(key)
    const instance = this.#create(key, this.#host)
    this.#instances.set(key, instance)
    return instance
  }

  #create(key: string, host: Omit<InstanceHost, 'model' | 'unused'>): Instance {
    return new Instance(key, { ...host, model: this.#model, unused: (idle) => this.#unused(idle) })
  }

  /** After a stop nothing starts again and nobody is told, even if a list was being fetched. */
  #stopped(key: string): Instance {
    const instance = this.#create(key, { ...this.#host, changed: () => {} })
    void instance.stop()
    return instance
  }

  /** Ends the longest unused connections until one more fits. The shared ones are always made, so there may be too many. */
  #makeRoom(): void {
    const { name, maxInstances } = this.#model()
    while (this.#instances.size >= maxInstances) {
      const idle = this.all.filter((instance) => !instance.inUse).sort((a, b) => a.lastUsed - b.lastUsed)[0]
      if (!idle) {
        const problem = `Target "${name}" has ${maxInstances} connections already, all in use`
        throw new TargetError(name, 'busy', problem)
      }
      void this.drop(idle)
    }
  }

  #unused(instance: Instance): void {
    if (isCallKey(instance.key)) void this.drop(instance)
  }

  #stopIdle(idleStop: number | undefined, privateStop: number): void {
    for (const instance of this.all) {
      const limit = instance.key === '' ? idleStop : privateStop
      if (limit === undefined) continue
      const due = Date.now() - limit
      const stoppable = instance.key === '' ? instance.link !== undefined : instance.state !== 'starting'
      if (stoppable && !instance.inUse && instance.lastUsed < due) void this.drop(instance)
    }
  }

  async drop(instance: Instance): Promise<void> {
    if (this.#instances.get(instance.key) === instance) this.#instances.delete(instance.key)
    await instance.stop()
    this.#host.changed(instance)
  }

  async clear(): Promise<void> {
    const old = this.all
    this.#instances.clear()
    await Promise.all(old.map((instance) => instance.stop()))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#sweep)
    await this.clear()
  }
}
