import { toNumber, canonicalJson, type JsonObject } from '../jsonrpc/index.ts'
import { methodFacts } from '../protocol/index.ts'

interface Entry {
  readonly method: string
  readonly uri: unknown
  readonly result: JsonObject
  readonly expires: number
}

export interface CacheSlot {
  readonly found: JsonObject | undefined
  /** Keeps the result, unless a notification has made it stale while it was on its way. */
  store(result: JsonObject): void
}

/** Results that the server lets us reuse (2026-07-28, server/utilities/caching), for one client only. */
export class ResponseCache {
  readonly #entries = new Map<string, Entry>()
  readonly #maxEntries: number
  #invalidations = 0

  constructor(options: { maxEntries?: number } = {}) {
    this.#maxEntries = options.maxEntries ?? 256
  }

  /** Undefined for requests whose results must not be kept: retries of a round, or methods without hints. */
  slot(method: string, params: JsonObject): CacheSlot | undefined {
    if (methodFacts(method)?.cacheable !== true) return undefined
    if (params.inputResponses !== undefined || params.requestState !== undefined) return undefined
    const { _meta, ...relevant } = params
    const key = `${method} ${canonicalJson(relevant)}`
    const started = this.#invalidations
    return {
      found: this.#find(key),
      store: (result) => {
        const ttlMs = toNumber(result.ttlMs) ?? 0
        if (!(ttlMs > 0) || started !== this.#invalidations) return
        this.#keep(key, { method, uri: params.uri, result, expires: Date.now() + ttlMs })
      },
    }
  }

  invalidate(method: string, params: JsonObject | undefined): void {
    const isStale = staleness(method, params)
    if (!isStale) return
    this.#invalidations++
    for (const [key, entry] of this.#entries) if (isStale(entry)) this.#entries.delete(key)
  }

  clear(): void {
    this.#invalidations++
    this.#entries.clear()
  }

  #find(key: string): JsonObject | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    if (Date.now() >= entry.expires) return undefined
    this.#entries.set(key, entry)
    // The caller may change what it gets.
    return structuredClone(entry.result)
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.delete(key)
    this.#entries.set(key, { ...entry, result: structuredClone(entry.result) })
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) break
      this.#entries.delete(oldest)
    }
  }
}

function staleness(method: string, params: JsonObject | undefined): ((entry: Entry) => boolean) | undefined {
  switch (method) {
    case 'notifications/tools/list_changed':
      return (entry) => entry.method === 'tools/list'
    case 'notifications/prompts/list_changed':
      return (entry) => entry.method === 'prompts/list'
    case 'notifications/resources/list_changed':
      return (entry) => entry.method.startsWith('resources/') && entry.method !== 'resources/read'
    case 'notifications/resources/updated': {
      const uri = String(params?.uri)
      // The update may name a part of what was read.
      return (entry) => entry.method === 'resources/read' && uri.startsWith(String(entry.uri))
    }
    default:
      return undefined
  }
}
