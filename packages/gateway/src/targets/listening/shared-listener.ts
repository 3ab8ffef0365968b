import {
  isJsonObject,
  type PlainExchange,
  METHOD_NOT_FOUND,
  type Notification,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { SubscriptionFilter } from '@gantry/mcp/server'
import { GrowingDelay } from './growing-delay.ts'

/** A client, or the catalog, that wants notifications of a target. All names are the target's own. */
export interface Subscriber {
  readonly filter: SubscriptionFilter
  /** True when this subscriber must not start the target or keep it running. */
  readonly isPassive?: boolean | undefined
  /** Something that a listener of this connection asked for; it may have been another. `connection` is its key. */
  heard(notification: Notification, connection?: string): void
  /** Hears the part of the filter that the target accepted; empty when it refused or could not be reached. */
  granted(filter: SubscriptionFilter): void
  /** The stream was interrupted, so changes may have been missed. */
  missed(connection?: string): void
}

export interface SharedListenerHost {
  /** Makes the request that listens; it is sent by `send`. */
  exchange(filter: SubscriptionFilter, notify: (notification: Notification) => void): PlainExchange
  /** Whether there is a connection. A passive listener waits for a connection. */
  isConnected(): boolean
  /** Whether all requests share one channel, as on the pipes of a process. */
  sharesChannel(): boolean
  /** Resolves when the target has ended it. */
  send(exchange: PlainExchange, isPassive: boolean): Promise<Outcome>
}

interface Stream {
  readonly filter: SubscriptionFilter
  readonly exchange: PlainExchange
  readonly openedAt: number
  readonly isPassive: boolean
  granted?: SubscriptionFilter
}

/** Subscribers that come together share a request. */
const GATHER = 20
/** How long a stream stays open after its last client has left: another client may come. */
const LET_GO = 1000
/** Some servers end every stream of a connection with one of them: the first new try comes soon. */
const PAUSES = [50, 1000, 2000, 5000, 10_000, 30_000]
/** How long a server gets to end a stream on a shared channel before the next is opened. */
const SETTLE = 100
/** A stream that lasted so long has worked. */
const STEADY = 5000

/**
 * The only `subscriptions/listen` request of a connection. A request with a wider filter replaces it when it was
 * acknowledged. On a shared channel the old request ends first, because Go SDK 1.8 forgets the newer streams of a
 * channel when a stream ends.
 */
export class SharedListener {
  readonly #host: SharedListenerHost
  readonly #subscribers = new Set<Subscriber>()
  #active: Stream | undefined
  #opening: Stream | undefined
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  /** Whether something may have been missed since the last stream ended. */
  #hasGap = false
  readonly #renewals = new GrowingDelay()
  #settledAt = 0

  constructor(host: SharedListenerHost) {
    this.#host = host
  }

  get size(): number {
    return this.#subscribers.size
  }

  /** Listens for a subscriber. The returned function ends that. */
  add(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber)
    if (this.#active?.granted && covers(this.#active.filter, subscriber.filter))
      subscriber.granted(this.#active.granted)
    else this.#openSoon(this.#active ? GATHER : 0)
    return () => {
      if (!this.#subscribers.delete(subscriber)) return
      if (this.#subscribers.size === 0) this.#close()
      else if (this.#active && !this.#active.isPassive && this.#isPassive) this.#openSoon(LET_GO)
    }
  }

  /** There is a new connection. */
  connected(): void {
    this.#failures = 0
    if (!this.#active && !this.#opening && this.#subscribers.size > 0) this.#openSoon(0)
  }

  /** Passes on a notification that the target sent elsewhere, such as with an answer. */
  announce(notification: Notification): void {
    for (const subscriber of [...this.#subscribers]) subscriber.heard(notification)
  }

  get #isPassive(): boolean {
    return [...this.#subscribers].every((subscriber) => subscriber.isPassive)
  }

  #openSoon(delay: number): void {
    // An opening that is under way looks again when it is done.
    if (this.#opening) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#open(), Math.max(delay, this.#settledAt - Date.now()))
    this.#timer.unref()
  }

  #open(): void {
    if (this.#subscribers.size === 0) return
    const filter = union([...this.#subscribers].map((subscriber) => subscriber.filter))
    const isPassive = this.#isPassive
    if (isPassive && !this.#host.isConnected()) return
    // Meanwhile another stream may have covered the subscriber, or the subscriber may have left.
    if (this.#active && covers(this.#active.filter, filter) && (this.#active.isPassive || !isPassive)) return
    if (this.#active && this.#host.sharesChannel()) return this.#endFirst(this.#active)
    const exchange = this.#host.exchange(filter, (notification) => this.#hear(stream, notification))
    const stream: Stream = { filter, exchange, openedAt: Date.now(), isPassive }
    this.#opening = stream
    this.#host
      .send(exchange, isPassive)
      .catch(() => undefined)
      .then((outcome) => this.#ended(stream, outcome))
  }

  /** Ends the old stream before the new one opens. Listeners hear that they may have missed something, so this must be rare. */
  #endFirst(old: Stream): void {
    const { wait } = this.#renewals
    if (wait > 0) return this.#openSoon(wait)
    this.#renewals.begin()
    this.#active = undefined
    this.#hasGap = true
    this.#settledAt = Date.now() + SETTLE
    old.exchange.abort('another subscription takes its place')
    this.#openSoon(SETTLE)
  }

  #hear(stream: Stream, notification: Notification): void {
    if (notification.method === 'notifications/subscriptions/acknowledged') {
      this.#acknowledged(stream, filterOf(notification.params?.notifications))
    } else if (stream === this.#active) this.announce(notification)
  }

  #acknowledged(stream: Stream, granted: SubscriptionFilter): void {
    if (stream !== this.#opening && stream !== this.#active) return
    stream.granted = granted
    const old = stream === this.#active ? undefined : this.#active
    // A stream that is acknowledged again was sent again, because its connection had been lost.
    const hadGap = this.#hasGap || stream === this.#active
    if (stream === this.#opening) this.#opening = undefined
    this.#active = stream
    this.#hasGap = false
    for (const subscriber of [...this.#subscribers]) {
      if (!covers(stream.filter, subscriber.filter)) continue
      subscriber.granted(granted)
      if (hadGap) subscriber.missed()
    }
    old?.exchange.abort('a wider subscription took its place')
    const isWide = [...this.#subscribers].every((subscriber) => covers(stream.filter, subscriber.filter))
    if (!isWide) this.#openSoon(GATHER)
  }

  #ended(stream: Stream, outcome: Outcome | undefined): void {
    if (stream !== this.#active && stream !== this.#opening) return
    const wasActive = stream === this.#active
    if (wasActive) {
      this.#active = undefined
      this.#hasGap = true
    } else this.#refused()
    if (this.#subscribers.size === 0) return
    if (outcome?.type === 'error' && outcome.error.code === METHOD_NOT_FOUND) return
    if (wasActive && Date.now() - stream.openedAt > STEADY) this.#failures = 0
    const pause = PAUSES[Math.min(this.#failures++, PAUSES.length - 1)]!
    this.#openSoon(pause)
  }

  /** The new stream has failed. The old stream, if any, goes on. */
  #refused(): void {
    this.#opening = undefined
    for (const subscriber of [...this.#subscribers]) {
      const isHeard = this.#active && covers(this.#active.filter, subscriber.filter)
      if (!isHeard) subscriber.granted(this.#active?.granted ?? {})
    }
  }

  #close(): void {
    clearTimeout(this.#timer)
    const streams = [this.#active, this.#opening]
    this.#active = undefined
    this.#opening = undefined
    this.#hasGap = false
    for (const stream of streams) stream?.exchange.abort('nobody listens any more')
  }
}

/**
 * Whether a notification says that something changed. Such a notification is for all listeners, whatever stream it
 * comes on.
 */
export function isAnnouncement({ method }: Notification): boolean {
  return method.endsWith('/list_changed') || method === 'notifications/resources/updated'
}

/** The uri of an update. */
export function updatedUri({ method, params }: Notification): string | undefined {
  if (method !== 'notifications/resources/updated' || !isJsonObject(params)) return undefined
  return typeof params.uri === 'string' ? params.uri : undefined
}

const LISTS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const
const NAMES = ['resourceSubscriptions', 'taskIds'] as const

/** Reads the filter in a target's acknowledgement. */
export function filterOf(value: unknown): SubscriptionFilter {
  return isJsonObject(value) ? (value as SubscriptionFilter) : {}
}

/** Everything that any of the filters asks for. */
export function union(filters: readonly SubscriptionFilter[]): SubscriptionFilter {
  const all: SubscriptionFilter = {}
  for (const list of LISTS) if (filters.some((filter) => filter[list] === true)) all[list] = true
  for (const member of NAMES) {
    const names = new Set(filters.flatMap((filter) => namesOf(filter, member)))
    if (names.size > 0) all[member] = [...names]
  }
  return all
}

/** Whether a filter asks for everything that another filter asks for. */
export function covers(wide: SubscriptionFilter, narrow: SubscriptionFilter): boolean {
  if (LISTS.some((list) => narrow[list] === true && wide[list] !== true)) return false
  return NAMES.every((member) => {
    const names = new Set(namesOf(wide, member))
    return namesOf(narrow, member).every((name) => names.has(name))
  })
}

export function namesOf(filter: SubscriptionFilter, member: (typeof NAMES)[number]): string[] {
  const names: unknown = filter[member]
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}
