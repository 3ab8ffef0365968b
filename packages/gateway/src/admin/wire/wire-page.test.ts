import { expect, it } from 'vitest'
import type { WireList, WireRecord } from '../contract.ts'
import { pageLength, pageOf } from './wire-page.ts'

const record = (id: number, at: number): WireRecord => ({
  id,
  at,
  method: 'ping',
  client: { revision: '2026-07-28' },
  status: 'ok',
  messages: 0,
})

/** What a gateway answers that has these records. */
function listOf(records: readonly WireRecord[], limit: number, before = Number.POSITIVE_INFINITY): WireList {
  const older = records.filter(({ at }) => at < before).sort((a, b) => b.at - a.at || b.id - a.id)
  const page = older.slice(0, pageLength(older, limit))
  const next = page.length < older.length ? { next: page.at(-1)!.at } : {}
  return { records: page, ...next, kept: records.length, capacity: 100 }
}

it('ends a page behind a millisecond, so that times divide pages', () => {
  const records = [record(5, 30), record(4, 20), record(3, 20), record(2, 20), record(1, 10)]
  expect(pageLength(records, 1)).toBe(1)
  expect(pageLength(records, 2)).toBe(4)
  expect(pageLength(records, 4)).toBe(4)
  expect(pageLength(records, 9)).toBe(5)
  expect(pageLength([], 2)).toBe(0)
})

it.each([1, 2, 3, 7, 50])('shows all records of several gateways once, %i at a time', (limit) => {
  // Many of the same millisecond, and one gateway that has far more than the other.
  const busy = Array.from({ length: 40 }, (_, index) => record(1_000 + index, Math.floor(index / 3)))
  const quiet = Array.from({ length: 5 }, (_, index) => record(9_000 + index, index * 7))
  const seen: WireRecord[] = []
  let before: number | undefined
  do {
    const page: WireList = pageOf([listOf(busy, limit, before), listOf(quiet, limit, before)], limit)
    expect(page.kept).toBe(45)
    seen.push(...page.records)
    before = page.next
  } while (before !== undefined)
  expect(seen).toEqual([...busy, ...quiet].sort((a, b) => b.at - a.at || b.id - a.id))
})
