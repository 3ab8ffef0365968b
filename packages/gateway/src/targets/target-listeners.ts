import { LiveExchange, type Exchange, type Notification, type Outcome } from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { TargetModel } from '../model/index.ts'
import type { Instance } from './instance.ts'
import type { InstancePool } from './instance-pool.ts'
import { instanceKey } from './isolation.ts'
import { SharedListener, type ListenWish } from './shared-listener.ts'
import { targetHeaders } from './target-headers.ts'

export interface TargetListenersHost {
  readonly info: Implementation
  /** The connections in use, which may be replaced. */
  pool(): InstancePool
  model(): TargetModel
  /** Listens on a connection, which is made when there is none. */
  listen(instance: Instance, exchange: Exchange): Promise<Outcome>
  /** Listens on a connection that there is. */
  listenIdly(instance: Instance, exchange: Exchange): Promise<Outcome>
}

/** Servers tell of tasks only those who know them. */
const CAPABILITIES = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** One listener for each connection of a target, and for each set of headers that are passed on to it. */
export class TargetListeners {
  readonly #host: TargetListenersHost
  readonly #listeners = new Map<string, { readonly instance: string; readonly shared: SharedListener }>()

  constructor(host: TargetListenersHost) {
    this.#host = host
  }

  /** Listens for somebody, or for the gateway itself, until the function returned is called. */
  add(wish: ListenWish, caller?: Exchange): () => void {
    const model = this.#host.model()
    const instance = caller ? instanceKey(model.isolation, caller) : ''
    const headers = caller && targetHeaders(model, caller)
    // What one caller's credentials let it hear is not for another's ears.
    const key = headers ? `${instance} ${JSON.stringify(headers)}` : instance
    let listener = this.#listeners.get(key)
    if (!listener) {
      listener = { instance, shared: this.#create(instance, headers && caller) }
      this.#listeners.set(key, listener)
    }
    const { shared } = listener
    const stop = shared.add(wish)
    return () => {
      stop()
      if (shared.size === 0 && this.#listeners.get(key)?.shared === shared) this.#listeners.delete(key)
    }
  }

  /** There is a new connection. */
  connected(instance: Instance): void {
    for (const one of this.#listeners.values()) if (one.instance === instance.key) one.shared.connected()
  }

  /** What the target announced outside of any subscription concerns all of them. */
  announce(notification: Notification): void {
    for (const { shared } of [...this.#listeners.values()]) shared.announce(notification)
  }

  #create(key: string, caller: Exchange | undefined): SharedListener {
    const { pool, info, listen, listenIdly } = this.#host
    const client = { info, capabilities: CAPABILITIES, version: '2026-07-28' } as const
    return new SharedListener({
      exchange: (notifications, notify) =>
        new LiveExchange({
          method: 'subscriptions/listen',
          params: { notifications },
          client,
          headers: caller?.headers,
          notify,
        }),
      send: async (exchange, isPassive) => {
        if (!isPassive) return listen(pool().get(key), exchange)
        const instance = pool().find(key)
        if (!instance?.link) throw new Error('There is no connection to listen on')
        return listenIdly(instance, exchange)
      },
    })
  }
}
