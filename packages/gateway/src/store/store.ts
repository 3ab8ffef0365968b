import { setTimeout as delay } from 'node:timers/promises'
import { StoreError } from './store-error.ts'

/**
 * State that outlives a request. Every driver keeps the same promises: what was acknowledged is kept, what was taken
 * is taken once, a lease has one holder, and a counter never grants more than it has.
 */
export interface Store {
  readonly kind: 'memory' | 'embedded' | 'redis'
  /** Set while the server of the store cannot be reached; it is tried again by itself. */
  readonly away: Away | undefined
  /** Rows of one purpose. Two calls with the same name reach the same rows. */
  rows(options: RowsOptions): Rows
  /**
   * Takes tokens out of buckets that fill up again over time. Takes them out of all the buckets or, when one has too
   * few, out of no bucket.
   */
  spend(buckets: Buckets): Promise<Spent>
  /** Undefined while another holder has it. */
  acquire(lease: string, ttl: number): Promise<Lease | undefined>
  /** A lease that is held now gets a new end; undefined when it was lost. */
  renew(lease: Lease, ttl: number): Promise<Lease | undefined>
  /** False when it was lost before. */
  release(lease: Lease): Promise<boolean>
  /** Whether the fencing token of the lease is still the valid one. */
  holds(lease: Lease): Promise<boolean>
  publish(channel: string, message: string): Promise<void>
  /** Hears what is published from now on, by this process or another. Returns what ends it. */
  subscribe(channel: string, listener: Listener): Promise<() => void>
  /** Describes the contents, for operators. */
  inspect(): Promise<Inspection>
  /**
   * Rows of all purposes in order, as they are kept: secrets stay encrypted. `after` is the last place that was read.
   */
  scan(after: Place | undefined, limit: number): Promise<ScannedRow[]>
  /** The text of a scanned row; `unreadable` when no key opens it. */
  reveal(row: ScannedRow): Promise<string>
  /** Writes a row that was scanned in another store, as it is kept there. It gets a new version. */
  restore(row: ScannedRow): Promise<void>
  /** Work that is lost when the process ends before it has written: `close` waits for it. */
  track<T>(work: Promise<T>): Promise<T>
  /** Closes the store after the operations that are under way. */
  close(): Promise<void>
}

export interface Away {
  /** Milliseconds since 1970. */
  readonly since: number
  /** For operators. */
  readonly reason: string
}

/**
 * Encrypts secret values. The binding is the place of the row: a value that is moved to another row cannot be opened
 * there.
 */
export interface Sealing {
  seal(text: string, binding: string): Promise<string>
  /** Undefined when no key opens it. */
  open(sealed: string, binding: string): Promise<unknown>
}

export interface RowsOptions {
  /** Lower-case letters and dashes. */
  readonly name: string
  /** Values are encrypted where they are kept. */
  readonly secret?: boolean
  /** Default 10,000. */
  readonly maxRows?: number
  /** Default 16 MiB. */
  readonly maxValueBytes?: number
}

export interface Rows {
  get(key: string): Promise<Row | undefined>
  /** Returns the new version. */
  put(key: string, value: string, options?: PutOptions): Promise<number>
  /** Writes when the row still has this version, or is absent when `version` is undefined. Returns the new version. */
  swap(
    key: string,
    version: number | undefined,
    value: string,
    options?: PutOptions,
  ): Promise<number | undefined>
  /** Reads and removes a row. When several callers try, only one of them gets it. */
  take(key: string): Promise<Row | undefined>
  /** Whether there was a row. */
  remove(key: string): Promise<boolean>
  /** In the order of the keys. */
  list(options?: ListOptions): Promise<Row[]>
}

export interface Row {
  readonly key: string
  readonly value: string
  /** Grows with every write; no two writes of one store have the same. */
  readonly version: number
  /** When it ends, in milliseconds since 1970; undefined: never. */
  readonly expires: number | undefined
}

export interface PutOptions {
  /** Milliseconds; without it the row stays. */
  readonly ttl?: number | undefined
  /** The write is refused with `lost_lease` unless this lease is held at that moment. */
  readonly lease?: Lease | undefined
}

export interface ListOptions {
  readonly prefix?: string
  /** The last key of the page before. */
  readonly after?: string
  /** Default 1,000. */
  readonly limit?: number
}

/** By the names of their counters. */
export type Buckets = Readonly<Record<string, Bucket>>

export interface Bucket {
  readonly capacity: number
  readonly perSecond: number
  /** When it is full again whatever was taken, in milliseconds since 1970. */
  readonly fullAt?: number
  /** Default 1. */
  readonly cost?: number
}

export interface Spent {
  readonly granted: boolean
  /** The counter that had the fewest tokens for its cost. */
  readonly scarcest: string
  /** Tokens that this counter has now. */
  readonly left: number
  /** Milliseconds until this cost can be granted; 0 when it was; Infinity when it never can. */
  readonly retryAfter: number
}

export interface Lease {
  readonly name: string
  /** Later holders have higher tokens. */
  readonly token: number
  readonly expires: number
}

export interface Listener {
  message(text: string): void
  /** Messages were missed: the listener has to read anew what they were about. */
  missed(): void
}

export interface Place {
  readonly table: string
  readonly key: string
}

export interface ScannedRow extends Place {
  readonly version: number
  readonly expires: number | undefined
  readonly secret: boolean
  readonly bytes: Uint8Array
}

export interface Inspection {
  /** The version of the layout in which rows are kept. */
  readonly format: number
  readonly bytes: number
  readonly maxBytes: number
  readonly tables: Readonly<Record<string, { rows: number; expired: number }>>
  /** Contradictions between rows and books; empty in a sound store. */
  readonly problems: readonly string[]
}

const TTL = 10_000
const RETRY = 25

/**
 * Runs while no other process runs under the same name. The lease is renewed until the work ends; a holder that stood
 * still for too long loses it: `isHeld` is false, and the store refuses what it writes under the lease.
 */
export async function withLease<T>(
  store: Store,
  name: string,
  run: (lease: Lease, isHeld: () => boolean) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { lease, until: end } = await waitForLease(store, name, signal)
  let until = end
  const renew = async (): Promise<void> => {
    const asked = Date.now()
    const renewed = await store.renew(lease, TTL)
    until = renewed ? asked + TTL : 0
  }
  const renewal = setInterval(() => void renew().catch(() => {}), TTL / 3).unref()
  try {
    return await store.track(run(lease, () => Date.now() < until))
  } finally {
    clearInterval(renewal)
    // A lease that cannot be released ends by itself.
    await store.release(lease).catch(() => {})
  }
}

/** False when the lease was lost meanwhile, so that nothing was written. */
export async function orLost(writing: Promise<boolean>): Promise<boolean> {
  try {
    return await writing
  } catch (thrown) {
    if (thrown instanceof StoreError && thrown.code === 'lost_lease') return false
    throw thrown
  }
}

/** The lease with the moment of its end by our own clock, which is no later than by the clock of the store. */
async function waitForLease(
  store: Store,
  name: string,
  signal: AbortSignal | undefined,
): Promise<{ lease: Lease; until: number }> {
  for (;;) {
    signal?.throwIfAborted()
    const until = Date.now() + TTL
    const lease = await store.acquire(name, TTL)
    if (lease) return { lease, until }
    await delay(RETRY, undefined, signal && { signal })
  }
}
