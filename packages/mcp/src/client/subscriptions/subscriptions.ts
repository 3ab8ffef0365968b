/// <reference lib="esnext.disposable" preserve="true" />
import type { Notification } from '../../exchange/index.ts'
import { orAbort } from '../../exchange/client/client-edge.ts'
import type { ReconnectDelays } from '../../exchange/wire.ts'
import { McpError } from '../../jsonrpc/index.ts'
import type { ServerCapabilities, SubscriptionFilter } from '../../protocol/index.ts'
import type { ClientEvents } from '../client-options.ts'
import type { Emitter } from '../emitter.ts'
import type { OpenListen } from './listen-stream.ts'
import { Listening } from './listening.ts'

/** A subscription to one resource; closing it, or leaving its `await using` block, ends it. */
export interface Subscription extends AsyncDisposable {
  readonly uri: string
  close(): void
}

export interface SubscriptionsOptions {
  events: Emitter<ClientEvents>
  capabilities(): ServerCapabilities | undefined
  reconnect(): Promise<unknown>
  open: OpenListen
  sharesChannel(): boolean
  onChange(notification: Notification): void
  delays: ReconnectDelays
  onBroken(): void
  onBack(): void
}

/** The subscriptions of the author: listeners of change events, and subscribed resources. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #listening: Listening
  readonly #uris = new Map<string, number>()

  constructor(options: SubscriptionsOptions) {
    this.#options = options
    const { events, capabilities, reconnect, open, sharesChannel, delays, onBroken } = options
    this.#listening = new Listening({
      wanted: () => this.#wanted(),
      capabilities,
      reconnect,
      open,
      sharesChannel,
      deliver: (notification) => this.deliver(notification),
      delays,
      onBroken,
      onMissed: () => this.#assumeChanges(),
      onWarning: (error) => events.emit('warning', error),
    })
  }

  granted(): Promise<SubscriptionFilter> {
    return this.#listening.granted()
  }

  update(): void {
    this.#listening.update()
  }

  stop(): void {
    this.#listening.stop()
  }

  /** The server was away, and is back. */
  wasAway(): void {
    this.#listening.wasAway()
  }

  /** Changes may have been missed, so everything counts as changed. */
  #assumeChanges(): void {
    this.#options.onBack()
    for (const list of ['tools', 'prompts', 'resources']) {
      this.deliver({ method: `notifications/${list}/list_changed` })
    }
    for (const uri of this.#uris.keys()) {
      this.deliver({ method: 'notifications/resources/updated', params: { uri } })
    }
  }

  async subscribe(uri: string, signal: AbortSignal): Promise<Subscription> {
    if (!this.#options.capabilities()?.resources?.subscribe) {
      throw new McpError('unsupported', 'The server has no resource subscriptions')
    }
    this.#uris.set(uri, (this.#uris.get(uri) ?? 0) + 1)
    try {
      const granted = await orAbort(this.#listening.granted(), signal)
      if (!granted.resourceSubscriptions?.includes(uri)) {
        throw new McpError('unsupported', `The server does not grant a subscription to ${uri}`)
      }
    } catch (thrown) {
      this.#release(uri)
      throw thrown
    }
    let open = true
    const close = () => {
      if (open) this.#release(uri)
      open = false
    }
    return { uri, close, [Symbol.asyncDispose]: async () => close() }
  }

  #release(uri: string): void {
    const count = (this.#uris.get(uri) ?? 0) - 1
    if (count > 0) this.#uris.set(uri, count)
    else this.#uris.delete(uri)
    this.#listening.update()
  }

  #wanted(): SubscriptionFilter {
    const { events } = this.#options
    const filter: SubscriptionFilter = {}
    if (events.has('toolsChanged')) filter.toolsListChanged = true
    if (events.has('promptsChanged')) filter.promptsListChanged = true
    if (events.has('resourcesChanged')) filter.resourcesListChanged = true
    if (this.#uris.size > 0) filter.resourceSubscriptions = [...this.#uris.keys()]
    return filter
  }

  /** Tells listeners what the server says, on whatever stream: some servers report changes on the stream of a call. */
  deliver(notification: Notification): void {
    const { events, onChange } = this.#options
    onChange(notification)
    const { method, params } = notification
    if (method === 'notifications/tools/list_changed') events.emit('toolsChanged', undefined)
    else if (method === 'notifications/prompts/list_changed') events.emit('promptsChanged', undefined)
    else if (method === 'notifications/resources/list_changed') events.emit('resourcesChanged', undefined)
    else if (method === 'notifications/resources/updated') {
      events.emit('resourceUpdated', { uri: String(params?.uri) })
    } else events.emit('notification', notification)
  }
}
