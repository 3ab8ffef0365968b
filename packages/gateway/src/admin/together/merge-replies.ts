import type {
  Access,
  AccessLimit,
  CallName,
  Cause,
  ClientRow,
  RouteReply,
  RuleFigures,
  TargetCard,
  WhyReport,
} from '../contract.ts'
import type { ApiRequest } from '../handlers.ts'
import { pageOf } from '../wire/wire-page.ts'
import { byName, mergeBuckets, mergeCards, mergeDetails, mergeStats, sumOf } from './merge-figures.ts'

/** What each gateway answers, our own first. */
type Replies<Name extends CallName> = readonly [RouteReply<Name>, ...RouteReply<Name>[]]

type Merges = {
  readonly [Name in CallName]?: (replies: Replies<Name>, request: ApiRequest<Name>) => RouteReply<Name>
}

/** Routes whose answers are put together from the answers of all gateways. */
export const MERGES: Merges = {
  overview: (all) => {
    const targets = cardsOf(all)
    return {
      ...all[0],
      targets,
      total: mergeStats(all.map(({ total }) => total)),
      hadClients: all.some(({ hadClients }) => hadClients),
      inFlight: sumOf(all, ({ inFlight }) => inFlight),
      gateway: {
        ...all[0].gateway,
        processes: all.length,
        memory: {
          rss: sumOf(all, ({ gateway }) => gateway.memory.rss),
          heapUsed: sumOf(all, ({ gateway }) => gateway.memory.heapUsed),
        },
      },
    }
  },
  load: (all) => ({ ...all[0], buckets: mergeBuckets(all.map(({ buckets }) => buckets)) }),
  targets: (all) => ({ targets: cardsOf(all) }),
  target: (all) => mergeDetails(all),
  targetAction: (all) => mergeCards(all),
  stderr: (all) => {
    const newest = ({ lines }: (typeof all)[0]): number => lines.at(-1)?.at ?? 0
    return all.toSorted((one, other) => newest(other) - newest(one))[0]!
  },
  playgroundCalls: (all) => ({
    calls: newestFirst(
      all.flatMap(({ calls }) => calls),
      'startedAt',
    ),
  }),
  wire: (all, { query }) => pageOf(all, query?.limit),
  clearWire: (all) => all[0],
  log: (all, { query }) => ({
    lines: newestFirst(
      all.flatMap(({ lines }) => lines),
      'at',
    ).slice(0, query?.limit),
  }),
  audit: (all, { query }) => {
    const events = byName(
      all.flatMap((one) => one.events),
      ({ id }) => id,
      ([event]) => event,
    )
    const failure = all.find((one) => one.failure !== undefined)?.failure
    return {
      ...all[0],
      events: newestFirst(events, 'at').slice(
        0,
        query?.limit ?? Math.max(...all.map((one) => one.events.length)),
      ),
      lost: sumOf(all, ({ lost }) => lost),
      ...(failure !== undefined && { failure }),
    }
  },
  clients: (all) => {
    const rows = byName(
      all.flatMap(({ clients }) => clients),
      ({ id }) => id,
      mergeClients,
    )
    return { clients: newestFirst(rows, 'lastSeen') }
  },
  waiting: (all) => ({
    calls: all.flatMap(({ calls }) => calls).sort((one, other) => one.since - other.since),
  }),
  why: mergeWhy,
  access: mergeAccess,
}

/** Each process knows of its own connections and calls only: what is wrong elsewhere comes behind what is known here. */
function mergeWhy([own, ...others]: Replies<'why'>): WhyReport {
  const keyOf = ({ code, target }: Cause): string => `${code} ${target ?? ''}`
  const known = new Set(own.chain.map(keyOf))
  const wrong = others
    .flatMap(({ chain }) => chain)
    .filter((cause) => cause.status !== 'ok' && !known.has(keyOf(cause)))
  const added = byName(wrong, keyOf, ([cause]) => ({ ...cause, title: `${cause.title}, at another process` }))
  const [first] = added.filter(({ status }) => status === 'problem')
  const isHereOnly = first !== undefined && own.verdict === 'available'
  return {
    ...own,
    ...(isHereOnly && { verdict: 'degraded', summary: first.title }),
    chain: [...own.chain, ...added],
  }
}

