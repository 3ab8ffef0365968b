import { spendTokens, type Bucket, type KeptBucket, type Spent } from '../../store/index.ts'

/** The buckets of one request, each with the name of its counter. */
export type NamedBuckets = readonly (readonly [counter: string, bucket: Bucket])[]

/**
 * The most counters that are kept. Counters that were used longest ago are forgotten first, because they are the
 * fullest.
 */
const MAX_COUNTERS = 100_000

interface Kept extends KeptBucket {
  readonly expires: number
}

/** Buckets of this process: no call waits for a store. */
export class LocalBuckets {
  /** The buckets that were used since the others became the older half. */
  #used = new Map<string, Kept>()
  #older = new Map<string, Kept>()
  /** The same for all calls: `now` is when the present one is made. */
  readonly #shelf = {
    now: 0,
    get: (counter: string): KeptBucket | undefined => this.#get(counter, this.#shelf.now),
    put: (counter: string, { tokens, at }: KeptBucket, expires: number): void =>
      this.#put(counter, { tokens, at, expires }),
  }

  /** What was spent since the others were told. Undefined: there are no others. */
  #untold: Map<string, Bucket> | undefined
  #onSpent: (() => void) | undefined

  /** What `spend` would say, without taking anything. */
  look(buckets: NamedBuckets, now: number = Date.now()): Spent {
    return spendTokens({ now, get: (counter) => this.#get(counter, now), put: () => {} }, buckets)
  }

  spend(buckets: NamedBuckets, now: number = Date.now()): Spent {
    this.#shelf.now = now
    const spent = spendTokens(this.#shelf, buckets)
    if (this.#untold && spent.granted) this.#note(this.#untold, buckets)
    return spent
  }

  /** From now on `onSpent` hears that there is something for `takeUntold`. */
  tell(onSpent: () => void): void {
    this.#untold = new Map()
    this.#onSpent = onSpent
  }

  #note(untold: Map<string, Bucket>, buckets: NamedBuckets): void {
    for (const [counter, bucket] of buckets) {
      const cost = (bucket.cost ?? 1) + (untold.get(counter)?.cost ?? 0)
      untold.set(counter, { ...bucket, cost })
    }
    this.#onSpent?.()
  }

  /** What was spent here since the last time. */
  takeUntold(): NamedBuckets {
    const untold = [...(this.#untold ?? [])]
    this.#untold?.clear()
    return untold
  }

  /** Counts what another process has spent. */
  spentElsewhere(buckets: NamedBuckets): void {
    if (buckets.length === 0) return
    this.#shelf.now = Date.now()
    spendTokens(this.#shelf, buckets, true)
  }

  /** Undoes a `spend` of a call that is not made. */
  giveBack(buckets: NamedBuckets): void {
    if (buckets.length === 0) return
    this.spend(buckets.map(([counter, bucket]) => [counter, { ...bucket, cost: -(bucket.cost ?? 1) }]))
  }

  #put(counter: string, kept: Kept): void {
    this.#used.set(counter, kept)
    if (this.#used.size < MAX_COUNTERS / 2) return
    this.#older = this.#used
    this.#used = new Map()
  }

  #get(counter: string, now: number): KeptBucket | undefined {
    const kept = this.#used.get(counter) ?? this.#older.get(counter)
    return kept && (kept.expires === 0 || kept.expires > now) ? kept : undefined
  }
}
