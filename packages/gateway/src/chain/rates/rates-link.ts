import { createHash } from 'node:crypto'
import {
  callerKey,
  describePrincipal,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  ProtocolError,
  writeJson,
} from '@gantry/mcp/exchange'
import type { RateModel } from '../../model/index.ts'
import { isStoreAway, type Spent, type Store } from '../../store/index.ts'
import type { GatewayExchange, ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { forEachObject, isAbout } from '../results/result-handling.ts'
import { factsOf } from '../view/facts-of.ts'
import type { NamedBuckets } from './local-buckets.ts'
import { OverLimit } from './over-limit.ts'
import { type RateCounts, Share } from './rate-counts.ts'

/** Requests about a task, and completions, belong to calls that were counted before. */
const UNCOUNTED = /^(?:tasks\/|completion\/)/

/** Counts calls against the limits of the configuration. A call takes its share of all of them, or is refused. */
export function ratesLink(limits: readonly RateModel[], store: Store, counts: RateCounts): Link | undefined {
  if (limits.length === 0) return undefined
  const limitsOf = forEachObject((resolved) => limits.filter((limit) => isAbout(limit, resolved)))
  return (given, next) => {
    if (UNCOUNTED.test(given.method)) return next()
    const exchange = given as ResolvedExchange
    const own = limitsOf(exchange.resolved)
    if (own.length === 0) return next()
    const caller = callerKey(exchange)
    let leave: (() => void) | undefined
    const refuse = (thrown: unknown): never => {
      leave?.()
      throw thrown
    }
    try {
      const shares = own.map((limit) => shareOf(limit, exchange, caller, counts))
      if (own.some(({ concurrent }) => concurrent !== undefined)) {
        leave = counts.running.enter(shares, (limit) => tooMany(limit, counts))
        exchange.whenOver(leave)
      }
      const spending = spend(shares, exchange, counts, store)
      if (spending) return spending.then(() => next(), refuse)
    } catch (thrown) {
      return refuse(thrown)
    }
    return next()
  }
}

function tooMany(limit: RateModel, counts: RateCounts): OverLimit {
  return refusal(limit, 1, `${limit.concurrent} calls are under way already`, counts)
}

/** No promise is made where only this process counts. */
function spend(
  shares: readonly Share[],
  exchange: GatewayExchange,
  counts: RateCounts,
  store: Store,
): Promise<void> | undefined {
  const here: NamedBuckets[number][] = []
  const everywhere: NamedBuckets[number][] = []
  for (const share of shares) {
    const { limit } = share
    const buckets = limit.shared ? everywhere : here
    for (const one of share.buckets(costOf(limit, exchange))) buckets.push(one)
  }
  if (here.length > 0) requireGranted(counts.local.spend(here), shares, counts)
  if (everywhere.length === 0) return undefined
  // A call that other processes refuse takes nothing here, and a call that this process refuses takes nothing there.
  return spendShared(everywhere, shares, counts, store)
    .then((spent) => requireGranted(spent, shares, counts))
    .catch((error: unknown) => {
      counts.local.giveBack(here)
      throw error
    })
}

/**
 * While the store cannot be reached, this process counts for itself, unless the configuration says to refuse calls
 * then.
 */
async function spendShared(
  buckets: NamedBuckets,
  shares: readonly Share[],
  counts: RateCounts,
  store: Store,
): Promise<Spent> {
  try {
    return await store.spend(Object.fromEntries(buckets))
  } catch (error) {
    const mayCount = shares.every(({ limit }) => !limit.shared || limit.storeAway === 'local')
    if (mayCount && isStoreAway(error)) {
      return counts.local.spend(buckets)
    }
    throw error
  }
}

function requireGranted(spent: Spent, shares: readonly Share[], counts: RateCounts): void {
  if (spent.granted) return
  const { limit } = shares.find(({ key }) => spent.scarcest.startsWith(`${key} `))!
  if (!Number.isFinite(spent.retryAfter)) throw never(limit, counts)
  throw refusal(limit, Math.max(1, Math.ceil(spent.retryAfter / 1000)), 'the limit is used up', counts)
}

/** Waiting does not help, so no time is named. */
function never(limit: RateModel, counts: RateCounts): ProtocolError {
  counts.refused(limit)
  const text = `"${limit.name}" does not allow this call: it takes more than the limit ever has; ask for less`
  return new ProtocolError(INVALID_REQUEST, text, { reason: 'limit', limit: limit.name })
}

function refusal(limit: RateModel, seconds: number, why: string, counts: RateCounts): OverLimit {
  counts.refused(limit)
  return new OverLimit(`"${limit.name}" does not allow this call now: ${why}; try again in ${seconds} s`, {
    reason: 'limit',
    data: { limit: limit.name },
    retryAfter: seconds,
  })
}

function shareOf(limit: RateModel, exchange: ResolvedExchange, caller: string, counts: RateCounts): Share {
  const { by } = limit
  const value = by ? evaluate(limit, () => by.evaluate(factsOf(exchange))) : caller
  const text = by ? String(JSON.stringify(value)) : (value as string)
  const share = keptShare(limit, text, value)
  counts.counted(share, by ? text : nameOf(exchange))
  return share
}

/** For people. */
function nameOf({ auth, client }: GatewayExchange): string {
  return auth ? describePrincipal(auth.principal) : (client.info?.name ?? 'without credentials')
}

const MOST_SHARES = 10_000
const SHORT = 200
const kept = new WeakMap<RateModel, Map<string, Share>>()

/** Hashing costs more than all else here, and most callers come again. */
function keptShare(limit: RateModel, text: string, value: unknown): Share {
  let shares = kept.get(limit)
  if (!shares) {
    shares = new Map()
    kept.set(limit, shares)
  }
  let share = shares.get(text)
  if (!share) {
    // The length of keys is limited, the length of values of expressions is not.
    const hash = createHash('sha256')
      .update(JSON.stringify([limit.name, value]))
      .digest('base64url')
    share = new Share(limit, `limit ${limit.name.slice(0, 100)} ${hash}`)
    if (shares.size >= MOST_SHARES) shares.clear()
    if (text.length <= SHORT) shares.set(text, share)
  }
  return share
}

/** A text such as "900" is no cost: some servers take it for the number. */
function costOf(limit: RateModel, exchange: GatewayExchange): number {
  const { cost } = limit
  if ('value' in cost && typeof cost.value === 'number') return cost.value
  return evaluate(limit, () => {
    const value = 'value' in cost ? cost.value : cost.expression.evaluate(factsOf(exchange))
    if (typeof value === 'number' && value >= 0) return value
    throw new Error(`its cost is not a number from 0 on: ${writeJson(value)?.slice(0, 100)}`)
  })
}

/** When the value of a limit cannot be computed, the call is refused. */
function evaluate<T>(limit: RateModel, work: () => T): T {
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
