import { McpError } from '../../jsonrpc/index.ts'

/** One registered thing. `order` never changes, so cursors survive insertions and removals. */
export interface Entry<T> {
  readonly key: string
  readonly order: number
  value: T
  enabled: boolean
  /** Changes the entry. The type of its options is known to code that asks for it by name. */
  registration?: Registration<never>
}

export interface Registration<Options> {
  update(changes: Partial<Options>): void
  remove(): void
  enable(): void
  disable(): void
}

/** An ordered set of definitions by key. A `Map`, so that `constructor` and `__proto__` are ordinary names. */
export class Registry<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #kind: string
  readonly #changed: () => void
  #nextOrder = 1
  #list: readonly Entry<T>[] | undefined

  constructor(kind: string, changed: () => void) {
    this.#kind = kind
    this.#changed = changed
  }

  get size(): number {
    return this.#entries.size
  }

  add(key: string, value: T): Entry<T> {
    if (this.#entries.has(key)) {
      throw new McpError('invalid_definition', `There is already a ${this.#kind} called "${key}"`)
    }
    const entry: Entry<T> = { key, value, order: this.#nextOrder++, enabled: true }
    this.#entries.set(key, entry)
    this.#touch()
    return entry
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    return entry?.enabled ? entry.value : undefined
  }

  registration(key: string): Registration<never> | undefined {
    return this.#entries.get(key)?.registration
  }

  holds(entry: Entry<T>): boolean {
    return this.#entries.get(entry.key) === entry
  }

  replace(entry: Entry<T>, value: T): void {
    entry.value = value
    this.#touch()
  }

  setEnabled(entry: Entry<T>, enabled: boolean): void {
    if (entry.enabled === enabled || !this.holds(entry)) return
    entry.enabled = enabled
    this.#touch()
  }

  remove(key: string): boolean {
    const removed = this.#entries.delete(key)
    if (removed) this.#touch()
    return removed
  }

  list(): readonly Entry<T>[] {
    this.#list ??= [...this.#entries.values()].filter((entry) => entry.enabled)
    return this.#list
  }

  #touch(): void {
    this.#list = undefined
    this.#changed()
  }
}
