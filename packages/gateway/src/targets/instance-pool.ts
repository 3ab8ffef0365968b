import type { TargetModel } from '../model/index.ts'
import { Instance, type InstanceHost } from './instance.ts'
import { isCallKey, isSharedKey } from './isolation.ts'
import { TargetError } from './target-error.ts'

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
