import type { Exchange, Handle, Notification, Outcome } from '../../exchange/index.ts'
import { isJsonObject, METHOD_NOT_FOUND, type JsonObject } from '../../jsonrpc/index.ts'
import type { ServerCapabilities, SubscriptionFilter } from '../../protocol/index.ts'
import { type ListMethod, MEMBERS, Mount, type MountHost } from './mount.ts'
import type { Mountable } from './mountable.ts'

const KINDS = ['tools', 'prompts', 'resources'] as const
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 30_000

/** Joins what is mounted to the server itself: names by prefix, lists behind its own, news from both. */
export class Mounts {
  readonly #mounts = new Map<string, Mount>()
  readonly #host: MountHost

  constructor(host: MountHost) {
    this.#host = host
  }

  add(prefix: string, other: Mountable): void {
    if (!this.#mounts.has(prefix)) this.#mounts.set(prefix, new Mount(prefix, other, this.#host))
  }

  async handle(exchange: Exchange, own: Handle): Promise<Outcome> {
    const { method, params } = exchange
    if (method in MEMBERS) return this.#list(exchange, method as ListMethod, own)
    switch (method) {
      case 'tools/call':
      case 'prompts/get':
        return this.#named(exchange, method === 'tools/call' ? 'tools' : 'prompts', own)
      case 'resources/read': {
        const mount = this.#ofUri(params.uri)
        return mount
          ? mount.pass(exchange, { ...params, uri: mount.uris.toOwn(String(params.uri)) })
          : own(exchange)
      }
      case 'completion/complete':
        return this.#complete(exchange, own)
      case 'server/discover':
        return this.#discover(exchange, own)
      case 'subscriptions/listen':
        return this.#listen(exchange, own)
    }
    return own(exchange)
  }

  /** The capabilities of all mounts together. */
  async capabilities(exchange: Exchange): Promise<ServerCapabilities> {
    const found = await Promise.all([...this.#mounts.values()].map((mount) => mount.capabilities(exchange)))
    const merged: ServerCapabilities = {}
    for (const { tools, prompts, resources, completions } of found) {
      if (completions) merged.completions = {}
      for (const [kind, has] of Object.entries({ tools, prompts, resources })) {
        if (has) merged[kind] = { ...(merged[kind] as object | undefined), ...has }
      }
    }
    return merged
  }

  #ofName(name: unknown, kind: 'tools' | 'prompts'): Mount | undefined {
    if (typeof name !== 'string' || this.#host.has(kind, name)) return undefined
    return this.#mounts.get(name.slice(0, Math.max(0, name.indexOf('_'))))
  }

  #ofUri(uri: unknown): Mount | undefined {
    return typeof uri === 'string' ? [...this.#mounts.values()].find(({ uris }) => uris.owns(uri)) : undefined
  }

  async #named(exchange: Exchange, kind: 'tools' | 'prompts', own: Handle): Promise<Outcome> {
    const { params } = exchange
    const mount = this.#ofName(params.name, kind)
    return mount ? mount.pass(exchange, { ...params, name: ownName(params.name, mount) }) : own(exchange)
  }

  async #complete(exchange: Exchange, own: Handle): Promise<Outcome> {
    const { params } = exchange
    const { ref } = params
    if (!isJsonObject(ref)) return own(exchange)
    const ofName = ref.type === 'ref/prompt' ? this.#ofName(ref.name, 'prompts') : undefined
    if (ofName) return ofName.pass(exchange, { ...params, ref: { ...ref, name: ownName(ref.name, ofName) } })
    const ofUri = this.#ofUri(ref.uri)
    if (!ofUri) return own(exchange)
    return ofUri.pass(exchange, { ...params, ref: { ...ref, uri: ofUri.uris.toOwn(String(ref.uri)) } })
  }

  async #discover(exchange: Exchange, own: Handle): Promise<Outcome> {
    const [outcome, mounted] = await Promise.all([own(exchange), this.capabilities(exchange)])
    if (outcome.type !== 'complete') return outcome
    const capabilities = { ...mounted, ...(outcome.result.capabilities as ServerCapabilities) }
    return { type: 'complete', result: { ...outcome.result, capabilities } }
  }

