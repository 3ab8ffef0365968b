import {
  shapeResult,
  writeJson,
  type Complete,
  type Exchange,
  type JsonObject,
  INVALID_PARAMS,
  ProtocolError,
} from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { ListKind, MergedEntry } from '../../catalog/merged.ts'
import { GAPS, type EndpointCatalog } from '../../catalog/endpoint-catalog.ts'
import { methodNotFound } from '../absent.ts'
import type { CallerCatalog } from '../policy/caller-catalog.ts'
import { withoutDenied } from '../policy/permitted-result.ts'
import type { ShowEntry } from '../results/listed-resources.ts'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'

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

export interface CatalogPagesOptions {
  readonly catalog: EndpointCatalog
  readonly info: Implementation
  readonly pageSize: number
  /** What callers see of an entry of a list of resources. */
  readonly show: ShowEntry
}

const MAX_CACHED_PAGES = 256

/** Pages of the merged lists. What all callers see alike is shaped and serialised once per revision. */
export class CatalogPages {
  readonly #options: CatalogPagesOptions
  readonly #texts = new Map<string, Complete>()
  #generation = -1
  #writtenAt = 0

  constructor(options: CatalogPagesOptions) {
    this.#options = options
  }

  async page(exchange: Exchange, visible: CallerCatalog): Promise<Complete> {
    await visible.current()
    if (exchange.method === 'skills/list') return visible.together(() => this.#skills(visible))
    const method = METHODS[exchange.method]!
    if (!visible.capabilities()[method.capability]) {
      throw methodNotFound(exchange.method)
    }
    const after = readCursor(exchange.params.cursor)
    if (!visible.isOpen) return { type: 'complete', result: this.#build(method, after, visible) }
    return this.#cached(method, after, exchange, visible)
  }

  #cached(
    method: ListMethod,
    after: Position | undefined,
    exchange: Exchange,
    visible: CallerCatalog,
  ): Complete {
    const { catalog } = this.#options
    // A time to live runs down, so a page that contains one is written anew every second.
    const aged = visible.caching().ttlMs > 0 && Date.now() > this.#writtenAt + 1000
    if (this.#generation !== catalog.generation || aged) {
      this.#texts.clear()
      this.#generation = catalog.generation
      this.#writtenAt = Date.now()
    }
    const key = JSON.stringify([exchange.method, exchange.client.version, after])
    let page = this.#texts.get(key)
    if (!page) {
      const result = this.#build(method, after, visible)
      const shaped = shapeResult(exchange.method, result, exchange.client.version, this.#options.info)
      page = { type: 'complete', result, json: writeJson(shaped) }
      // Cursors come from outside: however many are made up, the cache stays small.
      if (this.#texts.size >= MAX_CACHED_PAGES) this.#texts.clear()
      this.#texts.set(key, page)
    }
    return page
  }

  #build(method: ListMethod, after: Position | undefined, visible: CallerCatalog): JsonObject {
    const entries: MergedEntry[] = visible.entries(method.kind)
    const begin = after ? beginAfter(after, entries, visible.catalogs) : 0
    const end = begin + this.#options.pageSize
    const shown = entries.slice(begin, end)
    const { show } = this.#options
    const items = shown.flatMap(
      (entry) => (method.capability === 'resources' ? show(entry) : entry.item) ?? [],
    )
    const result: JsonObject = { [method.member]: items, ...visible.caching() }
    if (end < entries.length) result.nextCursor = writeCursor(positionOf(shown.at(-1)!, entries))
    const gaps = visible.gaps()
    if (gaps.length > 0) result._meta = { [GAPS]: gaps }
    return result
  }

  /** Skills are files: a caller that may not read one does not see it either. */
  #skills(visible: CallerCatalog): Complete {
    const { catalog } = this.#options
    const skills = visible.catalogs.flatMap((one) => {
      const uris = catalog.urisOf(one)
      const maySee = (uri: string): boolean => visible.maySee('resources', one, uri)
      const isVisible = ({ uri }: JsonObject): boolean => typeof uri === 'string' && maySee(uri)
      return (one.snapshot?.skills ?? [])
        .filter(isVisible)
        .map((skill) => uris.skill(withoutDenied(skill, 'resources', maySee)))
    })
    return { type: 'complete', result: { skills, ...visible.caching() } }
  }
}

/** The last entry of a page: its name, whose it is, and how many of its target's stand in front of it. */
export interface Position {
  readonly ordinal: number
  readonly target: string
  readonly key: string
}

export function positionOf(entry: MergedEntry, entries: readonly MergedEntry[]): Position {
  const first = entries.findIndex(({ target }) => target === entry.target)
  return { ordinal: entries.indexOf(entry) - first, target: entry.target.target.name, key: entry.key }
}

/** Where the next page begins: after the entry seen last, or, when it is gone, after as many entries. */
export function beginAfter(
  { ordinal, target, key }: Position,
  entries: readonly MergedEntry[],
  catalogs: readonly TargetCatalog[],
): number {
  const seen = entries.findIndex((entry) => entry.key === key)
  if (seen >= 0) return seen + 1
  const place = catalogs.findIndex((one) => one.target.name === target)
  // Without its target nothing says how far the client had come.
  if (place < 0) throw unknownCursor()
  const before = countOf(entries, new Set(catalogs.slice(0, place)))
  const own = countOf(entries, new Set([catalogs[place]!]))
  return before + Math.min(ordinal, own)
}

function countOf(entries: readonly MergedEntry[], catalogs: ReadonlySet<TargetCatalog>): number {
  return entries.filter((entry) => catalogs.has(entry.target)).length
}

export function writeCursor({ ordinal, target, key }: Position): string {
  return Buffer.from(`${ordinal}/${target}/${key}`).toString('base64url')
}

/** Names of targets hold no "/". */
export function readCursor(cursor: unknown): Position | undefined {
  if (cursor === undefined) return undefined
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : ''
  const [, ordinal, target, key] = /^(\d{1,9})\/([^/]+)\/(.+)$/s.exec(text) ?? []
  if (target === undefined || key === undefined) throw unknownCursor()
  return { ordinal: Number(ordinal), target, key }
}

function unknownCursor(): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, 'Invalid params: unknown cursor')
}
