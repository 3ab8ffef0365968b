import type { Notification } from '../../exchange/index.ts'
import type { ReconnectDelays } from '../../exchange/wire.ts'
import { McpError, METHOD_NOT_FOUND, ProtocolError } from '../../jsonrpc/index.ts'
import type { ServerCapabilities, SubscriptionFilter } from '../../protocol/index.ts'
import { ListenStream, type OpenListen } from './listen-stream.ts'

export interface ListeningOptions {
  wanted(): SubscriptionFilter
  /** The capabilities of the connected server; undefined without a connection. */
  capabilities(): ServerCapabilities | undefined
  /** Connects again when the connection was lost. Rejects when that is not allowed. */
  reconnect(): Promise<unknown>
  open: OpenListen
  /** Whether all requests share one channel, as on the pipes of a process, and servers know of listening themselves. */
  sharesChannel(): boolean
  deliver(notification: Notification): void
  /** How soon a stream that ended is opened again. */
  delays: ReconnectDelays
  /** The stream broke off. */
  onBroken(): void
  /** Changes may have happened while there was no stream. */
  onMissed(): void
  onWarning(error: Error): void
}

/** Streams more than this whose place another has taken are ended. */
const MOST_REPLACED = 4
/** How long a server gets to end streams on a shared channel before the next is opened, in ms. */
const SETTLE = 100

/**
 * Keeps one `subscriptions/listen` open, and opens it again when it changes, ends or is lost. When a stream ends, Go
 * SDK 1.8 forgets the filters of all other streams on the same channel. So on a shared channel a replaced stream stays
 * open and is ignored; several of them are ended together with the newest.
 */
export class Listening {
  readonly #options: ListeningOptions
  /** The stream that delivers, and the stream that will replace it once the server has acknowledged it. */
  #active: ListenStream | undefined
  #next: ListenStream | undefined
  readonly #replaced = new Set<ListenStream>()
  /** Resolves when a shared channel has had time to end its streams. */
  #settled: Promise<unknown> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #missed = false

  constructor(options: ListeningOptions) {
    this.#options = options
  }

  update(): void {
    const capabilities = this.#options.capabilities()
    if (!capabilities) return
    const filter = possible(this.#options.wanted(), capabilities)
    const newest = this.#next ?? this.#active
    if (newest && sameFilter(newest.filter, filter)) return
    this.#stopTimer()
    if (Object.keys(filter).length === 0) this.#closeAll()
    else this.#open(filter)
  }

  /** The server was away. When the stream is open again, changes are reported, because some may have been missed. */
  wasAway(): void {
    if (this.#next || this.#timer) this.#missed = true
    else this.#options.onMissed()
  }

  /** The part of the wanted filter that the server grants. */
  async granted(): Promise<SubscriptionFilter> {
    this.update()
    return (await (this.#next ?? this.#active)?.granted) ?? {}
  }

  /** Nothing is listened to until the next `update`. */
  stop(): void {
    this.#stopTimer()
    this.#closeAll()
    this.#failures = 0
    this.#missed = false
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #closeAll(): void {
    const open = [this.#next, this.#active, ...this.#replaced].filter((stream) => stream !== undefined)
    this.#next = undefined
    this.#active = undefined
    this.#replaced.clear()
    if (open.length === 0) return
    for (const stream of open) stream.close()
    if (!this.#options.sharesChannel()) return
    this.#settled = new Promise((done) => {
      setTimeout(done, SETTLE).unref?.()
    })
  }

  #open(filter: SubscriptionFilter): void {
    this.#replace(this.#next)
    if (this.#replaced.size > MOST_REPLACED) {
      this.#closeAll()
      this.#missed = true
    }
    const settled = this.#settled
    const { open } = this.#options
    const openSettled: OpenListen = async (...listen) => {
      await settled
      return open(...listen)
    }
    // Notifications that come before the acknowledgement may come on the new stream only.
    const stream = new ListenStream(filter, settled ? openSettled : open, (notification) => {
      if (stream === this.#active || stream === this.#next) this.#options.deliver(notification)
    })
    this.#next = stream
    stream.granted.then(
      () => this.#promote(stream),
      () => {},
    )
    stream.ended.then(
      () => this.#ended(stream, undefined),
      (thrown: unknown) => this.#ended(stream, thrown),
    )
  }

  /** The old stream ends after the new stream has begun, so that nothing is missed in between. */
  #promote(stream: ListenStream): void {
    if (this.#next !== stream) return
    this.#replace(this.#active)
    this.#active = stream
    this.#next = undefined
    this.#failures = 0
    if (!this.#missed) return
    this.#missed = false
    this.#options.onMissed()
  }

  #replace(stream: ListenStream | undefined): void {
    if (!stream) return
    if (this.#options.sharesChannel()) this.#replaced.add(stream)
    else stream.close()
  }

  #ended(stream: ListenStream, thrown: unknown): void {
    if (stream.closed || this.#replaced.delete(stream)) return
    if (this.#next === stream) this.#next = undefined
    else if (this.#active === stream) this.#active = undefined
    this.#missed = true
    if (thrown !== undefined) this.#options.onBroken()
    if (thrown instanceof ProtocolError && thrown.code === METHOD_NOT_FOUND) {
      this.#options.onWarning(
        new McpError('unsupported', 'The server cannot be listened to', { cause: thrown }),
      )
    } else this.#retryLater()
  }

  /** Jittered, so that clients of a server that restarts do not come back all at once. */
  #retryLater(): void {
    this.#stopTimer()
    const { initialDelay, maxDelay, maxAttempts } = this.#options.delays
    if (this.#failures >= maxAttempts) return
    const delay = Math.min(initialDelay * 2 ** this.#failures++, maxDelay)
    this.#timer = setTimeout(() => void this.#retry(), delay * (0.5 + Math.random() / 2))
    this.#timer.unref?.()
  }

  async #retry(): Promise<void> {
    this.#timer = undefined
    if (Object.keys(this.#options.wanted()).length === 0) return
    try {
      await this.#options.reconnect()
      this.update()
    } catch (thrown) {
      const error = McpError.from(thrown)
      if (error.code === 'closed' || error.code === 'not_connected') return
      this.#options.onWarning(error)
      this.#retryLater()
    }
  }
}

/** Leaves out what the server does not offer. */
function possible(wanted: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const filter: SubscriptionFilter = {}
  if (wanted.toolsListChanged && capabilities.tools?.listChanged) filter.toolsListChanged = true
  if (wanted.promptsListChanged && capabilities.prompts?.listChanged) filter.promptsListChanged = true
  if (wanted.resourcesListChanged && capabilities.resources?.listChanged) filter.resourcesListChanged = true
  const uris = wanted.resourceSubscriptions ?? []
  if (uris.length > 0 && capabilities.resources?.subscribe) filter.resourceSubscriptions = uris
  return filter
}

function sameFilter(a: SubscriptionFilter, b: SubscriptionFilter): boolean {
  const key = (filter: SubscriptionFilter) =>
    JSON.stringify([
      filter.toolsListChanged,
      filter.promptsListChanged,
      filter.resourcesListChanged,
      [...(filter.resourceSubscriptions ?? [])].sort(),
    ])
  return key(a) === key(b)
}
