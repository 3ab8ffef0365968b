import { jsonReader, writeJson } from '@gantry/mcp/exchange'
import type { Rows, Store } from '../store/index.ts'
import type { Snapshot } from './fetch-lists.ts'

const readJson = jsonReader('source')

/** The state of a target in an earlier run: its lists, or the reason why it had none. */
export type Kept = { readonly snapshot: Snapshot } | { readonly missing: string }

/** Keeps the last-known lists, so that a restart does not make clients' tools disappear. */
export class CatalogStore {
  readonly #rows: Rows
  readonly #onError: (error: unknown) => void

  constructor(store: Store, onError: (error: unknown) => void) {
    this.#rows = catalogRows(store)
    this.#onError = onError
  }

  async read(target: string): Promise<Kept | undefined> {
    try {
      const row = await this.#rows.get(target)
      return row && readKept(row.value)
    } catch (error) {
      // The lists are fetched from the target instead.
      this.#onError(error)
      return undefined
    }
  }

  /** In the background; the store keeps the order, and is closed after the last write. */
  write(target: string, kept: Kept): void {
    const value = writeJson('snapshot' in kept ? kept.snapshot : kept)
    this.#rows.put(target, value).catch(this.#onError)
  }
}

/** By the names of targets. Lists are as long as their targets make them. */
export function catalogRows(store: Store): Rows {
  return store.rows({ name: 'catalog', maxValueBytes: 64 * 1024 * 1024 })
}

function readKept(text: string): Kept | undefined {
  const kept = readJson(text) as Snapshot | { missing: string }
  if ('missing' in kept) return { missing: String(kept.missing) }
  return Array.isArray(kept.tools) && kept.discovery ? { snapshot: kept } : undefined
}