  /** The server's own entries, page by page, followed by the entries of all mounts. */
  async #list(exchange: Exchange, method: ListMethod, own: Handle): Promise<Outcome> {
    const [member, kind] = MEMBERS[method]
    const page = await own(exchange)
    const isMissing = page.type === 'error' && page.error.code === METHOD_NOT_FOUND
    if (page.type !== 'complete' && !isMissing) return page
    const result: JsonObject = page.type === 'complete' ? page.result : {}
    if (result.nextCursor !== undefined) return page
    if (isMissing && !(await this.capabilities(exchange))[kind]) return page
    const lists = await Promise.all([...this.#mounts.values()].map((mount) => mount.list(exchange, method)))
    const before = Array.isArray(result[member]) ? result[member] : []
    const { cacheScope: _scope, ttlMs = isMissing ? Number.POSITIVE_INFINITY : 0, ...facts } = result
    const ttl = Math.min(Number(ttlMs), ...lists.map((list) => list.ttlMs))
    const items = [...before, ...lists.flatMap((list) => list.items)]
    const merged = { ...facts, [member]: items, ...(Number.isFinite(ttl) && ttl > 0 && { ttlMs: ttl }) }
    return { type: 'complete', result: merged }
  }

  /** Listens at each mount as long as the client listens here. */
  async #listen(exchange: Exchange, own: Handle): Promise<Outcome> {
    const ended = new AbortController()
    const end = (): void => ended.abort('closed')
    exchange.signal.addEventListener('abort', end, { once: true })
    const asked = exchange.params.notifications
    if (isJsonObject(asked)) {
      for (const mount of this.#mounts.values()) void this.#hear(mount, exchange, asked, ended.signal)
    }
    try {
      return await own(exchange)
    } finally {
      exchange.signal.removeEventListener('abort', end)
      end()
    }
  }

  /** A stream that breaks off is opened again. All lists count as changed then. */
  async #hear(mount: Mount, exchange: Exchange, asked: JsonObject, signal: AbortSignal): Promise<void> {
    for (let pause = FIRST_PAUSE; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      const filter = wanted(asked, mount, await mount.capabilities(exchange))
      if (Object.keys(filter).length === 0) return
      const isAgain = pause > FIRST_PAUSE
      const notify = (notification: Notification): void => {
        const isOpened = notification.method === 'notifications/subscriptions/acknowledged'
        for (const news of isOpened ? (isAgain ? changesOf(filter) : []) : [notification]) {
          exchange.notify(toPublic(news, mount))
        }
      }
      const listening = this.#host.derive(exchange, {
        params: { ...exchange.params, notifications: { ...filter } },
        notify,
        cancellation: cancellationOf(signal),
      })
      const outcome = await mount.answer(listening).catch(() => undefined)
      if (outcome?.type === 'error') return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, signal.aborted ? 0 : pause)
        signal.addEventListener('abort', () => [clearTimeout(timer), resolve()], { once: true })
      })
    }
  }
}

function ownName(name: unknown, { prefix }: Mount): string {
  return String(name).slice(prefix.length + 1)
}

/** The part of what a client wants to hear that a mount can tell. */
function wanted(asked: JsonObject, { uris }: Mount, capabilities: ServerCapabilities): SubscriptionFilter {
  const filter: SubscriptionFilter = {}
  for (const kind of KINDS) {
    if (asked[`${kind}ListChanged`] === true && capabilities[kind]?.listChanged)
      filter[`${kind}ListChanged`] = true
  }
  const all = Array.isArray(asked.resourceSubscriptions) ? asked.resourceSubscriptions : []
  const own = all.filter((uri) => typeof uri === 'string' && uris.owns(uri)).map((uri) => uris.toOwn(uri))
  if (own.length > 0) filter.resourceSubscriptions = own
  return filter
}

function changesOf(filter: SubscriptionFilter): Notification[] {
  const lists = KINDS.filter((kind) => filter[`${kind}ListChanged`] === true)
  return [
    ...lists.map((kind) => ({ method: `notifications/${kind}/list_changed` })),
    ...(filter.resourceSubscriptions ?? []).map((uri) => ({
      method: 'notifications/resources/updated',
      params: { uri },
    })),
  ]
}

function toPublic(notification: Notification, { uris }: Mount): Notification {
  const uri = notification.params?.uri
  if (notification.method !== 'notifications/resources/updated' || typeof uri !== 'string')
    return notification
  return { ...notification, params: { ...notification.params, uri: uris.toPublic(uri) } }
}

function cancellationOf(signal: AbortSignal): NonNullable<Exchange['cancellation']> {
  return {
    get aborted() {
      return signal.aborted
    },
    get reason() {
      return signal.reason
    },
    signal,
    onAbort: (listener) => signal.addEventListener('abort', listener, { once: true }),
    offAbort: (listener) => signal.removeEventListener('abort', listener),
  }
}
