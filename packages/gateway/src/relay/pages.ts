import {
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  ProtocolError,
  shapeResult,
  type Complete,
  type Exchange,
  type JsonObject,
} from '@gantry/mcp/exchange'
import type { ListKind, MergedEntry } from '../catalog/merged.ts'
import { GAPS } from '../catalog/catalog-view.ts'
import { PublicUris } from '../catalog/public-uris.ts'
import { isAllowed } from '../policy/is-allowed.ts'
import { subjectOf } from '../policy/subject-of.ts'
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
    if (exchange.method === 'skills/list') return this.#skills()
    const method = METHODS[exchange.method]!
    if (!catalog.capabilities()[method.capability]) {
      throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${exchange.method}`)
    }
    const offset = readCursor(exchange.params.cursor)
    const { policy } = this.#options.model
    if (policy.rules.length > 0 || policy.fallback === 'deny') {
      return { type: 'complete', result: this.#build(method, offset, exchange) }
    }
    return this.#cached(method, offset, exchange)
  }

  #cached(method: ListMethod, offset: number, exchange: Exchange): Complete {
    const { catalog } = this.#options
    // Times to live run down, so a page that has one is written anew every second.
    const aged = catalog.caching.ttlMs > 0 && Date.now() > this.#writtenAt + 1000
    if (this.#generation !== catalog.generation || aged) {
      this.#texts.clear()
      this.#generation = catalog.generation
      this.#writtenAt = Date.now()
    }
    const key = `${exchange.method} ${exchange.client.version} ${offset}`
    let page = this.#texts.get(key)
    if (!page) {
      const result = this.#build(method, offset, exchange)
      const shaped = shapeResult(exchange.method, result, exchange.client.version, this.#options.info)
      page = { type: 'complete', result, json: JSON.stringify(shaped) }
      this.#texts.set(key, page)
    }
    return page
  }

  #build(method: ListMethod, offset: number, exchange: Exchange): JsonObject {
    const { catalog, model } = this.#options
    const entries: MergedEntry[] = []
    for (const entry of catalog.merged[method.kind].values()) {
      if (this.#isVisible(method, entry, exchange)) entries.push(entry)
    }
    const { pageSize } = model.catalog
    const result: JsonObject = {
      [method.member]: entries.slice(offset, offset + pageSize).map((entry) => entry.item),
      ...this.#caching(),
    }
    if (offset + pageSize < entries.length) result.nextCursor = writeCursor(offset + pageSize)
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
    const { policy } = this.#options.model
    const object = { kind, target: entry.target.target.name, name: entry.own } as const
    return isAllowed(policy, subjectOf(exchange), object).allowed
  }

  #skills(): Complete {
    const { catalog } = this.#options
    const skills = catalog.catalogs.flatMap((one) => {
      const uris = new PublicUris(catalog.prefixOf(one))
      return (one.snapshot?.skills ?? []).map((skill) => uris.skill(skill))
    })
    return { type: 'complete', result: { skills, ...this.#caching() } }
  }
}

function writeCursor(offset: number): string {
  return Buffer.from(`at:${offset}`).toString('base64url')
}

function readCursor(cursor: unknown): number {
  if (cursor === undefined) return 0
  const found =
    typeof cursor === 'string' && /^at:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString())
  if (!found) throw new ProtocolError(INVALID_PARAMS, 'Invalid params: unknown cursor')
  return Number(found[1])
}
