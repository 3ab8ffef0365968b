import { shapeResult, writeJson, type Complete, type Exchange, type JsonObject } from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { ListKind, MergedEntry } from '../../catalog/merged.ts'
import { GAPS, type CatalogView } from '../../catalog/catalog-view.ts'
import { methodNotFound } from '../absent.ts'
import type { CallerView } from '../policy/caller-view.ts'
import { withoutDenied } from '../policy/permitted-result.ts'
import { beginAfter, positionOf, readCursor, writeCursor, type Position } from './page-cursor.ts'

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

export interface PagesOptions {
  readonly catalog: CatalogView
  readonly info: Implementation
  readonly pageSize: number
}

const MAX_CACHED_PAGES = 256

/** Pages of the merged lists. What everybody sees alike is shaped and serialised once per revision. */
export class Pages {
  readonly #options: PagesOptions
  readonly #texts = new Map<string, Complete>()
  #generation = -1
  #writtenAt = 0

  constructor(options: PagesOptions) {
    this.#options = options
  }

  async page(exchange: Exchange, view: CallerView): Promise<Complete> {
    await view.current()
    if (exchange.method === 'skills/list') return this.#skills(view)
    const method = METHODS[exchange.method]!
    if (!view.capabilities()[method.capability]) {
      throw methodNotFound(exchange.method)
    }
    const after = readCursor(exchange.params.cursor)
    if (!view.isOpen) return { type: 'complete', result: this.#build(method, after, view) }
    return this.#cached(method, after, exchange, view)
  }

  #cached(method: ListMethod, after: Position | undefined, exchange: Exchange, view: CallerView): Complete {
    const { catalog } = this.#options
    // Times to live run down, so a page that has one is written anew every second.
    const aged = view.caching().ttlMs > 0 && Date.now() > this.#writtenAt + 1000
    if (this.#generation !== catalog.generation || aged) {
      this.#texts.clear()
      this.#generation = catalog.generation
      this.#writtenAt = Date.now()
    }
    const key = JSON.stringify([exchange.method, exchange.client.version, after])
    let page = this.#texts.get(key)
    if (!page) {
      const result = this.#build(method, after, view)
      const shaped = shapeResult(exchange.method, result, exchange.client.version, this.#options.info)
      page = { type: 'complete', result, json: writeJson(shaped) }
      // Cursors come from outside: however many are made up, the cache stays small.
      if (this.#texts.size >= MAX_CACHED_PAGES) this.#texts.clear()
      this.#texts.set(key, page)
    }
    return page
  }

  #build(method: ListMethod, after: Position | undefined, view: CallerView): JsonObject {
    const entries: MergedEntry[] = view.entries(method.kind)
    const begin = after ? beginAfter(after, entries, view.catalogs) : 0
    const end = begin + this.#options.pageSize
    const shown = entries.slice(begin, end)
    const result: JsonObject = { [method.member]: shown.map((entry) => entry.item), ...view.caching() }
    if (end < entries.length) result.nextCursor = writeCursor(positionOf(shown.at(-1)!, entries))
    const gaps = view.gaps()
    if (gaps.length > 0) result._meta = { [GAPS]: gaps }
    return result
  }

  /** Skills are files: a caller that may not read one does not see it either. */
  #skills(view: CallerView): Complete {
    const { catalog } = this.#options
    const skills = view.catalogs.flatMap((one) => {
      const uris = catalog.urisOf(one)
      const maySee = (uri: string): boolean => view.maySee('resources', one, uri)
      const isVisible = ({ uri }: JsonObject): boolean => typeof uri === 'string' && maySee(uri)
      return (one.snapshot?.skills ?? [])
        .filter(isVisible)
        .map((skill) => uris.skill(withoutDenied(skill, 'resources', maySee)))
    })
    return { type: 'complete', result: { skills, ...view.caching() } }
  }
}
