import type { Complete, Exchange } from '../../exchange/index.ts'
import { type JsonObject, writeJson } from '../../jsonrpc/index.ts'
import { shapeResult, type Implementation, type Revision } from '../../protocol/index.ts'
import { readCursor, writeCursor } from '../../protocol/encoding.ts'
import type { Entry, Registry } from './registry.ts'
import type { CacheMembers } from '../definitions/server-options.ts'

export interface ListOptions<T> {
  readonly method: string
  readonly member: string
  readonly registry: Registry<T>
  readonly pageSize: number | undefined
  readonly cache: CacheMembers
  readonly serverInfo: Implementation
  infoOf(value: T, exchange: Exchange): unknown
  isRestricted(value: T): boolean
  isVisible(entry: Entry<T>, exchange: Exchange): boolean
  isUniform(): boolean
}

const MAX_CACHED_PAGES = 256
/** Names the last entry sent, so insertions and removals between pages do no harm. */
const CURSOR = /^after:([0-9]{1,15})$/

/** One list method. Pages that are the same for all callers are shaped and serialised once per revision. */
export class ListPages<T> {
  readonly #options: ListOptions<T>
  readonly #texts = new Map<string, Complete>()
  #uniform: boolean | undefined

  constructor(options: ListOptions<T>) {
    this.#options = options
  }

  /** Forgets what was cached; the registry changed. */
  invalidate(): void {
    this.#texts.clear()
    this.#uniform = undefined
  }

  page(exchange: Exchange): Complete {
    const after = Number(readCursor(exchange.params.cursor, CURSOR)?.[1] ?? 0)
    this.#uniform ??=
      this.#options.isUniform() &&
      !this.#options.registry.list().some((entry) => this.#options.isRestricted(entry.value))
    if (!this.#uniform) return { type: 'complete', result: this.#build(after, exchange) }
    const key = `${exchange.client.version} ${after}`
    let cached = this.#texts.get(key)
    if (!cached) {
      cached = this.#serialise(this.#build(after, exchange), exchange.client.version)
      // Cursors come from outside: however many are made up, the cache stays small.
      if (this.#texts.size >= MAX_CACHED_PAGES) this.#texts.clear()
      this.#texts.set(key, cached)
    }
    return cached
  }

  #serialise(result: JsonObject, revision: Revision): Complete {
    const shaped = shapeResult(this.#options.method, result, revision, this.#options.serverInfo)
    return { type: 'complete', result, json: writeJson(shaped) }
  }

  #build(after: number, exchange: Exchange): JsonObject {
    const { registry, pageSize, member, infoOf, isVisible, cache } = this.#options
    const items: unknown[] = []
    let last = after
    let more = false
    for (const entry of registry.list()) {
      if (entry.order <= after || !isVisible(entry, exchange)) continue
      if (pageSize !== undefined && items.length === pageSize) {
        more = true
        break
      }
      items.push(infoOf(entry.value, exchange))
      last = entry.order
    }
    const result: JsonObject = { [member]: items, ...cache }
    if (this.#uniform) result.cacheScope ??= 'public'
    if (more) result.nextCursor = writeCursor(`after:${last}`)
    return result
  }
}
