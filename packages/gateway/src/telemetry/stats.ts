import {
  isMethodInRevision,
  principalKey,
  samePrincipal,
  type ClientFacts,
  type Exchange,
  type InputRequests,
  type InputRequired,
  type JsonObject,
  type Principal,
} from '@gantry/mcp/exchange'
import { cutText } from '@gantry/mcp/foreign'

export interface StatsSummary {
  readonly calls: number
  readonly errors: number
  readonly p50: number | undefined
  readonly p95: number | undefined
  /** Calls and errors in ten-second buckets, oldest first. */
  readonly traffic: readonly LoadBucket[]
}

/** Upper bounds of the histogram, in milliseconds; one more bucket has everything beyond. */
export const DURATION_BOUNDS: readonly number[] = [
  1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000,
]

/** Everything since the start, for systems that keep the history themselves. */
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

/** Calls in one span of time. */
export interface LoadBucket {
  readonly at: number
  readonly calls: number
  readonly errors: number
}

/** Counts calls and errors in spans of equal length, the last ones only, in a fixed amount of memory. */
export class TimeBuckets {
  readonly span: number
  readonly #count: number
  readonly #calls: Uint32Array
  readonly #errors: Uint32Array
  #newest = 0

  constructor(span: number, count: number) {
    this.span = span
    this.#count = count
    this.#calls = new Uint32Array(count)
    this.#errors = new Uint32Array(count)
  }

  add(failed: boolean, now: number): void {
    const slot = this.#advance(now) % this.#count
    this.#calls[slot]!++
    if (failed) this.#errors[slot]!++
  }

