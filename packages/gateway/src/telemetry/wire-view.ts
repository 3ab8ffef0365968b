import {
  CallTable,
  type Exchange,
  type Outcome,
  writeJson,
  cancellationOf,
  outlineOf,
  type Failure,
  type Principal,
} from '@gantry/mcp/exchange'
import { cutText } from '@gantry/mcp/foreign'
import { ClientRegister, Stats } from './stats.ts'
import { redacting } from './redacting.ts'
import { hideCredentials } from '../model/index.ts'

export interface WireViewOptions {
  /** Exchanges kept; 0 switches the view off, statistics stay. */
  readonly size: number
  /** Characters of one message that are kept. */
  readonly bodyBytes: number
  /** Share of exchanges whose messages are kept, 0 to 1. The others are listed and counted all the same. */
  readonly sampling: number
}

/** Messages of one exchange that are kept; progress can be endless. */
const MAX_MESSAGES = 200
/** A server decides how long its messages are. */
const MAX_WORDS = 4000
/** Characters of all messages together; beyond it the oldest exchanges lose theirs. */
const MAX_KEPT = 32 * 1024 * 1024

/** The last exchanges, for the console. Messages are kept only while somebody watches. */
export class WireView {
  readonly total: Stats = new Stats()
  readonly clients: ClientRegister = new ClientRegister()
  readonly #size: number
  readonly #bodyBytes: number
  readonly #sampling: number
  readonly #ring: (ExchangeRecord | undefined)[]
  readonly #targets = new Map<string, Stats>()
  readonly #watchers = new Set<(record: ExchangeRecord) => void>()
  readonly #running = new CallTable<number, ExchangeRecord>()
  #next = 1
  #kept = 0
  /** No exchange before this one has messages. */
  #firstKept = 1

  constructor(options: WireViewOptions) {
    this.#size = options.size
    this.#bodyBytes = options.bodyBytes
    this.#sampling = options.sampling
    this.#ring = new Array<ExchangeRecord | undefined>(options.size)
  }

  get watched(): boolean {
    return this.#watchers.size > 0
  }

  /** Calls back whenever a record begins, gets a message or ends. Returns how to stop. */
  watch(listener: (record: ExchangeRecord) => void): () => void {
    this.#watchers.add(listener)
    return () => this.#watchers.delete(listener)
  }

  begin(exchange: Exchange): ExchangeRecord {
    const { params, client } = exchange
    const name = params.name ?? params.uri
    const tag = ClientTag.of(exchange.serverContext)
    const record: ExchangeRecord = {
      id: this.#next++,
      at: Date.now(),
      method: exchange.method,
      name: typeof name === 'string' ? name : undefined,
      client: {
        name: client.info?.name,
        version: client.version,
        session: exchange.session,
        principal: exchange.auth?.principal,
      },
      target: undefined,
      durationMs: undefined,
      status: 'running',
      error: undefined,
      tag,
      // Whoever asks from the console wants to see it.
      keeps: tag !== undefined || this.#sampling === 1 || Math.random() < this.#sampling,
      messages: undefined,
    }
    if (this.#size > 0) this.#put(record)
    this.#running.set(record.id, record)
    this.clients.seen(exchange, tag !== undefined)
    if (this.watched) {
      this.add(record, { hop: 'client', direction: 'in', message: { method: exchange.method, params } })
    }
    return record
  }

  #put(record: ExchangeRecord): void {
    const slot = record.id % this.#size
    const old = this.#ring[slot]
    if (old?.messages) this.#strip(old)
    this.#ring[slot] = record
  }

