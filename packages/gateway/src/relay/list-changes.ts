import type { Exchange } from '@gantry/mcp/exchange'
import type { SubscriptionFilter } from '@gantry/mcp/server'
import type { ListKind } from '../catalog/merged.ts'

type Announced = 'tools' | 'prompts' | 'resources'

/** Clients that listen for changes of the merged lists. */
export class ListChanges {
  readonly #listeners = new Set<{ filter: SubscriptionFilter; exchange: Exchange }>()
  readonly #closing = new Set<() => void>()

  /** Listens until the exchange is aborted or the gateway ends it. */
  listen(exchange: Exchange, filter: SubscriptionFilter): Promise<void> {
    return new Promise((resolve) => {
      const listener = { filter, exchange }
      const end = (): void => {
        this.#listeners.delete(listener)
        this.#closing.delete(end)
        resolve()
      }
      if (exchange.signal.aborted) return end()
      this.#listeners.add(listener)
      exchange.signal.addEventListener('abort', end, { once: true })
      this.#closing.add(end)
    })
  }

  get size(): number {
    return this.#listeners.size
  }

  announce(kinds: ReadonlySet<ListKind>): void {
    const announced = new Set<Announced>(
      [...kinds].map((kind) => (kind === 'templates' ? 'resources' : kind)),
    )
    for (const kind of announced) {
      for (const { filter, exchange } of this.#listeners) {
        if (filter[`${kind}ListChanged`] === true) {
          exchange.notify({ method: `notifications/${kind}/list_changed` })
        }
      }
    }
  }

  close(): void {
    for (const end of [...this.#closing]) end()
  }
}
