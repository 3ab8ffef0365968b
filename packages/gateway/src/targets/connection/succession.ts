import type { Exchange } from '@gantry/mcp/exchange'
import type { TargetModel } from '../../model/index.ts'
import type { Connections } from './connections.ts'

export interface SuccessionHost {
  /** `isChange`: they are to take the place of others. */
  create(model: TargetModel, isChange: boolean): Connections
  /** Whether the target is to be connected without being asked. */
  mayConnect(): boolean
  changed(): void
}

/** The connections of a target from one version of its entry in the configuration to the next. */
export class Succession {
  /** What new calls use. */
  current: Connections
  /** What they will use as soon as it is connected. */
  #coming: Connections | undefined
  /** What earlier settings left, with calls under way. */
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
    return this.current.pool.find('')?.link !== undefined
  }

  /** Takes settings that need new connections. The old one serves until the new one is ready or failed. */
  async replace(model: TargetModel): Promise<void> {
    const next = this.#host.create(model, true)
    const earlier = this.#coming
    this.#coming = next
    await earlier?.close()
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

  /** What was in the way of the new connection may be gone now. */
  async #tryAgain(next: Connections): Promise<void> {
    const main = next.pool.find('')
    if (!main || main.link) return
    main.reset()
    await Promise.resolve(main.acquire()).catch(() => {})
  }

  /** Ends when the calls under way have ended. */
  async retire(): Promise<void> {
    const coming = this.#coming
    this.#coming = undefined
    await coming?.close()
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