  #strip(record: ExchangeRecord): void {
    for (const { json } of record.messages ?? []) this.#kept -= json.length
    record.messages = undefined
  }

  end(record: ExchangeRecord, outcome: Outcome, exchange: Exchange): void {
    record.durationMs = Date.now() - record.at
    record.status = statusOf(outcome, exchange)
    if (outcome.type === 'error') record.error = failureText(outcome)
    this.#running.delete(record.id)
    const failed = record.status === 'error' || record.status === 'tool-error'
    this.total.add(record.durationMs, failed)
    if (record.target !== undefined) this.statsOf(record.target).add(record.durationMs, failed)
    if (this.watched) this.add(record, { hop: 'client', direction: 'out', message: outcome })
  }

  add(record: ExchangeRecord, seen: SeenMessage): void {
    if (!this.watched) return
    const isRoom = this.#size > 0 && (record.messages?.length ?? 0) < MAX_MESSAGES
    if (record.keeps && isRoom) this.#keep(record, seen)
    for (const watcher of this.#watchers) watcher(record)
  }

  /** Messages are kept as text: what they hold may be changed or be huge, and must not stay alive with them. */
  #keep(record: ExchangeRecord, { message, ...rest }: SeenMessage): void {
    const whole = writeJson(message, redacting) ?? 'null'
    const json = cutText(whole, this.#bodyBytes)
    record.messages ??= []
    record.messages.push({ ...rest, at: Date.now(), json, bytes: whole.length })
    this.#kept += json.length
    while (this.#kept > MAX_KEPT && this.#firstKept < record.id) {
      const oldest = this.find(this.#firstKept++)
      if (oldest) this.#strip(oldest)
    }
  }

  /** Newest first. */
  recent(limit: number, before: number = Number.POSITIVE_INFINITY): ExchangeRecord[] {
    const found: ExchangeRecord[] = []
    const newest = Math.min(this.#next - 1, before - 1)
    for (let id = newest; id > 0 && id > newest - this.#size && found.length < limit; id--) {
      const record = this.#ring[id % this.#size]
      if (record?.id === id) found.push(record)
    }
    return found
  }

  find(id: number): ExchangeRecord | undefined {
    const record = this.#size > 0 ? this.#ring[id % this.#size] : undefined
    return record?.id === id ? record : undefined
  }

  /** The one exchange that a target is working on; undefined when there are several. */
  onlyRunning(target: string): ExchangeRecord | undefined {
    let only: ExchangeRecord | undefined
    for (const record of this.#running.values()) {
      if (record.target !== target || record.method === 'subscriptions/listen') continue
      if (only) return undefined
      only = record
    }
    return only
  }

  get running(): ExchangeRecord[] {
    return this.#running.values()
  }

  statsOf(target: string): Stats {
    let stats = this.#targets.get(target)
    if (!stats) {
      stats = new Stats()
      this.#targets.set(target, stats)
    }
    return stats
  }

  clear(): void {
    this.#ring.fill(undefined)
    this.#kept = 0
  }
}

/** Marks exchanges that the gateway's own playground sends: it travels as their server context. */
export class ClientTag {
  readonly id: string

  constructor(id: string) {
    this.id = id
  }

  static of(serverContext: unknown): ClientTag | undefined {
    return serverContext instanceof ClientTag ? serverContext : undefined
  }
}

export type RecordStatus = 'running' | 'ok' | 'tool-error' | 'error' | 'input-required' | 'task' | 'cancelled'

export interface SeenMessage {
  readonly hop: 'client' | 'target'
  /** As the gateway sees it: `in` came to it, `out` left it. */
  readonly direction: 'in' | 'out'
  readonly message: unknown
  /** What was translated here, in words. */
  readonly note?: string
}

/** The same as it is kept: as JSON without credentials, and no more of it than is allowed. */
export interface KeptMessage extends Omit<SeenMessage, 'message'> {
  readonly at: number
  readonly json: string
  readonly bytes: number
}

export interface ExchangeRecord {
  readonly id: number
  readonly at: number
  readonly method: string
  readonly name: string | undefined
  readonly client: {
    readonly name: string | undefined
    readonly version: string
    readonly session: string | undefined
    readonly principal: Principal | undefined
  }
  target: string | undefined
  durationMs: number | undefined
  status: RecordStatus
  error: string | undefined
  /** Whose call it is when the gateway itself is the client. */
  readonly tag: ClientTag | undefined
  /** Whether its messages are kept while somebody looks: it is one of the sample. */
  readonly keeps: boolean
  messages: KeptMessage[] | undefined
}

/** An exchange that is recorded, or one derived from it. */
interface Recorded extends Exchange {
  readonly record?: ExchangeRecord | undefined
}

/** The record of the request that an exchange belongs to, however often it was derived. */
export function recordOf(exchange: Exchange): ExchangeRecord | undefined {
  for (let at: Recorded | undefined = exchange; at; at = at.origin) if (at.record) return at.record
  return undefined
}

export function statusOf(outcome: Outcome, exchange: Exchange): RecordStatus {
  if (cancellationOf(exchange).aborted && exchange.method !== 'subscriptions/listen') return 'cancelled'
  switch (outcome.type) {
    case 'complete':
      return outlineOf(outcome).isError === true ? 'tool-error' : 'ok'
    case 'input_required':
      return 'input-required'
    case 'task':
      return 'task'
    case 'error':
      return 'error'
  }
}

/** Why an exchange failed, for operators: callers are told less. */
export function failureText({ error, cause }: Failure): string {
  return hideCredentials(cutText(cause instanceof Error ? cause.message : error.message, MAX_WORDS))
}
