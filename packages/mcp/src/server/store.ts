import { requireKnownOptions } from '../protocol/known-options.ts'

/** State that outlives a request. It is in memory by default. With a shared store any replica can finish any call. */
export interface Store {
  get(key: string): Promise<string | undefined>
  set(key: string, value: string, ttlMs: number): Promise<void>
  delete(key: string): Promise<void>
}

interface Item {
  value: string
  expires: number
}

export interface MemoryStoreOptions {
  /** The oldest entry makes room when there are more. Default 10,000. */
  maxEntries?: number
  /** The same for all values together, in characters: clients decide how large some of them are. Default 64 Mi. */
  maxCharacters?: number
}

export class MemoryStore implements Store {
  readonly #items = new Map<string, Item>()
  readonly #maxEntries: number
  readonly #maxCharacters: number
  #characters = 0

  constructor(options: MemoryStoreOptions = {}) {
    requireKnownOptions('store', { maxEntries: 1, maxCharacters: 1 }, options)
    this.#maxEntries = options.maxEntries ?? 10_000
    this.#maxCharacters = options.maxCharacters ?? 64 * 1024 * 1024
  }

  async get(key: string): Promise<string | undefined> {
    const item = this.#items.get(key)
    if (!item) return undefined
    if (item.expires > Date.now()) return item.value
    this.#remove(key)
    return undefined
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    this.#remove(key)
    this.#items.set(key, { value, expires: Date.now() + ttlMs })
    this.#characters += value.length
    if (this.#isFull) this.#evict()
  }

  async delete(key: string): Promise<void> {
    this.#remove(key)
  }

  get #isFull(): boolean {
    return this.#items.size > this.#maxEntries || this.#characters > this.#maxCharacters
  }

  #remove(key: string): void {
    this.#characters -= this.#items.get(key)?.value.length ?? 0
    this.#items.delete(key)
  }

  /** Expired entries first; then the oldest, which a Map yields first. */
  #evict(): void {
    const now = Date.now()
    for (const [key, item] of this.#items) if (item.expires <= now) this.#remove(key)
    for (const key of this.#items.keys()) {
      if (!this.#isFull) return
      this.#remove(key)
    }
  }
}
