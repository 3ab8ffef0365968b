import type { Bucket, Spent } from '../store.ts'

/** The row of a bucket. A full bucket has no row. */
export interface KeptBucket {
  readonly tokens: number
  readonly at: number
}

/** Reads and writes buckets by the names of their counters. */
export interface BucketShelf {
  readonly now: number
  get(counter: string): KeptBucket | undefined
  /** `expires`: when it is full again, in milliseconds since 1970; 0: never. */
  put(counter: string, kept: KeptBucket, expires: number): void
}

/**
 * Token buckets: takes the cost out of all of them, or nothing. `isSpent`: it was spent somewhere else, so it is taken
 * in any case, and what lacks has to come in first.
 */
export function spendTokens(
  shelf: BucketShelf,
  buckets: readonly (readonly [counter: string, bucket: Bucket])[],
  isSpent: boolean = false,
): Spent {
  const { now } = shelf
  const kept = buckets.map(([counter]) => shelf.get(counter))
  const levels = buckets.map(([, bucket], at) => tokensIn(kept[at], bucket, now))
  let scarcest = 0
  let longest = 0
  let wait = 0
  for (let at = 0; at < buckets.length; at++) {
    const [, bucket] = buckets[at]!
    const lacking = waitFor(levels[at]!, bucket, now)
    if (lacking > wait) {
      wait = lacking
      longest = at
    }
    if (levels[at]! - costOf(bucket) < levels[scarcest]! - costOf(buckets[scarcest]![1])) scarcest = at
  }
  if (wait > 0 && !isSpent) {
    return { granted: false, scarcest: buckets[longest]![0], left: levels[longest]!, retryAfter: wait }
  }
  const keep = (at: number, tokens: number): void => {
    const [counter, bucket] = buckets[at]!
    const since = Math.max(now, kept[at]?.at ?? 0)
    shelf.put(counter, { tokens, at: since }, fullAt(tokens, since, bucket))
  }
  for (let at = 0; at < buckets.length; at++) {
    try {
      keep(at, levels[at]! - costOf(buckets[at]![1]))
    } catch (error) {
      for (let before = 0; before < at; before++) keep(before, levels[before]!)
      throw error
    }
  }
  const [counter, bucket] = buckets[scarcest]!
  return { granted: true, scarcest: counter, left: levels[scarcest]! - costOf(bucket), retryAfter: 0 }
}

function costOf({ cost = 1 }: Bucket): number {
  return cost
}

function tokensIn(kept: KeptBucket | undefined, { capacity, perSecond }: Bucket, now: number): number {
  if (!kept) return capacity
  // A clock that was set back adds nothing.
  const seconds = Math.max(0, now - kept.at) / 1000
  return Math.min(capacity, kept.tokens + seconds * perSecond)
}

/** Milliseconds until the cost is there; Infinity when it never is. */
function waitFor(tokens: number, bucket: Bucket, now: number): number {
  const lacking = costOf(bucket) - tokens
  if (lacking <= 0) return 0
  if (costOf(bucket) > bucket.capacity) return Infinity
  const refilled = Math.ceil((lacking / bucket.perSecond) * 1000)
  return bucket.fullAt === undefined ? refilled : Math.min(refilled, Math.max(1, bucket.fullAt - now))
}

/** An absent bucket is full, so its row ends then. */
function fullAt(left: number, at: number, bucket: Bucket): number {
  if (left >= bucket.capacity) return at
  const refilled = at + ((bucket.capacity - left) / bucket.perSecond) * 1000
  const full = Math.min(refilled, bucket.fullAt ?? Infinity)
  return Number.isFinite(full) ? Math.ceil(full) : 0
}
