import type { WireList, WireRecord } from '../contract.ts'

const PAGE = 200
const MAX_PAGE = 2500

/** Ids of several gateways do not tell which exchange was first. */
export function newerFirst(one: Pick<WireRecord, 'at' | 'id'>, other: Pick<WireRecord, 'at' | 'id'>): number {
  return other.at - one.at || other.id - one.id
}

/** How many records make a page. Those of the same millisecond as the last are on it as well: times divide pages. */
export function pageLength(records: readonly Pick<WireRecord, 'at'>[], limit: number = PAGE): number {
  const wanted = Math.max(1, Math.min(limit, MAX_PAGE))
  const last = records[wanted - 1]
  if (!last) return records.length
  const next = records.findIndex(({ at }, index) => index >= wanted && at !== last.at)
  return next === -1 ? records.length : next
}

/** One page of the pages of several gateways. */
export function pageOf(lists: readonly [WireList, ...WireList[]], limit: number | undefined): WireList {
  const all = lists.flatMap(({ records }) => records).sort(newerFirst)
  const records = all.slice(0, pageLength(all, limit))
  const hasMore = records.length < all.length || lists.some(({ next }) => next !== undefined)
  return {
    records,
    ...(hasMore && records.length > 0 && { next: records.at(-1)!.at }),
    kept: lists.reduce((sum, { kept }) => sum + kept, 0),
    capacity: lists.reduce((sum, { capacity }) => sum + capacity, 0),
  }
}
