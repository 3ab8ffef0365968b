import type { TargetCard, TargetDetail, TrafficBucket, TrafficStats } from '../contract.ts'

export function sumOf<T>(values: readonly T[], of: (value: T) => number | undefined): number {
  return values.reduce((sum, value) => sum + (of(value) ?? 0), 0)
}

/** Keeps the first item of each name; `merge` joins items with the same name. */
export function byName<T>(
  values: readonly T[],
  nameOf: (value: T) => string,
  merge: (same: readonly [T, ...T[]]) => T,
): T[] {
  const groups = new Map<string, [T, ...T[]]>()
  for (const value of values) {
    const same = groups.get(nameOf(value))
    if (same) same.push(value)
    else groups.set(nameOf(value), [value])
  }
  return [...groups.values()].map(merge)
}

export function mergeBuckets(lists: readonly (readonly TrafficBucket[])[]): TrafficBucket[] {
  const [own = [], ...others] = lists
  const added = new Map<number, TrafficBucket[]>()
  for (const bucket of others.flat()) added.set(bucket.at, [...(added.get(bucket.at) ?? []), bucket])
  return own.map((bucket) => {
    const same = [bucket, ...(added.get(bucket.at) ?? [])]
    return { at: bucket.at, calls: sumOf(same, (one) => one.calls), errors: sumOf(same, (one) => one.errors) }
  })
}

/** Each gateway knows only its own times, so the times of all are means of theirs, weighted by calls. */
export function mergeStats(all: readonly TrafficStats[]): TrafficStats {
  const calls = sumOf(all, (one) => one.calls)
  const errors = sumOf(all, (one) => one.errors)
  const mean = (of: 'p50' | 'p95'): number =>
    Math.round((100 * sumOf(all, (one) => (one[of] ?? 0) * one.calls)) / calls) / 100
  return {
    calls,
    errors,
    ...(calls > 0 && { errorRate: errors / calls, p50: mean('p50'), p95: mean('p95') }),
    traffic: mergeBuckets(all.map(({ traffic }) => traffic)),
  }
}

/**
 * A program is at one gateway, and the others connect to that gateway. A program that does not start is a problem of
 * that gateway.
 */
function ownerOf<T extends TargetCard>(cards: readonly [T, ...T[]]): T | undefined {
  if (cards[0].kind !== 'stdio') return undefined
  return cards.find(({ transport }) => transport === 'stdio') ?? cards.find(({ problem }) => problem)
}

/** The card of the gateway that has the program, else our own, with what all of them have seen. */
export function mergeCards(cards: readonly [TargetCard, ...TargetCard[]]): TargetCard {
  const owner = ownerOf(cards)
  const stats = mergeStats(cards.map((card) => card.stats))
  if (owner) return { ...owner, stats, endpoint: cards[0].endpoint }
  const breaks = cards.flatMap((card) => card.breaks ?? [])
  return {
    ...cards[0],
    stats,
    restarts: sumOf(cards, ({ restarts }) => restarts),
    connections: sumOf(cards, ({ connections }) => connections),
    inFlight: sumOf(cards, ({ inFlight }) => inFlight),
    ...(breaks[0] && { breaks: { ...breaks[0], at: breaks.flatMap(({ at }) => at).sort((a, b) => a - b) } }),
  }
}

/** The same in full: where there is no program, the connections of all. */
export function mergeDetails(details: readonly [TargetDetail, ...TargetDetail[]]): TargetDetail {
  const [own, ...others] = details
  const owner = ownerOf(details)
  const card = mergeCards(details)
  if (owner) return { ...owner, ...card, config: own.config }
  const theirs = others.flatMap(({ instances }, at) =>
    instances.map((one) => ({
      ...one,
      key: `${one.key} at ${at + 2}`,
      label: `${one.label}, at process ${at + 2}`,
    })),
  )
  return { ...own, ...card, instances: [...own.instances, ...theirs] }
}
