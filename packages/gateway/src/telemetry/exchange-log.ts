import {
  CallTable,
  type Exchange,
  type Outcome,
  cancellationOf,
  outlineOf,
  RefusedForLoad,
  type WireTap,
} from '@gantry/mcp/exchange'
import type {
  ExchangeRecord,
  Passed,
  Hides,
  Question,
  RecordStatus,
  SeenMessage,
  Shown,
  ExchangeLogOptions,
} from './exchange-record.ts'
import { FailureCounts } from './failure-counts.ts'
import { failureText, shortText } from './failure-text.ts'
import { inOutline, SLOW_FROM, Slowest } from './flight-recorder.ts'
import { hideCredentials } from '../model/index.ts'
import type { Handshake } from './handshake.ts'
import { KeptExchanges } from './kept-exchanges.ts'
import { ClientRegister, LoadHistory, roughLength, shortName, Stats, WaitingCalls } from './stats.ts'
import type { ToolUsage } from './usage/tool-usage.ts'

/** Calls that are gathered before they are counted for their tools: a call itself does not wait for that. */
const MOST_UNCOUNTED = 256
/** Used where no secrets are configured. */
const SHAPES: Hides = { inJson: (json) => json, inText: hideCredentials }
/** How much of what one exchange asks its target is held while it runs. */
const MOST_HELD = 20

/**
 * The last exchanges, for the console, and those before them that failed or were the slowest. Messages are kept while
 * it is watched; of an exchange that fails, what was asked and answered is kept in any case.
 */
export class ExchangeLog {
  readonly total: Stats = new Stats()
  readonly load: LoadHistory = new LoadHistory()
  readonly failures: FailureCounts = new FailureCounts()
  readonly clients: ClientRegister = new ClientRegister()
  readonly waiting: WaitingCalls<ExchangeRecord> = new WaitingCalls()
  readonly #sampling: number
  readonly #bodyBytes: number
  readonly #hide: Hides
  readonly #slowest = new Slowest()
  readonly #ring: (ExchangeRecord | undefined)[]
  readonly #exchanges: KeptExchanges
  readonly #targets = new Map<string, Stats>()
  readonly #watchers = new Set<(record: ExchangeRecord) => void>()
  /** The number of watchers who see messages. Other watchers see only that there are exchanges. */
  #readers = 0
  readonly #usage: Pick<ToolUsage, 'add'> | undefined
  #uncounted: ExchangeRecord[] = []
  readonly #running = new CallTable<number, ExchangeRecord>()
  #next: number

  constructor(options: ExchangeLogOptions, usage?: Pick<ToolUsage, 'add'>) {
    this.#usage = usage
    this.#sampling = options.sampling
    this.#bodyBytes = options.bodyBytes
    this.#ring = new Array<ExchangeRecord | undefined>(options.size)
    this.#hide = options.hide ?? SHAPES
    this.#next = options.firstId ?? 1
    this.#exchanges = new KeptExchanges(this.#ring, options.bodyBytes, this.#hide, this.#next)
  }

  /** Whether messages are kept, because an open page may show them. */
  get watched(): boolean {
    return this.#readers > 0
  }

  /** Calls back whenever a record begins, gets a message or ends. Returns how to stop. */
  watch(
    listener: (record: ExchangeRecord) => void,
    { messages }: { readonly messages: boolean } = { messages: true },
  ): () => void {
    this.#watchers.add(listener)
    if (messages) this.#readers++
    return () => {
      if (this.#watchers.delete(listener) && messages) this.#readers--
    }
  }

  begin(exchange: Exchange): ExchangeRecord {
    const { params } = exchange
    const asked = params.name ?? params.uri
    const name = typeof asked === 'string' ? shortName(asked) : undefined
    const tag = ClientTag.of(exchange.serverContext)
    const client = this.clients.seen(exchange, tag !== undefined)
    const record = this.#create(shortName(exchange.method), name, client, tag)
    this.#put(record)
    this.#running.set(record.id, record)
    if (params.requestState !== undefined) this.waiting.begun(params)
    if (this.watched) {
      this.add(record, { hop: 'client', direction: 'in', message: { method: exchange.method, params } })
    } else this.#tell(record)
    return record
  }

  #create(
    method: string,
    name: string | undefined,
    client: ExchangeRecord['client'],
    tag: ClientTag | undefined,
  ): ExchangeRecord {
    return {
      id: this.#next++,
      at: Date.now(),
      began: performance.now(),
      method,
      name,
      client,
      target: undefined,
      tool: undefined,
      durationMs: undefined,
      targetMs: undefined,
      bytesIn: undefined,
      bytes: undefined,
      status: 'running',
      error: undefined,
      tag,
      // A call from the console is always shown.
      keeps: tag !== undefined || this.#sampling === 1 || Math.random() < this.#sampling,
      messages: undefined,
      // All members are set at once: adding one later would cost more than all others.
      isForLoad: undefined,
      isOurs: false,
      clean: undefined,
      upstream: undefined,
    }
  }

