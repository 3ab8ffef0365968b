import {
  isModern,
  LATEST_MODERN,
  PlainExchange,
  type Exchange,
  type Notification,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { Implementation, SubscriptionFilter } from '@gantry/mcp/server'
import type { TargetModel } from '../../model/index.ts'
import type { Instance } from '../connection/instance.ts'
import type { InstancePool } from '../connection/pool.ts'
import {
  callerKey,
  instanceKey,
  isCallKey,
  isLegacyKey,
  isSharedKey,
  sameInAuto,
} from '../connection/pool.ts'

import { union, SharedListener, type Subscriber } from './shared-listener.ts'
import { targetHeaders } from '../connected/target-exchange.ts'

export interface TargetListenersHost {
  readonly info: Implementation
  /** The connections in use, which may be replaced. */
  pool(): InstancePool
  model(): TargetModel
  /** Listens on a connection. The connection is made when there is none. */
  listen(instance: Instance, exchange: Exchange): Promise<Outcome>
  /** Listens on a connection that there is. */
  listenIdly(instance: Instance, exchange: Exchange): Promise<Outcome>
}

/** A subscriber, and the connections on which the target is listened to for it. */
interface Listener {
  readonly subscriber: Subscriber
  readonly caller: Exchange | undefined
  /** The connection that is made for it; on others it is listened for while they are there. */
  readonly main: string
  /** How to stop, and what the target agreed to, by connection. */
  readonly stops: Map<string, () => void>
  readonly grants: Map<string, SubscriptionFilter>
}

/** Servers announce tasks only to clients that declare this extension. */
const CAPABILITIES = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

/**
 * Listens to a target for its subscribers, on every connection that serves their callers: the shared one, the caller's
 * own, and both of them in the older era. There is one subscription for each connection, and for each set of headers
 * that are passed on to it.
 */
export class TargetListeners {
  readonly #host: TargetListenersHost
  readonly #listeners = new Set<Listener>()
  readonly #subscriptions = new Map<string, { readonly instance: string; readonly shared: SharedListener }>()

  constructor(host: TargetListenersHost) {
    this.#host = host
  }

  /** Listens for a caller, or for the gateway itself, until the function returned is called. */
  add(subscriber: Subscriber, caller?: Exchange): () => void {
    const main = caller ? instanceKey(this.#host.model().isolation, caller) : ''
    const listener: Listener = { subscriber, caller, main, stops: new Map(), grants: new Map() }
    this.#listeners.add(listener)
    for (const { key, connection } of this.#host.pool().all) {
      if (connection && key !== main) this.#listenIfServed(listener, key)
    }
    // The main connection comes last, because it may answer at once: by then it is known which other connections have
    // to answer.
    this.#listen(listener, main)
    return () => {
      this.#listeners.delete(listener)
      for (const stop of listener.stops.values()) stop()
    }
  }

  /** There is a new connection. */
  connected({ key }: Instance): void {
    this.#forgetGone()
    for (const listener of this.#listeners) this.#listenIfServed(listener, key)
    for (const one of this.#subscriptions.values()) if (one.instance === key) one.shared.connected()
  }

  /** Passes on a notification outside of any subscription, from one of the target's connections. */
  announce(notification: Notification, key: string): void {
    // News about resources on a caller's connection are for that caller only. Lists belong to the server and are for
    // everybody.
    const isForAll = isSharedKey(key) || notification.method.endsWith('/list_changed')
    for (const { subscriber, stops } of [...this.#listeners]) {
      if (isForAll || stops.has(key)) subscriber.heard(notification, key)
    }
  }

  #listenIfServed(listener: Listener, key: string): void {
    if (!listener.stops.has(key) && this.#isServedBy(listener, key)) this.#listen(listener, key)
  }

  /** The gateway itself listens on every connection. */
  #isServedBy({ caller, main }: Listener, key: string): boolean {
    if (isCallKey(key)) return false
    const plain = isLegacyKey(key) ? sameInAuto(key) : key
    if (!caller || plain === main) return true
    return this.#host.model().isolation === 'auto' && plain === callerKey(caller)
  }

  #listen(listener: Listener, key: string): void {
    const { subscriber, caller, main, stops, grants } = listener
    const shared = this.#subscription(key, caller)
    const stop = shared.add({
      filter: subscriber.filter,
      isPassive: key === main ? subscriber.isPassive : true,
      heard: (notification) => subscriber.heard(notification, key),
      granted: (filter) => {
        // The call that the connection was made for was sent before anything could be heard there.
        if (!caller && key !== main && !grants.has(key)) subscriber.missed(key)
        grants.set(key, filter)
        if (this.#isAnswered(listener)) subscriber.granted(union([...grants.values()]))
      },
      missed: () => subscriber.missed(key),
    })
    stops.set(key, () => {
      stop()
      for (const [name, one] of this.#subscriptions) {
        if (one.shared === shared && shared.size === 0) this.#subscriptions.delete(name)
      }
    })
  }

  /** Whether every open connection has acknowledged. One era of a server may grant less. */
  #isAnswered({ main, stops, grants }: Listener): boolean {
    const pool = this.#host.pool()
    const isDone = (key: string): boolean => grants.has(key) || (key !== main && !pool.find(key)?.connection)
    return grants.has(main) && [...stops.keys()].every(isDone)
  }

  /** Connections of single callers come and go. */
  #forgetGone(): void {
    const pool = this.#host.pool()
    for (const { main, stops, grants } of this.#listeners) {
      for (const [key, stop] of stops) {
        if (key === main || pool.find(key)) continue
        stop()
        stops.delete(key)
        grants.delete(key)
      }
    }
  }

  #subscription(instance: string, caller: Exchange | undefined): SharedListener {
    const headers = caller && targetHeaders(this.#host.model(), caller)
    // Other callers must not hear what a caller hears because of its own credentials.
    const key = headers ? `${instance} ${JSON.stringify(headers)}` : instance
    const known = this.#subscriptions.get(key)
    if (known) return known.shared
    const shared = this.#create(instance, headers && caller)
    this.#subscriptions.set(key, { instance, shared })
    return shared
  }

  #create(key: string, caller: Exchange | undefined): SharedListener {
    const { pool, info, model, listen, listenIdly } = this.#host
    const client = { info, capabilities: CAPABILITIES, version: LATEST_MODERN }
    return new SharedListener({
      exchange: (notifications, notify) =>
        new PlainExchange({
          method: 'subscriptions/listen',
          params: { notifications },
          client,
          headers: caller?.headers,
          notify,
        }),
      isConnected: () => pool().find(key)?.connection !== undefined,
      // In the older era a subscription is no request that stays open.
      sharesChannel: () => {
        const connection = pool().find(key)?.connection
        return model().kind === 'stdio' && connection !== undefined && isModern(connection.version)
      },
      send: async (exchange, isPassive) =>
        isPassive ? listenIdly(pool().get(key), exchange) : listen(pool().get(key), exchange),
    })
  }
}
