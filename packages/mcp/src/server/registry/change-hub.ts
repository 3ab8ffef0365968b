import type { Exchange, Notification } from '../../exchange/index.ts'
import { cancellationOf } from '../../exchange/plain-exchange.ts'
import { SERVER_LOGS } from '../../exchange/legacy/server/subscriptions.ts'
import type { SubscriptionFilter } from '../../protocol/index.ts'

interface Listener {
  readonly filter: SubscriptionFilter
  readonly uris: ReadonlySet<string> | undefined
  readonly exchange: Exchange
  end(): void
}

export type ListKind = 'tools' | 'prompts' | 'resources'

/** Everyone who listens for changes, in both eras: legacy sessions listen through their edge. */
export class ChangeHub {
  readonly #listeners = new Set<Listener>()
  readonly #changed = new Set<ListKind>()

  /** Listens until the exchange is aborted or the hub closes; resolves then. */
  listen(exchange: Exchange, granted: SubscriptionFilter): Promise<void> {
    const cancellation = cancellationOf(exchange)
    if (cancellation.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const listener: Listener = {
        filter: granted,
        uris: granted.resourceSubscriptions && new Set(granted.resourceSubscriptions),
        exchange,
        end: () => {
          this.#listeners.delete(listener)
          cancellation.offAbort(listener.end)
          resolve()
        },
      }
      cancellation.onAbort(listener.end)
      this.#listeners.add(listener)
    })
  }

  /** Changes in the same turn are announced as one change, because a client would read the list again for each. */
  listChanged(kind: ListKind): void {
    if (this.#changed.size === 0) queueMicrotask(() => this.tellChanges())
    this.#changed.add(kind)
  }

  /** Tells what has changed by now: a client learns of it before the answer to the call that did it. */
  tellChanges(): void {
    if (this.#changed.size === 0) return
    const changed = [...this.#changed]
    this.#changed.clear()
    for (const kind of changed) this.#tellChange(kind)
  }

  #tellChange(kind: ListKind): void {
    const notification = { method: `notifications/${kind}/list_changed` }
    for (const listener of this.#listeners) {
      if (listener.filter[`${kind}ListChanged`] === true) listener.exchange.notify(notification)
    }
  }

  resourceUpdated(uri: string): void {
    for (const listener of this.#listeners) {
      if (listener.uris?.has(uri)) {
        listener.exchange.notify({ method: 'notifications/resources/updated', params: { uri } })
      }
    }
  }

  /** A log message that belongs to no request: only legacy sessions can get it. */
  log(notification: Notification): void {
    for (const listener of this.#listeners) {
      if (listener.filter[SERVER_LOGS] === true) listener.exchange.notify(notification)
    }
  }

  /** Notifies a legacy session, on the stream that belongs to no request. */
  tellSession(session: string, notification: Notification): void {
    for (const { exchange, filter } of this.#listeners) {
      if (filter[SERVER_LOGS] === true && exchange.session === session) exchange.notify(notification)
    }
  }

  get size(): number {
    return this.#listeners.size
  }

  close(): void {
    for (const listener of [...this.#listeners]) listener.end()
  }
}
