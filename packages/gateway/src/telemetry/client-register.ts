import { isModern, principalKey, type ClientFacts, type Exchange, type Principal } from '@gantry/mcp/exchange'
import { ClientTag } from './client-tag.ts'

/** Somebody who sends requests: a session, or whatever modern requests have in common. */
export interface KnownClient {
  readonly key: string
  readonly session: string | undefined
  readonly principal: Principal | undefined
  /** `http` when requests carry headers; otherwise the client is on a pipe, or in this process. */
  readonly reach: 'http' | 'pipe' | 'playground'
  client: ClientFacts
  readonly since: number
  lastSeen: number
  requests: number
}

const MAX_CLIENTS = 1000
/** Modern methods, which no legacy client knows. */
const OF_THE_EDGE: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen'])

/** Counts the requests of each client, in a fixed amount of memory. */
export class ClientRegister {
  readonly #clients = new Map<string, KnownClient>()

  seen(exchange: Exchange): void {
    const { session, client, auth } = exchange
    // What the edge asks for itself when a session begins; the client would be there twice.
    if (session === undefined && !isModern(client.version) && OF_THE_EDGE.has(exchange.method)) return
    const key = session ?? keyOf(client, auth?.principal)
    const known = this.#clients.get(key)
    if (known) {
      known.requests++
      known.lastSeen = Date.now()
      known.client = client
      return
    }
    if (this.#clients.size >= MAX_CLIENTS) this.#forgetOldest()
    const now = Date.now()
    const reach = ClientTag.of(exchange.serverContext) ? 'playground' : exchange.headers ? 'http' : 'pipe'
    const principal = auth?.principal
    this.#clients.set(key, {
      key,
      session,
      principal,
      reach,
      client,
      since: now,
      lastSeen: now,
      requests: 1,
    })
  }

  #forgetOldest(): void {
    let oldest: KnownClient | undefined
    for (const client of this.#clients.values()) {
      if (!oldest || client.lastSeen < oldest.lastSeen) oldest = client
    }
    if (oldest) this.#clients.delete(oldest.key)
  }

  get(key: string): KnownClient | undefined {
    return this.#clients.get(key)
  }

  values(): Iterable<KnownClient> {
    return this.#clients.values()
  }

  forget(key: string): void {
    this.#clients.delete(key)
  }
}

function keyOf({ info, version }: ClientFacts, principal: Principal | undefined): string {
  return `${principalKey(principal)}\n${info?.name ?? ''}\n${info?.version ?? ''}\n${version}`
}
