import { createHash } from 'node:crypto'
import {
  callerKey,
  describePrincipal,
  INTERNAL_ERROR,
  ProtocolError,
  RefusedForLoad,
} from '@gantry/mcp/exchange'
import type { RateModel } from '../../model/index.ts'
import type { Bucket, Spent, Store } from '../../store/index.ts'
import type { GatewayExchange, ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { isAbout } from '../results/result-handling.ts'
import { factsOf } from '../view/facts-of.ts'
import { bucketsOf, type RateCounts, type Share } from './rate-counts.ts'

/** News of a task, and suggestions, are part of what was counted before. */
const UNCOUNTED = /^(?:tasks\/|completion\/)/

/** Counts calls against the limits of the configuration. A call takes its share of all of them, or is refused. */
export function ratesLink(limits: readonly RateModel[], store: Store, counts: RateCounts): Link | undefined {
  if (limits.length === 0) return undefined
  return async (given, next) => {
    if (UNCOUNTED.test(given.method)) return next()
    const exchange = given as ResolvedExchange
    const shares = limits
      .filter((limit) => isAbout(limit, exchange.resolved))
      .map((limit) => shareOf(limit, exchange, counts))
    if (shares.length === 0) return next()
    const leave = counts.running.enter(shares, (limit) => tooMany(limit, counts))
    try {
      await spend(shares, exchange, counts, store)
      return await next()
    } finally {
      leave()
    }
  }
}

function tooMany(limit: RateModel, counts: RateCounts): RefusedForLoad {
  return refusal(limit, 1, `${limit.concurrent} calls are under way already`, counts)
}

async function spend(
  shares: readonly Share[],
  exchange: GatewayExchange,
  counts: RateCounts,
  store: Store,
): Promise<void> {
  const here: Record<string, Bucket> = {}
  const everywhere: Record<string, Bucket> = {}
  for (const share of shares) {
    const { limit } = share
    Object.assign(limit.shared ? everywhere : here, bucketsOf(share, costOf(limit, exchange)))
  }
  const require = (spent: Spent): void => requireGranted(spent, shares, counts)
  const isLocal = Object.keys(here).length > 0
  if (Object.keys(everywhere).length > 0) {
    // What this process refuses must take nothing from the others.
    if (isLocal) require(counts.local.look(here))
    require(await store.spend(everywhere))
  }
  if (isLocal) require(counts.local.spend(here))
}

function requireGranted(spent: Spent, shares: readonly Share[], counts: RateCounts): void {
  if (spent.granted) return
  const { limit } = shares.find(({ key }) => spent.scarcest.startsWith(`${key} `))!
  const seconds = Number.isFinite(spent.retryAfter)
    ? Math.max(1, Math.ceil(spent.retryAfter / 1000))
    : undefined
  throw refusal(
    limit,
    seconds,
    seconds === undefined ? 'it takes more than the limit ever has' : 'the limit is used up',
    counts,
  )
}

function refusal(
  limit: RateModel,
  seconds: number | undefined,
  why: string,
  counts: RateCounts,
): RefusedForLoad {
  counts.refused(limit)
  const advice = seconds === undefined ? 'ask for less' : `try again in ${seconds} s`
  return new RefusedForLoad(`"${limit.name}" does not allow this call now: ${why}; ${advice}`, {
    reason: 'limit',
    data: { limit: limit.name },
    ...(seconds !== undefined && { retryAfter: seconds }),
  })
}

/** Keys have a limit, and values of expressions have none. */
function shareOf(limit: RateModel, exchange: ResolvedExchange, counts: RateCounts): Share {
  const value = limit.by ? evaluate(limit, () => limit.by!.evaluate(factsOf(exchange))) : callerKey(exchange)
  const hash = hashOf(JSON.stringify([limit.name, value]))
  const share = { limit, key: `limit ${limit.name.slice(0, 100)} ${hash}` }
  counts.counted(share, limit.by ? String(JSON.stringify(value)) : nameOf(exchange))
  return share
}

/** For people. */
function nameOf({ auth, client }: GatewayExchange): string {
  return auth ? describePrincipal(auth.principal) : (client.info?.name ?? 'without credentials')
}

const MOST_HASHES = 10_000
const SHORT = 200
const hashes = new Map<string, string>()

/** Hashing costs more than all else here, and most callers come again. */
function hashOf(text: string): string {
  let hash = hashes.get(text)
  if (hash === undefined) {
    hash = createHash('sha256').update(text).digest('base64url')
    if (hashes.size >= MOST_HASHES) hashes.clear()
    if (text.length <= SHORT) hashes.set(text, hash)
  }
  return hash
}

function costOf(limit: RateModel, exchange: GatewayExchange): number {
  const { cost } = limit
  const value =
    'value' in cost ? cost.value : evaluate(limit, () => cost.expression.evaluate(factsOf(exchange)))
  return typeof value === 'number' && value >= 0 ? value : 1
}

/** A limit that cannot be worked out is not passed. */
function evaluate(limit: RateModel, work: () => unknown): unknown {
  try {
    return work()
  } catch (cause) {
    throw new ProtocolError(
      INTERNAL_ERROR,
      `The gateway could not work out the limit "${limit.name}" for this call`,
      undefined,
      {
        cause,
      },
    )
  }
}
