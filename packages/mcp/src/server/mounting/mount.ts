import type { Exchange, Outcome } from '../../exchange/index.ts'
import type { deriveExchange } from '../../exchange/derive-exchange.ts'
import { PrefixedUris } from '../../exchange/prefixed-uris.ts'
import { INTERNAL_ERROR, isJsonObject, ProtocolError, type JsonObject } from '../../jsonrpc/index.ts'
import type { ServerCapabilities } from '../../protocol/index.ts'
import type { Mountable } from './mountable.ts'

/** The services for mounts, which are loaded apart and so import little. */
export interface MountHost {
  readonly derive: typeof deriveExchange
  /** Whether the server itself has a tool or a prompt of this name. */
  has(kind: 'tools' | 'prompts', name: string): boolean
  report(thrown: unknown, exchange: Exchange): void
}

export type ListMethod = keyof typeof MEMBERS

/** The lists: their members, their capability, and the member that names an entry. */
export const MEMBERS = {
  'tools/list': ['tools', 'tools', 'name'],
  'prompts/list': ['prompts', 'prompts', 'name'],
  'resources/list': ['resources', 'resources', 'uri'],
  'resources/templates/list': ['resourceTemplates', 'resources', 'uriTemplate'],
} as const

const TASKS = 'io.modelcontextprotocol/tasks'
const MOST_PAGES = 1_000
const MOST_ENTRIES = 10_000
const LONGEST_NAME = 128

/** One server behind another, under a prefix. */
export class Mount {
  readonly prefix: string
  readonly uris: PrefixedUris
  readonly #other: Mountable
  readonly #host: MountHost
  #discovered: ServerCapabilities | undefined

  constructor(prefix: string, other: Mountable, host: MountHost) {
    this.prefix = prefix
    this.uris = new PrefixedUris(prefix)
    this.#other = other
    this.#host = host
  }

  /**
   * Its capabilities; empty while it cannot be reached. A server and a connected client have them without a request.
   */
  async capabilities(exchange: Exchange): Promise<ServerCapabilities> {
    const { capabilities, serverCapabilities, respond } = this.#other as {
      capabilities?: ServerCapabilities
      serverCapabilities?: ServerCapabilities
      respond?: unknown
    }
    const known = respond ? capabilities : (serverCapabilities ?? this.#discovered)
    if (known) return known
    const outcome = await this.#try(this.#derived(exchange, { method: 'server/discover', params: {} }))
    this.#discovered = outcome && (outcome.result.capabilities as ServerCapabilities)
    return this.#discovered ?? {}
  }

  /** Answers an exchange that has the names of the other server. */
  async answer(exchange: Exchange): Promise<Outcome> {
    const other = this.#other
    try {
      return await ('respond' in other ? other.respond(exchange) : other.handle(exchange))
    } catch (thrown) {
      if (thrown instanceof ProtocolError || exchange.signal.aborted) throw thrown
      this.#host.report(thrown, exchange)
      throw new ProtocolError(INTERNAL_ERROR, `The server behind "${this.prefix}" does not answer`)
    }
  }

  /** The same for a call, in its own names, with the URIs of its result made public. */
  async pass(exchange: Exchange, params: JsonObject): Promise<Outcome> {
    const outcome = await this.answer(this.#derived(exchange, { params }))
    if (outcome.type === 'complete') {
      return { type: 'complete', result: this.uris.result(exchange.method, outcome.result) }
    }
    if (outcome.type !== 'error') return outcome
    const [own, shown] =
      'name' in params ? [params.name, exchange.params.name] : [params.uri, exchange.params.uri]
    const { message, data } = outcome.error
    const error = { ...outcome.error, message: message.replace(`: ${own}`, `: ${shown}`) }
    if (isJsonObject(data) && data.uri === own) error.data = { ...data, uri: shown }
    return { type: 'error', error }
  }

  /** All mounted entries of a list under their public names, without the server's own. */
  async list(exchange: Exchange, method: ListMethod): Promise<{ items: JsonObject[]; ttlMs: number }> {
    const [member, kind] = MEMBERS[method]
    const items: JsonObject[] = []
    let ttlMs = Number.POSITIVE_INFINITY
    let cursor: unknown
    if (!(await this.capabilities(exchange))[kind]) return { items, ttlMs }
    for (let page = 0; page < MOST_PAGES && items.length < MOST_ENTRIES; page++) {
      const params = cursor === undefined ? {} : { cursor }
      const outcome = await this.#try(this.#derived(exchange, { method, params }))
      if (!outcome) return { items, ttlMs: 0 }
      const { [member]: entries, nextCursor, ttlMs: ttl } = outcome.result
      for (const entry of Array.isArray(entries) ? entries : []) {
        const shown = isJsonObject(entry) && this.#public(entry, method)
        if (shown) items.push(shown)
      }
      ttlMs = Math.min(ttlMs, Number(ttl ?? 0))
      if (nextCursor === undefined || nextCursor === cursor) break
      cursor = nextCursor
    }
    return { items, ttlMs }
  }

  #public(entry: JsonObject, method: ListMethod): JsonObject | undefined {
    const [, kind, key] = MEMBERS[method]
    const own = entry[key]
    if (typeof own !== 'string') return undefined
    if (key !== 'name') return { ...entry, [key]: this.uris.toPublic(own) }
    const name = `${this.prefix}_${own}`
    if (name.length > LONGEST_NAME || this.#host.has(kind as 'tools', name)) return undefined
    return isJsonObject(entry._meta)
      ? { ...entry, name, _meta: this.uris.toolMeta(entry._meta) }
      : { ...entry, name }
  }

  /** Mounted servers run no tasks: their ids would mean nothing here. */
  #derived(exchange: Exchange, changes: { method?: string; params: JsonObject }): Exchange {
    const { [TASKS]: _tasks, ...extensions } = exchange.client.capabilities.extensions ?? {}
    const capabilities = { ...exchange.client.capabilities, extensions }
    const { task: _task, ...params } = changes.params
    const _meta = exchange.params._meta
    return this.#host.derive(exchange, {
      ...changes,
      params: _meta === undefined ? params : { ...params, _meta },
      client: { ...exchange.client, capabilities },
    })
  }

  /** A server that is away takes nothing from the lists of the others. */
  async #try(exchange: Exchange): Promise<(Outcome & { type: 'complete' }) | undefined> {
    try {
      const outcome = await this.answer(exchange)
      return outcome.type === 'complete' ? outcome : undefined
    } catch {
      return undefined
    }
  }
}