  #put(record: ExchangeRecord): void {
    if (this.#ring.length === 0) return
    const slot = record.id % this.#ring.length
    const old = this.#ring[slot]
    this.#ring[slot] = record
    if (old) this.#exchanges.pushedOut(old)
  }

  /** Notes how long an exchange took, and how it ended. */
  settle(record: ExchangeRecord, outcome: Outcome, exchange: Exchange): void {
    // To hundredths: what the gateway adds is less than a millisecond.
    record.durationMs = Math.round((performance.now() - record.began) * 100) / 100
    record.status = statusOf(outcome, exchange)
  }

  end(record: ExchangeRecord, outcome: Outcome, exchange: Exchange): void {
    if (record.durationMs === undefined) this.settle(record, outcome, exchange)
    const durationMs = record.durationMs!
    if (outcome.type === 'error') {
      record.isForLoad = outcome.cause instanceof RefusedForLoad
      // Our own messages never hold credentials.
      record.error = record.isForLoad ? outcome.error.message : failureText(outcome, this.#hide.inText)
    }
    this.#running.delete(record.id)
    const failed = record.status === 'error' || record.status === 'tool-error'
    if (outcome.type === 'input_required') this.waiting.returned(record, outcome)
    this.total.add(durationMs, failed)
    if (failed) this.failures.count(outcome)
    this.load.add(record.target, failed)
    if (record.target !== undefined && !record.isOurs) this.statsOf(record.target).add(durationMs, failed)
    if (record.tool !== undefined && !record.isOurs && this.#usage) {
      record.bytesIn = roughLength(exchange.params.arguments)
      // The result was not read as text, so its length is estimated.
      if (outcome.type === 'complete') record.bytes ??= roughLength(outlineOf(outcome))
      if (this.#uncounted.push(record) >= MOST_UNCOUNTED) this.#usage.add(this.takeUncounted())
    }
    const answer: SeenMessage = { hop: 'client', direction: 'out', message: outcome }
    const isSlow = durationMs >= SLOW_FROM && this.#slowest.take(record)
    if (this.watched) this.#showHttp(record)
    if (this.watched) this.add(record, answer)
    else if ((failed || isSlow) && !record.isForLoad && !record.messages) {
      this.#keepFlight(record, answer, exchange)
    }
    if (!this.watched) this.#tell(record)
    record.upstream = undefined
    if (this.#ring[record.id % this.#ring.length] !== record) this.#exchanges.endedLate(record)
  }

  /** Shows what was sent over HTTP to an API. The tap shows what goes over wires. */
  #showHttp(record: ExchangeRecord): void {
    for (const seen of upstreamOf(record)) {
      if ('http' in Object(seen.message)) this.add(record, seen)
    }
  }

  /** Keeps the messages of both hops for an exchange that failed or was slow while nobody watched. */
  #keepFlight(record: ExchangeRecord, answer: SeenMessage, exchange: Exchange): void {
    // What the caller sent: from the resolver on, an exchange has the target's names.
    const { method, params } = exchange.origin ?? exchange
    const asked: SeenMessage = { hop: 'client', direction: 'in', message: { method, params }, at: record.at }
    for (const seen of [asked, ...upstreamOf(record), answer]) {
      this.#exchanges.keep(record, inOutline(seen, this.#bodyBytes))
    }
  }

  /** A question of a target that was not passed on, or not answered: it has a line of its own. */
  refused(target: string, method: string, error: string): void {
    const nobody = { name: undefined, version: '', session: undefined, principal: undefined }
    const record = this.#create(method, undefined, nobody, undefined)
    Object.assign(record, {
      target,
      durationMs: 0,
      status: 'refused',
      error: shortText(error, this.#hide.inText),
    })
    this.#put(record)
    this.#tell(record)
  }

  #tell(record: ExchangeRecord): void {
    for (const watcher of this.#watchers) watcher(record)
  }

  add(record: ExchangeRecord, seen: SeenMessage): void {
    if (!this.watched) return
    if (record.keeps) this.#exchanges.keep(record, seen)
    this.#tell(record)
  }

  /** Newest first. */
  recent(limit: number, before: number = Number.POSITIVE_INFINITY): ExchangeRecord[] {
    return this.#exchanges.list(limit, Math.min(this.#next, before), this.running)
  }

  find(id: number): ExchangeRecord | undefined {
    return this.#exchanges.find(id) ?? this.#running.get(id)
  }

  /** The exchanges that a target is working on. */
  runningAt(target: string): ExchangeRecord[] {
    return this.running.filter(
      (record) => record.target === target && record.method !== 'subscriptions/listen',
    )
  }

  get running(): ExchangeRecord[] {
    return this.#running.values()
  }

  /** The calls that have ended since the last time. */
  takeUncounted(): ExchangeRecord[] {
    const records = this.#uncounted
    this.#uncounted = []
    return records
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
    this.#exchanges.clear()
    this.#slowest.clear()
  }
}

type Message = Parameters<WireTap['seen']>[1]

const MAX_QUESTIONS = 256
/** A question that came on the stream of a call while nobody watched. */
const UNKNOWN: Question = { method: 'a question of the server', origin: undefined }

/** Who looks at the messages of a target: the handshake while it lasts, then the exchange log while it is watched. */
export class TargetTap implements WireTap {
  readonly #handshake: Handshake
  readonly #shown: Shown<ExchangeLog> | undefined
  /** Questions of the server that are not answered yet, by their ids. */
  readonly #questions = new Map<unknown, Question>()

  constructor(handshake: Handshake, shown?: Shown<ExchangeLog>) {
    this.#handshake = handshake
    this.#shown = shown
  }

  get active(): boolean {
    return this.#handshake.active || this.#shown?.exchanges.watched === true
  }

  /**
   * Messages of an exchange go to its record. Messages of no exchange go to the only one under way. A question that
   * names no call, and its answer, go to every exchange that may have caused it.
   */
  seen(direction: 'in' | 'out', message: Message, origin?: object): void {
    if (this.#handshake.active) this.#handshake.seen(direction, message)
    if (!this.#shown) return
    const question = this.#questionOf(direction, message, origin)
    this.#show(direction, message, question ? question.origin : origin, question !== undefined)
    if (question && direction === 'out' && message.error) this.#refused(message.error, question)
  }

  /** The question that a message asks or answers. */
  #questionOf(direction: 'in' | 'out', message: Message, origin?: object): Question | undefined {
    const { id, method, error } = message
    if (id === undefined) return undefined
    if (direction === 'in') {
      if (method === undefined || method === 'ping') return undefined
      if (this.#questions.size >= MAX_QUESTIONS) this.#questions.clear()
      this.#questions.set(id, { method, origin })
      return this.#questions.get(id)
    }
    if (method !== undefined) return undefined
    const question = this.#questions.get(id) ?? (error && UNKNOWN)
    this.#questions.delete(id)
    return question
  }

  #show(direction: 'in' | 'out', message: unknown, origin: object | undefined, isOfQuestion: boolean): void {
    const { exchanges, target } = this.#shown!
    if (!exchanges.watched) return
    const record = origin && recordOf(origin as Exchange)
    const records = record ? [record] : exchanges.runningAt(target)
    if (records.length > 1 && !isOfQuestion) return
    for (const one of records) exchanges.add(one, { hop: 'target', direction, message })
  }

  #refused(error: { message: string }, { method, origin }: Question): void {
    const { exchanges, target, advice } = this.#shown!
    const { length } = exchanges.runningAt(target)
    const isAmbiguous = length > 1 && origin === undefined
    const more = isAmbiguous ? `; ${length} calls are in flight, ${advice()}` : ''
    exchanges.refused(target, method, error.message + more)
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

/** An exchange that is recorded, or one derived from it. */
interface Recorded extends Exchange {
  readonly record?: ExchangeRecord | undefined
}

/** The record of the request that an exchange belongs to, however often it was derived. */
export function recordOf(exchange: Exchange): ExchangeRecord | undefined {
  for (let at: Recorded | undefined = exchange; at; at = at.origin) if (at.record) return at.record
  return undefined
}

/** Notes what passed between the gateway and a target. It is held as it is, and let go when the exchange ends well. */
export function noteUpstream(record: ExchangeRecord, passed: Passed): void {
  if (!record.upstream) record.upstream = [passed]
  else if (record.upstream.length < MOST_HELD) record.upstream.push(passed)
}

function upstreamOf({ upstream = [] }: ExchangeRecord): SeenMessage[] {
  return upstream.flatMap((passed) => passed.seen())
}

export function statusOf(outcome: Outcome, exchange: Exchange): RecordStatus {
  if (cancellationOf(exchange).aborted && exchange.method !== 'subscriptions/listen') return 'cancelled'
  if (outcome.type === 'complete') return outlineOf(outcome).isError === true ? 'tool-error' : 'ok'
  return outcome.type === 'input_required' ? 'input-required' : outcome.type
}