function newestFirst<T>(values: readonly T[], key: keyof T): T[] {
  return values.toSorted((one, other) => Number(other[key]) - Number(one[key]))
}

/** In the order of our own configuration. */
function cardsOf(all: Replies<'targets'>): TargetCard[] {
  const own = new Set(all[0].targets.map(({ name }) => name))
  const cards = all.flatMap(({ targets }) => targets).filter(({ name }) => own.has(name))
  return byName(cards, ({ name }) => name, mergeCards)
}

/** A modern client may have been at all of them. */
function mergeClients(same: readonly [ClientRow, ...ClientRow[]]): ClientRow {
  return {
    ...same[0],
    since: Math.min(...same.map(({ since }) => since)),
    lastSeen: Math.max(...same.map(({ lastSeen }) => lastSeen)),
    requests: sumOf(same, ({ requests }) => requests),
    inFlight: same.flatMap(({ inFlight }) => inFlight),
    canDisconnect: same.some(({ canDisconnect }) => canDisconnect),
    connected: same.some(({ connected }) => connected),
  }
}

function mergeAccess(all: Replies<'access'>): Access {
  const [own] = all
  const callers = byName(
    all.flatMap((one) => one.callers),
    ({ as, issuer }) => JSON.stringify([as, issuer]),
    (same) => ({
      ...same[0],
      clients: [...new Set(same.flatMap(({ clients }) => clients))],
      requests: sumOf(same, ({ requests }) => requests),
      lastSeen: Math.max(...same.map(({ lastSeen }) => lastSeen)),
    }),
  )
  return {
    ...own,
    callers: newestFirst(callers, 'lastSeen'),
    keys: own.keys.map((key) => {
      const { requests, lastSeen } = callers.find(({ as }) => as === `key:${key.name}`) ?? key
      return { ...key, requests, ...(lastSeen !== undefined && { lastSeen }) }
    }),
    policy: {
      ...own.policy,
      byDefault: sumFigures(all.map(({ policy }) => policy.byDefault)),
      rules: own.policy.rules.map((rule) => ({
        ...rule,
        ...sumFigures(all.flatMap(({ policy }) => policy.rules.filter(({ name }) => name === rule.name))),
      })),
    },
    limits: own.limits.map((limit) =>
      mergeLimits(
        limit,
        all.flatMap(({ limits }) => limits.filter(({ name }) => name === limit.name)),
      ),
    ),
    found: byName(
      all.flatMap(({ found }) => found),
      ({ name }) => name,
      (same) => ({
        name: same[0].name,
        mask: sumOf(same, ({ mask }) => mask),
        drop: sumOf(same, ({ drop }) => drop),
        refuse: sumOf(same, ({ refuse }) => refuse),
      }),
    ),
  }
}

function sumFigures(all: readonly RuleFigures[]): RuleFigures {
  return {
    allowed: sumOf(all, ({ allowed }) => allowed),
    denied: sumOf(all, ({ denied }) => denied),
    failed: sumOf(all, ({ failed }) => failed),
    wouldDeny: sumOf(all, ({ wouldDeny }) => wouldDeny),
  }
}

/** A caller is shown as full as it is anywhere: it is refused there. */
function mergeLimits(own: AccessLimit, all: readonly AccessLimit[]): AccessLimit {
  const fullness = ({ fills }: AccessLimit['shares'][number]): number =>
    Math.max(...fills.map(({ used, capacity }) => used / capacity))
  const fullest = all.flatMap(({ shares }) => shares).sort((one, other) => fullness(other) - fullness(one))
  const shares = byName(
    fullest,
    ({ who }) => who,
    ([first]) => first,
  )
  return {
    ...own,
    refused: sumOf(all, ({ refused }) => refused),
    counted: Math.max(shares.length, ...all.map(({ counted }) => counted)),
    shares: shares.slice(0, Math.max(...all.map((one) => one.shares.length))),
  }
}
