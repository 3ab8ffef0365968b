import type { Bucket, Buckets, Spent } from '../store.ts'

/** What is kept of a bucket; nothing is kept of a full one. */
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

/** Token buckets: takes the cost out of all of them, or nothing. */
export function spendTokens(shelf: BucketShelf, buckets: Buckets): Spent {
  const found = Object.entries(buckets).map(([counter, bucket]) => {
    const kept = shelf.get(counter)
    const tokens = tokensIn(kept, bucket, shelf.now)
    return {
      counter,
      bucket,
      tokens,
      at: Math.max(shelf.now, kept?.at ?? 0),
      wait: waitFor(tokens, bucket, shelf.now),
    }
  })
  const scarcest = found.reduce((one, other) =>
    other.wait > one.wait || leftIn(other) < leftIn(one) ? other : one,
  )
  const short = found.filter(({ wait }) => wait > 0)
  if (short.length > 0) {
    const longest = short.reduce((one, other) => (other.wait > one.wait ? other : one))
    return { granted: false, scarcest: longest.counter, left: longest.tokens, retryAfter: longest.wait }
  }
  for (const { counter, bucket, tokens, at } of found) {
    const left = tokens - costOf(bucket)
    shelf.put(counter, { tokens: left, at }, fullAt(left, at, bucket))
  }
  return { granted: true, scarcest: scarcest.counter, left: leftIn(scarcest), retryAfter: 0 }
}

function costOf({ cost = 1 }: Bucket): number {
  return cost
}

function leftIn({ tokens, bucket }: { tokens: number; bucket: Bucket }): number {
  return tokens - costOf(bucket)
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
  const refilled = at + ((bucket.capacity - left) / bucket.perSecond) * 1000
  const full = Math.min(refilled, bucket.fullAt ?? Infinity)
  return Number.isFinite(full) ? Math.ceil(full) : 0
}
