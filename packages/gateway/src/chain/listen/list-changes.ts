import type { Exchange } from '@gantry/mcp/exchange'
import type { SubscriptionFilter } from '@gantry/mcp/server'
import type { ListChangeSet } from '../../catalog/endpoint-catalog.ts'
import type { ListKind } from '../../catalog/merged.ts'
import type { CallerCatalog } from '../policy/caller-catalog.ts'

const KINDS = ['tools', 'prompts', 'resources', 'templates'] as const

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

  /** Tells the listeners that may see one of the changed entries. */
  announce(changes: ListChangeSet, visibleTo: (caller: Exchange) => CallerCatalog): void {
    this.#tell((exchange) => {
      const visible = visibleTo(exchange)
      return [...changes].flatMap(([kind, entries]) =>
        visible.isOpen || entries.some((entry) => visible.lists(kind, entry)) ? [kind] : [],
      )
    })
  }

  /** Tells the listeners whose lists the new rules have changed. */
  review(before: (caller: Exchange) => CallerCatalog, after: (caller: Exchange) => CallerCatalog): void {
    this.#tell((exchange) => {
      const keysOf = (visible: CallerCatalog, kind: ListKind): string =>
        JSON.stringify(visible.entries(kind).map(({ key }) => key))
      const [old, now] = [before(exchange), after(exchange)]
      return KINDS.filter((kind) => keysOf(old, kind) !== keysOf(now, kind))
    })
  }

  #tell(changedFor: (caller: Exchange) => readonly ListKind[]): void {
    for (const { filter, exchange } of this.#listeners) {
      const kinds = changedFor(exchange).map((kind) => (kind === 'templates' ? 'resources' : kind))
      for (const kind of new Set(kinds)) {
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
