import { randomUUID } from 'node:crypto'
import { principalKey, type Exchange } from '@gantry/mcp/exchange'
import type { Isolation, TargetModel } from '../../model/index.ts'
import type { TargetConnection } from '../connected/target-connection.ts'
import { TargetError } from '../target-error.ts'
import { Instance, type InstanceHost } from './instance.ts'

/** Which connection of a target a caller gets. The empty key is the shared connection. */
export function instanceKey(isolation: Isolation, exchange: Pick<Exchange, 'session' | 'auth'>): string {
  switch (isolation) {
    case 'auto':
    case 'shared':
      return ''
    case 'user':
      return `user:${principalKey(exchange.auth?.principal)}`
    case 'session':
      // Modern requests have no session: what they share is their principal.
      return exchange.session === undefined
        ? `user:${principalKey(exchange.auth?.principal)}`
        : `session:${exchange.session}`
    case 'call':
      return `call:${randomUUID()}`
  }
}

/** The key of a caller; undefined for anonymous callers without a session. */
export function callerKey({ session, auth }: Pick<Exchange, 'session' | 'auth'>): string | undefined {
  if (session !== undefined) return `session:${session}`
  return auth ? `user:${principalKey(auth.principal)}` : undefined
}

const LEGACY = 'legacy|'

/** The key of the same connection in the older era, for a server that speaks both. */
export function legacyKey(key: string): string {
  return LEGACY + key
}

export function isLegacyKey(key: string): boolean {
  return key.startsWith(LEGACY)
}

/** The key without the era. */
export function sameInAuto(key: string): string {
  return key.slice(LEGACY.length)
}

/** Whether a connection belongs to one call. */
export function isCallKey(key: string): boolean {
  return (isLegacyKey(key) ? sameInAuto(key) : key).startsWith('call:')
}

/** Whether a connection is shared by all callers. */
export function isSharedKey(key: string): boolean {
  return key === '' || key === LEGACY
}

/** A value that goes on with a call that has a connection of its own: the key of that connection precedes it. */
export const CALL_MARK: RegExp = /^@((?:legacy\|)?call:[0-9a-f-]{36})\.(.*)$/s

/** Whether a request goes on with such a call. */
export function continuesCall({ params: { requestState, taskId } }: Exchange): boolean {
  return isMarked(requestState) || isMarked(taskId)
}

function isMarked(value: unknown): boolean {
  return typeof value === 'string' && CALL_MARK.test(value)
}

type PoolHost = Omit<InstanceHost, 'model' | 'unused' | 'isShared'>

/** Connections of single callers end after so long without use, where the configuration names no time. */
const PRIVATE_IDLE_STOP = 300_000

/** The connections of one target, by the callers that they are for. The empty key is the shared connection. */
export class InstancePool {
  readonly #model: () => TargetModel
  readonly #host: PoolHost
  readonly #instances = new Map<string, Instance>()
  #sweep: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(model: () => TargetModel, host: PoolHost) {
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

  /** The connections that a caller has for itself, without the connections of single calls. */
  ownConnections(caller: Pick<Exchange, 'session' | 'auth'>): TargetConnection[] {
    const { isolation } = this.#model()
    if (isolation === 'call') return []
    const key = isolation === 'auto' ? callerKey(caller) : instanceKey(isolation, caller)
    if (key === undefined || key === '') return []
    return [key, legacyKey(key)].flatMap((one) => this.find(one)?.connection ?? [])
  }

  /** Settings that live connections take on. */
  configure(): void {
    const { idleStop, isolation, concurrency, queue } = this.#model()
    const privateStop = idleStop ?? (isolation === 'auto' ? PRIVATE_IDLE_STOP : undefined)
    clearInterval(this.#sweep)
    this.#sweep = undefined
    for (const instance of this.#instances.values()) instance.slots.resize(concurrency, queue)
    if (privateStop === undefined) return
    const interval = Math.min(30_000, Math.max(100, privateStop / 4))
    this.#sweep = setInterval(() => this.#stopIdle(idleStop, privateStop), interval)
    this.#sweep.unref()
  }

  /** The connection under this key. A new connection is made when there is room for it, or when room can be made. */
  get(key: string): Instance {
    const known = this.#instances.get(key)
    if (known) return known
    if (!isSharedKey(key)) this.#makeRoom()
    if (this.#isClosed) return this.#stopped(key)
    const instance = this.#create(key, this.#host)
    this.#instances.set(key, instance)
    return instance
  }

  #create(key: string, host: PoolHost): Instance {
    return new Instance(key, {
      ...host,
      model: this.#model,
      unused: (idle) => this.#unused(idle),
      isShared: (one) => this.#isShared(one),
    })
  }

  /** Connections of single users and sessions are made when they are wanted again. */
  #isShared({ key }: Instance): boolean {
    const { isolation } = this.#model()
    return isolation === 'shared' || (isolation === 'auto' && isSharedKey(key))
  }

  /** After a stop nothing starts again and no change is reported, even if a list was being fetched. */
  #stopped(key: string): Instance {
    const instance = this.#create(key, { ...this.#host, changed: () => {} })
    void instance.stop()
    return instance
  }

  /**
   * Ends the connections that were unused for longest until one more fits. Shared connections that are in use do not
   * count.
   */
  #makeRoom(): void {
    const { name, maxInstances } = this.#model()
    while (this.#instances.size >= maxInstances) {
      const idle = this.all.filter((instance) => !instance.inUse).sort((a, b) => a.lastUsed - b.lastUsed)[0]
      if (!idle) {
        if (this.all.filter(({ key }) => !isSharedKey(key)).length < maxInstances) return
        const problem = `Target "${name}" has ${maxInstances} connections already, all in use`
        throw new TargetError(name, 'busy', problem)
      }
      void this.drop(idle)
    }
  }

  /** Where the gateway isolates by itself, the next caller may have the connection. */
  #unused(instance: Instance): void {
    if (isCallKey(instance.key) && this.#model().isolation !== 'auto') void this.drop(instance)
  }

  #stopIdle(idleStop: number | undefined, privateStop: number): void {
    for (const instance of this.all) {
      const limit = instance.key === '' ? idleStop : privateStop
      if (limit === undefined) continue
      const due = Date.now() - limit
      const stoppable =
        instance.key === '' ? instance.connection !== undefined : instance.state !== 'starting'
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
