import {
  METHOD_NOT_FOUND,
  ProtocolError,
  shapeResult,
  writeJson,
  type Complete,
  type Exchange,
  type JsonObject,
} from '@gantry/mcp/exchange'
import type { ListKind, MergedEntry } from '../catalog/merged.ts'
import { GAPS } from '../catalog/catalog-view.ts'
import { offersUri } from '../catalog/offers-uri.ts'
import { isAllowed } from '../policy/is-allowed.ts'
import { beginAfter, positionOf, readCursor, writeCursor, type Position } from './page-cursor.ts'
import type { RelayOptions } from './relay.ts'

interface ListMethod {
  readonly kind: ListKind
  readonly member: string
  readonly capability: 'tools' | 'prompts' | 'resources'
}

const METHODS: Readonly<Record<string, ListMethod>> = {
  'tools/list': { kind: 'tools', member: 'tools', capability: 'tools' },
  'prompts/list': { kind: 'prompts', member: 'prompts', capability: 'prompts' },
  'resources/list': { kind: 'resources', member: 'resources', capability: 'resources' },
  'resources/templates/list': { kind: 'templates', member: 'resourceTemplates', capability: 'resources' },
}

const MAX_CACHED_PAGES = 256

/** Pages of the merged lists. What everybody sees alike is shaped and serialised once per revision. */
export class Pages {
  readonly #options: RelayOptions
  readonly #texts = new Map<string, Complete>()
  #generation = -1
  #writtenAt = 0

  constructor(options: RelayOptions) {
    this.#options = options
  }

  async page(exchange: Exchange): Promise<Complete> {
    const { catalog } = this.#options
    await catalog.ready()
    if (exchange.method === 'skills/list') return this.#skills(exchange)
    const method = METHODS[exchange.method]!
    if (!catalog.capabilities()[method.capability]) {
      throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${exchange.method}`)
    }
    const after = readCursor(exchange.params.cursor)
    const { policy } = this.#options.model
    if (policy.rules.length > 0 || policy.fallback === 'deny') {
      return { type: 'complete', result: this.#build(method, after, exchange) }
    }
    return this.#cached(method, after, exchange)
  }

  #cached(method: ListMethod, after: Position | undefined, exchange: Exchange): Complete {
    const { catalog } = this.#options
    // Times to live run down, so a page that has one is written anew every second.
    const aged = catalog.caching.ttlMs > 0 && Date.now() > this.#writtenAt + 1000
    if (this.#generation !== catalog.generation || aged) {
      this.#texts.clear()
      this.#generation = catalog.generation
      this.#writtenAt = Date.now()
    }
    const key = JSON.stringify([exchange.method, exchange.client.version, after])
    let page = this.#texts.get(key)
    if (!page) {
      const result = this.#build(method, after, exchange)
      const shaped = shapeResult(exchange.method, result, exchange.client.version, this.#options.info)
      page = { type: 'complete', result, json: writeJson(shaped) }
      // Cursors come from outside: however many are made up, the cache stays small.
      if (this.#texts.size >= MAX_CACHED_PAGES) this.#texts.clear()
      this.#texts.set(key, page)
    }
    return page
  }

  #build(method: ListMethod, after: Position | undefined, exchange: Exchange): JsonObject {
    const { catalog, model } = this.#options
    const entries: MergedEntry[] = []
    for (const entry of catalog.merged[method.kind].values()) {
      if (this.#isVisible(method, entry, exchange)) entries.push(entry)
    }
    const begin = after ? beginAfter(after, entries, catalog.catalogs) : 0
    const end = begin + model.catalog.pageSize
    const shown = entries.slice(begin, end)
    const result: JsonObject = {
      [method.member]: shown.map((entry) => entry.item),
      ...this.#caching(),
    }
    if (end < entries.length) result.nextCursor = writeCursor(positionOf(shown.at(-1)!, entries))
    const gaps = catalog.gaps()
    if (gaps.length > 0) result._meta = { [GAPS]: gaps }
    return result
  }

  /** With rules about who sees what, lists are nobody else's. */
  #caching(): JsonObject {
    const { catalog, model } = this.#options
    const { ttlMs, cacheScope } = catalog.caching
    const ruled = model.policy.rules.length > 0 || model.policy.fallback === 'deny'
    return { ttlMs, cacheScope: ruled ? 'private' : cacheScope }
  }

  #isVisible(method: ListMethod, entry: MergedEntry, exchange: Exchange): boolean {
    const kind = method.kind === 'templates' ? 'resources' : method.kind
    return this.#permits({ kind, target: entry.target.target.name, name: entry.own }, exchange)
  }

  #permits(object: Parameters<typeof isAllowed>[2], exchange: Exchange): boolean {
    return isAllowed(this.#options.model.policy, exchange.auth, object).allowed
  }

  /** Skills are files: who may not read one does not see it either. */
  #skills(exchange: Exchange): Complete {
    const { catalog } = this.#options
    const skills = catalog.catalogs.flatMap((one) => {
      const uris = catalog.urisOf(one)
      const target = one.target.name
      const isVisible = ({ uri }: JsonObject): boolean =>
        typeof uri === 'string' &&
        offersUri(one, uri) &&
        this.#permits({ kind: 'resources', target, name: uri }, exchange)
      return (one.snapshot?.skills ?? []).filter(isVisible).map((skill) => uris.skill(skill))
    })
    return { type: 'complete', result: { skills, ...this.#caching() } }
  }
}
