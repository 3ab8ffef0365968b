import { fromJsonBytes, toJsonBytes, COUNTERS, type Tables } from './tables.ts'
import type { Bucket, Spent } from '../store.ts'

const MAX_COUNTERS = 100_000

/** A token bucket. Its row ends when the bucket would be full again: an absent one is full. */
export function spendTokens(tables: Tables, { counter, bucket }: { counter: string; bucket: Bucket }): Spent {
  const { capacity, perSecond, cost = 1 } = bucket
  const row = tables.get(COUNTERS, counter)
  const kept = row && fromJsonBytes<{ tokens: number; at: number }>(row.bytes)
  // A clock that was set back adds nothing.
  const seconds = kept ? Math.max(0, tables.now - kept.at) / 1000 : 0
  const tokens = kept ? Math.min(capacity, kept.tokens + seconds * perSecond) : capacity
  if (cost > tokens) {
    const retryAfter = cost > capacity ? Infinity : Math.ceil(((cost - tokens) / perSecond) * 1000)
    return { granted: false, left: tokens, retryAfter }
  }
  const left = tokens - cost
  const at = Math.max(tables.now, kept?.at ?? 0)
  const full = ((capacity - left) / perSecond) * 1000
  const expires = Number.isFinite(full) ? Math.ceil(at + full) : 0
  const bytes = toJsonBytes({ tokens: left, at })
  tables.put(COUNTERS, counter, { bytes, version: tables.next(), expires, secret: false }, MAX_COUNTERS)
  return { granted: true, left, retryAfter: 0 }
}