  /** Clears the buckets that time has passed since the last call. */
  #advance(now: number): number {
    const current = Math.floor(now / this.span)
    if (current === this.#newest) return current
    const from = Math.max(this.#newest + 1, current - this.#count + 1)
    for (let bucket = from; bucket <= current; bucket++) {
      this.#calls[bucket % this.#count] = 0
      this.#errors[bucket % this.#count] = 0
    }
    this.#newest = current
    return current
  }

  /** Oldest first. */
  list(now: number): LoadBucket[] {
    const first = this.#advance(now) - this.#count + 1
    return Array.from({ length: this.#count }, (_, index) => {
      const slot = (first + index) % this.#count
      return { at: (first + index) * this.span, calls: this.#calls[slot]!, errors: this.#errors[slot]! }
    })
  }
}

/** Counts, recent latencies and a ten-minute chart, in a fixed amount of memory. */
export class Stats {
  #calls = 0
  #errors = 0
  readonly #durations = new Float64Array(SAMPLES)
  readonly #traffic = new TimeBuckets(BUCKET, BUCKETS)
  #durationMs = 0
  readonly #histogram = new Float64Array(DURATION_BOUNDS.length + 1)

  add(durationMs: number, failed: boolean): void {
    this.#durations[this.#calls % SAMPLES] = durationMs
    this.#calls++
    this.#durationMs += durationMs
    let bound = 0
    while (bound < DURATION_BOUNDS.length && durationMs > DURATION_BOUNDS[bound]!) bound++
    this.#histogram[bound]!++
    if (failed) this.#errors++
    this.#traffic.add(failed, Date.now())
  }

  totals(): StatsTotals {
    const durations = [...this.#histogram]
    return { calls: this.#calls, errors: this.#errors, durationMs: this.#durationMs, durations }
  }

  summary(): StatsSummary {
    const known = this.#durations.slice(0, Math.min(this.#calls, SAMPLES)).sort()
    const at = (share: number): number | undefined => known[Math.floor(known.length * share)]
    const traffic = this.#traffic.list(Date.now())
    return { calls: this.#calls, errors: this.#errors, p50: at(0.5), p95: at(0.95), traffic }
  }
}

const MINUTE = 60_000
const EVERYTHING = ''

interface Ranges {
  readonly hour: TimeBuckets
  readonly day: TimeBuckets
}

/** The load of the last hour and of the last day, in all and for each target. */
export class LoadHistory {
  readonly #ranges = new Map<string, Ranges>()

  add(target: string | undefined, failed: boolean): void {
    const now = Date.now()
    this.#add(EVERYTHING, failed, now)
    if (target !== undefined) this.#add(target, failed, now)
  }

  #add(name: string, failed: boolean, now: number): void {
    const { hour, day } = this.#rangesOf(name)
    hour.add(failed, now)
    day.add(failed, now)
  }

  #rangesOf(name: string): Ranges {
    let ranges = this.#ranges.get(name)
    if (!ranges) {
      ranges = { hour: new TimeBuckets(MINUTE, 60), day: new TimeBuckets(15 * MINUTE, 96) }
      this.#ranges.set(name, ranges)
    }
    return ranges
  }

  /** Without a target: all of them together. */
  of(range: keyof Ranges, target: string = EVERYTHING): LoadBucket[] {
    return this.#rangesOf(target)[range].list(Date.now())
  }
}

/** What records say of a client. Those of the same client share it. */
export interface ClientNames {
  readonly name: string | undefined
  readonly version: string
  readonly session: string | undefined
  readonly principal: Principal | undefined
}

/** A sender of requests: a session, or modern requests with the same client and principal. */
export interface KnownClient {
  readonly key: string
  readonly session: string | undefined
  readonly principal: Principal | undefined
  /** `http` when requests carry headers; otherwise the client is on a pipe, or in this process. */
  readonly reach: 'http' | 'pipe' | 'playground'
  /** Without what is too long to be kept. */
  client: ClientFacts
  factsAt: number
  readonly since: number
  lastSeen: number
  requests: number
  names: ClientNames
}

const MAX_CLIENTS = 1000
/** How old may be what is known of a client's capabilities, in milliseconds. */
const FACTS_FOR = 1000
/** About how many characters of JSON they may have. */
const MOST_FACTS = 16 * 1024

/** Counts the requests of each client, in a fixed amount of memory. */
export class ClientRegister {
  readonly #clients = new Map<string, KnownClient>()

  seen(exchange: Exchange, isPlayground: boolean): ClientNames {
    const { session, client, auth } = exchange
    // A method that the client's revision lacks comes from the edge, when a session begins. The client has a session then.
    if (session === undefined && !isMethodInRevision(exchange.method, client.version))
      return namesOf(exchange)
    const key = session ?? keyOf(client, auth?.principal)
    const known = this.#clients.get(key)
    const now = Date.now()
    if (known) {
      known.requests++
      known.lastSeen = now
      if (now - known.factsAt > FACTS_FOR) {
        known.client = shortFacts(client)
        known.factsAt = now
      }
      if (!areNames(known.names, exchange)) known.names = namesOf(exchange)
      return known.names
    }
    if (this.#clients.size >= MAX_CLIENTS) this.#forgetOldest()
    const reach = isPlayground ? 'playground' : exchange.headers ? 'http' : 'pipe'
    const names = namesOf(exchange)
    this.#clients.set(key, {
      key,
      session,
      principal: auth?.principal,
      reach,
      client: shortFacts(client),
      factsAt: now,
      since: now,
      lastSeen: now,
      requests: 1,
      names,
    })
    return names
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

function namesOf({ client: { info, version }, session, auth }: Exchange): ClientNames {
  return { name: info && shortName(info.name), version, session, principal: auth?.principal }
}

/** Clients decide how much they say of themselves. */
function shortFacts(client: ClientFacts): ClientFacts {
  if (roughLength(client) <= MOST_FACTS) return client
  const { info, version } = client
  const named = info && { name: shortName(info.name), version: shortName(info.version) }
  return { version, capabilities: {}, ...(named && { info: named }) }
}

function areNames(names: ClientNames, { client: { info, version }, session, auth }: Exchange): boolean {
  return (
    names.name === (info && shortName(info.name)) &&
    names.version === version &&
    names.session === session &&
    samePrincipal(names.principal, auth?.principal)
  )
}

function keyOf({ info, version }: ClientFacts, principal: Principal | undefined): string {
  return `${principalKey(principal)}\n${shortName(info?.name ?? '')}\n${shortName(info?.version ?? '')}\n${version}`
}

/** A call that goes on when its client has answered what the target asked. */
export interface WaitingCall<Record> {
  readonly record: Record
  readonly since: number
  readonly questions: InputRequests
}

/** Calls that are kept; a client may ask for input and never come back. */
const MOST = 500

/** Knows whose calls wait for an answer, whatever way the client is asked. */
export class WaitingCalls<Record> {
  /** Asked while the request runs. */
  readonly #asked = new Set<WaitingCall<Record>>()
  /** Asked by the result of the request: the client comes back with this state and the answers. */
  readonly #returned = new Map<string, WaitingCall<Record>>()
  onChange: (() => void) | undefined

  async during<T>(record: Record, questions: InputRequests, answers: Promise<T>): Promise<T> {
    const call = { record, questions, since: Date.now() }
    this.#asked.add(call)
    this.onChange?.()
    try {
      return await answers
    } finally {
      this.#asked.delete(call)
      this.onChange?.()
    }
  }

  returned(record: Record, { inputRequests, requestState }: InputRequired): void {
    if (!inputRequests || requestState === undefined) return
    this.#returned.set(requestState, { record, questions: inputRequests, since: Date.now() })
    const [oldest] = this.#returned.keys()
    if (this.#returned.size > MOST) this.#returned.delete(oldest!)
    this.onChange?.()
  }

  /** A request that brings a state brings the answers, too. */
  begun({ requestState }: JsonObject): void {
    if (typeof requestState === 'string' && this.#returned.delete(requestState)) this.onChange?.()
  }

  /** Oldest first. Calls that began to wait before `since` have expired. */
  list(since: number): WaitingCall<Record>[] {
    for (const [state, call] of this.#returned) if (call.since < since) this.#returned.delete(state)
    return [...this.#asked, ...this.#returned.values()].sort((a, b) => a.since - b.since)
  }
}

/** How many parts of a value are looked at. Further parts are not counted. */
const MOST_VALUES = 2_000

/** About how long a value is as JSON. It costs little, also for very long values. */
export function roughLength(value: unknown): number {
  const waiting: unknown[] = [value]
  let length = 0
  for (let seen = 0; waiting.length > 0 && seen < MOST_VALUES; seen++) {
    const one = waiting.pop()
    if (typeof one === 'string') length += one.length + 2
    else if (Array.isArray(one)) {
      length += 1 + one.length
      for (let at = 0; at < one.length && at < MOST_VALUES; at++) waiting.push(one[at])
    } else if (typeof one === 'object' && one !== null) {
      length += 2
      let members = 0
      for (const name in one) {
        if (++members > MOST_VALUES) break
        length += name.length + 4
        waiting.push((one as Record<string, unknown>)[name])
      }
    } else if (one !== undefined) length += String(one).length
  }
  return length
}

/** Callers decide how long the names are that they ask for, and the last exchanges are kept in memory. */
const LONGEST_NAME = 1000

/** A name that a caller has chosen, as it may be kept. */
export function shortName(name: string): string {
  return name.length > LONGEST_NAME ? cutText(name, LONGEST_NAME) : name
}
