import { describe, expect, it } from 'vitest'
import type { WireRecord } from './contract.ts'
import { mergeRecords } from './wire-store.ts'

describe('mergeRecords', () => {
  const record = (id: number, status: WireRecord['status'] = 'ok'): WireRecord => ({
    id,
    at: 0,
    method: 'ping',
    client: { revision: '2026-07-28' },
    status,
    messages: 0,
  })

  it('replaces what went on, puts new ones first and old pages last', () => {
    const merged = mergeRecords([record(3, 'running'), record(2)], [record(3), record(5), record(1)])
    expect(merged.map(({ id, status }) => `${id} ${status}`)).toEqual(['5 ok', '3 ok', '2 ok', '1 ok'])
  })

  it('keeps ten thousand', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => record(10_000 - index))
    expect(mergeRecords(many, [record(10_001)])).toHaveLength(10_000)
  })
})
