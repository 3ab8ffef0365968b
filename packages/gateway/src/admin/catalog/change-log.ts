import { parseJson } from '@gantry/mcp/foreign'
import type { Rows, Store } from '../../store/index.ts'
import type { CatalogChange, CatalogChanges, EntryKind } from '../contract.ts'

const MAX_CHANGES = 1000
const WRITE_AFTER = 500
/** All changes are in one row. */
export const CHANGES_KEY = 'changes'

/** The history of the targets' lists. It is kept, because the interesting changes come with restarts. */
export class ChangeLog {
  readonly #rows: Rows
  readonly #onError: (error: unknown) => void
  #changes: CatalogChange[] = []
  #next = 1
  readonly #latest = new Map<string, CatalogChange>()
  #timer: NodeJS.Timeout | undefined

  constructor(store: Store, onError: (error: unknown) => void) {
    this.#rows = changeRows(store)
    this.#onError = onError
  }

  async restore(): Promise<void> {
    try {
      const row = await this.#rows.get(CHANGES_KEY)
      const kept = row && parseJson(row.value)
      if (!Array.isArray(kept)) return
      this.#changes = [...kept, ...this.#changes]
      for (const change of this.#changes) this.#latest.set(keyOf(change), change)
      this.#next = Math.max(0, ...this.#changes.map(({ id }) => id)) + 1
    } catch (error) {
      // The log begins anew.
      this.#onError(error)
    }
  }

  get newest(): number {
    return this.#next - 1
  }

  add(changes: readonly Omit<CatalogChange, 'id'>[]): void {
    for (const change of changes) {
      const numbered = { id: this.#next++, ...change }
      this.#changes.push(numbered)
      this.#latest.set(keyOf(numbered), numbered)
    }
    this.#changes = this.#changes.slice(-MAX_CHANGES)
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_AFTER).unref()
  }

  /** Newest first. */
  list({
    since = 0,
    target,
    limit = MAX_CHANGES,
  }: {
    since?: number
    target?: string
    limit?: number
  }): CatalogChanges {
    const wanted = this.#changes.filter(
      (change) => change.id > since && (target === undefined || change.target === target),
    )
    return { changes: wanted.slice(-limit).reverse(), newest: this.newest }
  }

  of(kind: EntryKind, target: string, own: string): CatalogChange[] {
    return this.#changes.filter(
      (change) => change.kind === kind && change.target === target && change.own === own,
    )
  }

  latest(kind: EntryKind, target: string, own: string): CatalogChange | undefined {
    return this.#latest.get(keyOf({ kind, target, own }))
  }

  async flush(): Promise<void> {
    if (!this.#timer) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      await this.#rows.put(CHANGES_KEY, JSON.stringify(this.#changes))
    } catch (error) {
      this.#onError(error)
    }
  }
}

export function changeRows(store: Store): Rows {
  return store.rows({ name: 'catalog-changes', maxValueBytes: 64 * 1024 * 1024 })
}

function keyOf({ kind, target, own }: Pick<CatalogChange, 'kind' | 'target' | 'own'>): string {
  return `${kind}\n${target}\n${own}`
}
