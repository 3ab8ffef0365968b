import { randomUUID } from 'node:crypto'
import { describePrincipal } from '@gantry/mcp/exchange'
import { cutText } from '@gantry/mcp/foreign'
import type { Rows, Store } from '../../store/index.ts'
import type { ExchangeRecord } from '../exchange-record.ts'
import { CallCounts } from './call-counts.ts'
import { nameOf, readSlot, type Usage, UsageSlot } from './usage-slot.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Calls are counted in spans of two lengths: short ones for the last hour, long ones for days. */
const SPANS = {
  short: { length: 10 * MINUTE, keptFor: 2 * HOUR },
  long: { length: HOUR, keptFor: 8 * DAY },
} as const
type Span = keyof typeof SPANS

export type UsageRange = '1h' | '24h' | '7d'

const RANGES: Readonly<Record<UsageRange, { readonly span: Span; readonly length: number }>> = {
  '1h': { span: 'short', length: HOUR },
  '24h': { span: 'long', length: DAY },
  '7d': { span: 'long', length: 7 * DAY },
}

/** What callers are told apart by, beside the tool. */
export type UsagePer = 'tool' | 'client' | 'principal'

const WRITTEN_EVERY = 15_000
const LONGEST_NAME = 100

export interface ToolUsageOptions {
  readonly store: Store
  /** Gives the calls that have ended and were not counted yet. */
  readonly uncounted: () => readonly ExchangeRecord[]
  readonly onError: (error: unknown) => void
}

/**
 * How often each tool is called, by whom, and how long it takes: over the last hour, day and week. It is kept in the
 * store, in rows that belong to one run of one process, so that processes never write the same row.
 */
export class ToolUsage {
  readonly #rows: Rows
  readonly #uncounted: () => readonly ExchangeRecord[]
  readonly #onError: (error: unknown) => void
  readonly #run = randomUUID()
  readonly #slots = new Map<Span, UsageSlot>()
  readonly #timer: NodeJS.Timeout

  constructor({ store, uncounted, onError }: ToolUsageOptions) {
    this.#rows = store.rows({ name: 'usage' })
    this.#uncounted = uncounted
    this.#onError = onError
    this.#timer = setInterval(() => void this.#write(), WRITTEN_EVERY).unref()
  }

  /** Counts calls that have ended. */
  add(records: readonly ExchangeRecord[]): void {
    for (const record of records) this.#count(record)
  }

  /** From the start of the range to now. */
  async read(range: UsageRange, per: UsagePer, now: number = Date.now()): Promise<Usage[]> {
    await this.#write()
    const { span, length } = RANGES[range]
    const found = new Map<string, Usage>()
    for await (const json of this.#readRows(span, now - length)) {
      for (const [key, kept] of readSlot(json)) {
        const { target, tool } = key
        const wanted = { target, tool, ...(per !== 'tool' && { [per]: key[per] }) }
        const name = nameOf(wanted)
        const usage = found.get(name) ?? { ...wanted, counts: new CallCounts() }
        found.set(name, usage)
        usage.counts.addKept(kept)
      }
    }
    return [...found.values()]
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#write()
  }

  #count({ target, tool, client, at, status, durationMs = 0, bytesIn = 0, bytes = 0 }: ExchangeRecord): void {
    if (target === undefined || tool === undefined) return
    const key = {
      target,
      tool: cutText(tool, LONGEST_NAME),
      client: client.name === undefined ? undefined : cutText(client.name, LONGEST_NAME),
      principal: client.principal && cutText(describePrincipal(client.principal), LONGEST_NAME),
    }
    const failed = status === 'error' || status === 'tool-error'
    const call = { at, failed, durationMs, bytesIn, bytesOut: bytes }
    for (const span of Object.keys(SPANS) as Span[]) this.#slotFor(span, at).add(key, call)
  }

  #slotFor(span: Span, at: number): UsageSlot {
    const current = this.#slots.get(span)
    const start = Math.floor(at / SPANS[span].length) * SPANS[span].length
    // A call that began in the span before is counted in the present one.
    if (current && current.start >= start) return current
    if (current) this.#put(span, current)
    const next = new UsageSlot(start)
    this.#slots.set(span, next)
    return next
  }

  async #write(): Promise<void> {
    this.add(this.#uncounted())
    await Promise.all([...this.#slots].map(([span, slot]) => this.#put(span, slot)))
  }

  async #put(span: Span, slot: UsageSlot): Promise<void> {
    if (!slot.isChanged) return
    slot.isChanged = false
    try {
      const key = `${placeOf(span, slot.start)}/${this.#run}`
      await this.#rows.put(key, slot.toJson(), { ttl: SPANS[span].keptFor })
    } catch (error) {
      this.#onError(error)
    }
  }

  async *#readRows(span: Span, since: number): AsyncGenerator<string> {
    let after = placeOf(span, since - SPANS[span].length)
    for (;;) {
      const rows = await this.#rows.list({ prefix: `${span}/`, after })
      for (const { value } of rows) yield value
      const last = rows.at(-1)
      if (!last) return
      after = last.key
    }
  }
}

/** Places of one span are in the order of time. */
function placeOf(span: Span, start: number): string {
  return `${span}/${new Date(start).toISOString()}`
}
