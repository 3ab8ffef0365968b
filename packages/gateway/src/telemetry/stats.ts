import { isModern, principalKey, type ClientFacts, type Exchange, type Principal } from '@gantry/mcp/exchange'

export interface StatsSummary {
  readonly calls: number
  readonly errors: number
  readonly p50: number | undefined
  readonly p95: number | undefined
  /** Calls and errors in ten-second buckets, oldest first. */
  readonly traffic: readonly { at: number; calls: number; errors: number }[]
}

/** Upper bounds of the histogram, in milliseconds; one more bucket has everything beyond. */
export const DURATION_BOUNDS: readonly number[] = [
  1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000,
]

/** Everything since the start, for those who keep history themselves. */
export interface StatsTotals {
  readonly calls: number
  readonly errors: number
  readonly durationMs: number
  /** How many calls took no longer than each of `DURATION_BOUNDS`, but longer than the one before. */
  readonly durations: readonly number[]
}

const SAMPLES = 512
const BUCKET = 10_000
const BUCKETS = 60

/** Counts, recent latencies and a ten-minute chart, in a fixed amount of memory. */
export class Stats {
  #calls = 0
  #errors = 0
  readonly #durations = new Float64Array(SAMPLES)
  readonly #bucketCalls = new Uint32Array(BUCKETS)
  readonly #bucketErrors = new Uint32Array(BUCKETS)
  #bucket = 0
  #durationMs = 0
  readonly #histogram = new Float64Array(DURATION_BOUNDS.length + 1)

  add(durationMs: number, failed: boolean): void {
    this.#durations[this.#calls % SAMPLES] = durationMs
    this.#calls++
    this.#durationMs += durationMs
    let bound = 0
    while (bound < DURATION_BOUNDS.length && durationMs > DURATION_BOUNDS[bound]!) bound++
    this.#histogram[bound]!++
    const slot = this.#advance() % BUCKETS
    this.#bucketCalls[slot]!++
    if (!failed) return
    this.#errors++
    this.#bucketErrors[slot]!++
  }

  /** Clears the buckets that time has passed since the last call. */
  #advance(): number {
    const now = Math.floor(Date.now() / BUCKET)
    if (now !== this.#bucket) {
      const from = Math.max(this.#bucket + 1, now - BUCKETS + 1)
      for (let bucket = from; bucket <= now; bucket++) {
        this.#bucketCalls[bucket % BUCKETS] = 0
        this.#bucketErrors[bucket % BUCKETS] = 0
      }
      this.#bucket = now
    }
    return now
  }

  totals(): StatsTotals {
    const durations = [...this.#histogram]
    return { calls: this.#calls, errors: this.#errors, durationMs: this.#durationMs, durations }
  }

  summary(): StatsSummary {
    const now = this.#advance()
    const known = this.#durations.slice(0, Math.min(this.#calls, SAMPLES)).sort()
    const at = (share: number): number | undefined => known[Math.floor(known.length * share)]
    const traffic = Array.from({ length: BUCKETS }, (_, index) => {
      const bucket = now - BUCKETS + 1 + index
      const slot = bucket % BUCKETS
      return { at: bucket * BUCKET, calls: this.#bucketCalls[slot]!, errors: this.#bucketErrors[slot]! }
    })
    return { calls: this.#calls, errors: this.#errors, p50: at(0.5), p95: at(0.95), traffic }
  }
}

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

  seen(exchange: Exchange, isPlayground: boolean): void {
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
    const reach = isPlayground ? 'playground' : exchange.headers ? 'http' : 'pipe'
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
