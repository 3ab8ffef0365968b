import type { Exchange, Middleware } from '../exchange/exchange.ts'
import { RefusedForLoad } from '../exchange/server/answer.ts'
import { senderKey } from '../protocol/callers.ts'
import { type Duration, parseDuration } from '../protocol/parse-duration.ts'
import { type FormsOf, requireKnownOptions } from '../protocol/known-options.ts'

export interface RateLimitOptions {
  /** Requests that a caller may send in `per`; all of them at once, if it likes. */
  requests: number
  per: Duration
  /** Default: `tools/call` alone. */
  methods?: readonly string[]
  /** The key that calls are counted by. Default: the principal, else the network address. */
  by?: (exchange: Exchange) => string
}

/** How many callers are remembered. The caller that was quiet for longest is forgotten first. */
const MOST_CALLERS = 10_000

const OPTIONS: FormsOf<RateLimitOptions> = { requests: 1, per: 1, methods: 1, by: 1 }

interface Bucket {
  left: number
  at: number
}

/**
 * Refuses callers that send too many requests: with 429 and `Retry-After` over HTTP, and a readable error everywhere.
 * The rounds of a call that asks questions count as requests.
 *
 * ```ts
 * app.use(rateLimit({ requests: 60, per: '1m' }))
 * ```
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  requireKnownOptions('rate limit', OPTIONS, options)
  const { requests, per, methods = ['tools/call'], by = senderKey } = options
  const period = parseDuration(per)
  if (!(requests >= 1 && period > 0))
    throw new RangeError('rateLimit needs at least one request in some time')
  const buckets = new Map<string, Bucket>()
  return (exchange, next) => {
    if (!methods.includes(exchange.method)) return next()
    const key = by(exchange)
    const now = performance.now()
    const { left, at } = buckets.get(key) ?? { left: requests, at: now }
    const refilled = Math.min(requests, left + ((now - at) / period) * requests)
    const isRefused = refilled < 1
    // Moves the caller to the end, so that the first caller is the one that was quiet for longest.
    buckets.delete(key)
    buckets.set(key, { left: isRefused ? refilled : refilled - 1, at: now })
    if (buckets.size > MOST_CALLERS) buckets.delete(buckets.keys().next().value as string)
    if (!isRefused) return next()
    const retryAfter = Math.max(1, Math.ceil((((1 - refilled) / requests) * period) / 1000))
    throw new RefusedForLoad(
      `Too many requests: at most ${requests} in ${period / 1000} s. Try again in ${retryAfter} s`,
      {
        reason: 'rate',
        retryAfter,
      },
    )
  }
}
