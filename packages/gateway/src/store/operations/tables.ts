import type { Stored, Transaction } from '../engine.ts'
import { StoreError } from '../store-error.ts'

/** Names of purposes have no "!": these tables are the store's own. */
export const META = '!meta'
export const EXPIRY = '!expiry'
export const COUNTERS = '!counters'
export const LEASES = '!leases'
export const LOG = '!log'

export const FORMAT = 1
/** The bytes that a row costs besides its key and value. */
const OVERHEAD = 64
const SLICE = 1000
const NOTHING = new Uint8Array()

export interface Meta {
  readonly format: number
  /** The last number that was given out: versions, fencing tokens and messages share it. */
  sequence: number
  bytes: number
  rows: Record<string, number>
  /** The newest message that is no longer in the log. */
  dropped: number
}

/** The tables with the books about them: sizes, expiry and the sequence are right after every operation. */
export class Tables {
  readonly maxBytes: number
  readonly now: number
  readonly #tx: Transaction
  #meta: Meta | undefined
  #changed = false

  constructor(tx: Transaction, maxBytes: number, now: number = Date.now()) {
    this.#tx = tx
    this.maxBytes = maxBytes
    this.now = now
  }

  get meta(): Meta {
    this.#meta ??= readMeta(this.#tx)
    return this.#meta
  }

  next(): number {
    this.#changed = true
    this.meta.sequence += 1
    return this.meta.sequence
  }

  /** Undefined also for rows that have expired and were not swept yet. */
  get(table: string, key: string): Stored | undefined {
    const row = this.#tx.get(table, key)
    return row && !this.isExpired(row) ? row : undefined
  }

  isExpired({ expires }: Stored): boolean {
    return expires !== 0 && expires <= this.now
  }

  /** Throws before anything is written when there is no room. */
  put(table: string, key: string, row: Stored, maxRows: number): void {
    const before = this.#tx.get(table, key)
    const growth = sizeOf(key, row) - (before ? sizeOf(key, before) : 0)
    const hasManyRows = (): boolean => !before && (this.meta.rows[table] ?? 0) >= maxRows
    const hasManyBytes = (): boolean => growth > 0 && this.meta.bytes + growth > this.maxBytes
    // Removes all expired rows, even if there are many: without that room the write would fail.
    for (let swept = SLICE; swept === SLICE && (hasManyRows() || hasManyBytes()); ) {
      swept = this.sweep(SLICE, { table, key })
    }
    if (hasManyRows()) {
      throw new StoreError('full', `The store has ${maxRows} rows of ${table}, which is the limit`)
    }
    if (hasManyBytes()) {
      throw new StoreError('full', `The store is full: it holds ${this.maxBytes} bytes at most`)
    }
    this.#account(table, before ? 0 : 1, growth)
    this.#index(table, key, before, row)
    this.#tx.put(table, key, row)
  }

  remove(table: string, key: string): Stored | undefined {
    const row = this.#tx.get(table, key)
    if (!row) return undefined
    this.#account(table, -1, -sizeOf(key, row))
    this.#index(table, key, row, undefined)
    this.#tx.remove(table, key)
    if (table === LOG) this.meta.dropped = Math.max(this.meta.dropped, row.version)
    return this.isExpired(row) ? undefined : row
  }

  range: Transaction['range'] = (table, range) => this.#tx.range(table, range)
  scan: Transaction['scan'] = (after) => this.#tx.scan(after)

  /** Removes at most so many rows that have expired, and returns how many. One row can be spared. */
  sweep(limit: number, spared?: { table: string; key: string }): number {
    const due: (readonly [table: string, key: string])[] = []
    for (const [entry] of this.#tx.range(EXPIRY, { before: toDigits(this.now + 1) })) {
      const [table, key] = splitEntry(entry)
      if (table !== spared?.table || key !== spared.key) due.push([table, key])
      if (due.length === limit) break
    }
    for (const [table, key] of due) this.remove(table, key)
    return due.length
  }

  /** Writes the books. The last step of a transaction. */
  finish(): void {
    if (this.#changed) this.#tx.put(META, 'meta', toRow(toJsonBytes(this.meta)))
    this.#changed = false
  }

  #account(table: string, rows: number, bytes: number): void {
    this.#changed = true
    this.meta.bytes += bytes
    this.meta.rows[table] = (this.meta.rows[table] ?? 0) + rows
  }

  #index(table: string, key: string, before: Stored | undefined, after: Stored | undefined): void {
    const old = before && before.expires !== 0 ? toEntry(before.expires, table, key) : undefined
    const entry = after && after.expires !== 0 ? toEntry(after.expires, table, key) : undefined
    if (old === entry) return
    if (old !== undefined) this.#tx.remove(EXPIRY, old)
    if (entry !== undefined) this.#tx.put(EXPIRY, entry, toRow(NOTHING))
  }
}

export function toEntry(expires: number, table: string, key: string): string {
  return `${toDigits(expires)} ${table} ${key}`
}

function splitEntry(entry: string): [table: string, key: string] {
  const [, table = ''] = entry.split(' ', 2)
  const start = entry.indexOf(' ') + table.length + 2
  return [table, entry.slice(start)]
}

/** Digits of equal number, so that texts have the order of the numbers. */
export function toDigits(value: number): string {
  return String(value).padStart(16, '0')
}

function toRow(bytes: Uint8Array): Stored {
  return { bytes, version: 0, expires: 0, secret: false }
}

function sizeOf(key: string, { bytes }: Stored): number {
  return OVERHEAD + key.length + bytes.length
}

function readMeta(tx: Transaction): Meta {
  const row = tx.get(META, 'meta')
  if (!row) return { format: FORMAT, sequence: 0, bytes: 0, rows: {}, dropped: 0 }
  const meta = fromJsonBytes<Meta>(row.bytes)
  if (meta.format > FORMAT) {
    throw new StoreError(
      'unusable',
      `The store was written by a newer version (format ${meta.format}, this version knows ${FORMAT})`,
    )
  }
  return meta
}

/** For what this store writes and reads itself. */
export function toJsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

export function fromJsonBytes<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes).toString()) as T
}
