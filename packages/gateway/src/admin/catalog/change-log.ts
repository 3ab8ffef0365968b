import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeFileAtomic } from '../../config/index.ts'
import { readSmallFile } from '../../model/index.ts'
import type { CatalogChange, CatalogChanges, EntryKind } from '../contract.ts'

const MAX_CHANGES = 1000
const WRITE_AFTER = 500

/** What targets' lists became, over time; kept in a file, because the interesting changes come with restarts. */
export class ChangeLog {
  readonly #file: string
  readonly #onError: (error: unknown) => void
  #changes: CatalogChange[] = []
  #next = 1
  readonly #latest = new Map<string, CatalogChange>()
  #timer: NodeJS.Timeout | undefined

  constructor(file: string, onError: (error: unknown) => void) {
    this.#file = file
    this.#onError = onError
  }

  async restore(): Promise<void> {
    try {
      const kept = JSON.parse(await readSmallFile(this.#file)) as CatalogChange[]
      if (!Array.isArray(kept)) return
      this.#changes = [...kept, ...this.#changes]
      for (const change of this.#changes) this.#latest.set(keyOf(change), change)
      this.#next = Math.max(0, ...this.#changes.map(({ id }) => id)) + 1
    } catch {
      // No file, or one of another version: the log begins anew.
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
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
      await writeFileAtomic(this.#file, JSON.stringify(this.#changes), { mode: 0o600 })
    } catch (error) {
      this.#onError(error)
    }
  }
}

function keyOf({ kind, target, own }: Pick<CatalogChange, 'kind' | 'target' | 'own'>): string {
  return `${kind}\n${target}\n${own}`
}
