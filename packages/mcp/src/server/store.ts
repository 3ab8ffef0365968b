/** State that outlives a request. Memory by default; a shared one lets any replica finish any call. */
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
  /** The oldest entry makes room when there are more. */
  maxEntries?: number
}

export class MemoryStore implements Store {
  readonly #items = new Map<string, Item>()
  readonly #maxEntries: number

  constructor(options: MemoryStoreOptions = {}) {
    this.#maxEntries = options.maxEntries ?? 10_000
  }

  async get(key: string): Promise<string | undefined> {
    const item = this.#items.get(key)
    if (!item) return undefined
    if (item.expires > Date.now()) return item.value
    this.#items.delete(key)
    return undefined
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    this.#items.delete(key)
    this.#items.set(key, { value, expires: Date.now() + ttlMs })
    if (this.#items.size > this.#maxEntries) this.#evict()
  }

  async delete(key: string): Promise<void> {
    this.#items.delete(key)
  }

  /** Expired entries first; then the oldest, which a Map yields first. */
  #evict(): void {
    const now = Date.now()
    for (const [key, item] of this.#items) if (item.expires <= now) this.#items.delete(key)
    for (const key of this.#items.keys()) {
      if (this.#items.size <= this.#maxEntries) return
      this.#items.delete(key)
    }
  }
}
