import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RateModel } from '../../model/index.ts'
import { RateCounts, Share, type Counted } from './rate-counts.ts'

const LIMIT = {
  name: 'few',
  rate: { calls: 60, seconds: 60, burst: 10 },
  concurrent: 3,
} as unknown as RateModel
const SHARE = new Share(LIMIT, 'limit few ann')

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Processes that tell each other what they count. */
function processes(count: number): { all: RateCounts[]; gone(at: number): void } {
  const all = Array.from({ length: count }, () => new RateCounts())
  const hears: ((from: number, counted: Counted | undefined) => void)[] = []
  const toOthers = (from: number, counted: Counted | undefined): void => {
    for (const [at, hear] of hears.entries()) if (at !== from) hear(from, counted)
  }
  for (const [at, counts] of all.entries()) hears.push(counts.shareWith((counted) => toOthers(at, counted)))
  return { all, gone: (at) => toOthers(at, undefined) }
}

const spend = (counts: RateCounts, times: number): number => {
  let granted = 0
  for (let call = 0; call < times; call++) {
    if (counts.local.spend(SHARE.buckets(1)).granted) granted++
  }
  return granted
}
const tell = (): void => void vi.advanceTimersByTime(100)

describe('processes that count together', () => {
  it('share what a limit allows', () => {
    const { all } = processes(4)
    expect(spend(all[0]!, 8)).toBe(8)
    tell()
    expect(all.map((counts) => spend(counts, 5)).slice(1)).toEqual([2, 2, 2])
  })

  it('allow no more in the long run when calls come to all of them in one moment', () => {
    const { all } = processes(4)
    let granted = 0
    for (let second = 0; second < 600; second++) {
      for (const counts of all) granted += spend(counts, 10)
      vi.advanceTimersByTime(1000)
    }
    // One call a second, and at most what four bursts are.
    expect(granted).toBeLessThanOrEqual(600 + 4 * 10)
    expect(granted).toBeGreaterThanOrEqual(600)
  })

  it('count calls under way together, and forget those of a process that is gone', () => {
    const { all, gone } = processes(2)
    const [one, two] = all as [RateCounts, RateCounts]
    const refusal = (): Error => new Error('too many')
    const leave = [0, 1, 2].map(() => one.running.enter([SHARE], refusal))
    expect(() => one.running.enter([SHARE], refusal)).toThrow('too many')
    two.running.enter([SHARE], refusal)()
    tell()
    expect(() => two.running.enter([SHARE], refusal)).toThrow('too many')
    leave[0]!()
    tell()
    two.running.enter([SHARE], refusal)()
    gone(0)
    for (let call = 0; call < 3; call++) two.running.enter([SHARE], refusal)
    expect(() => two.running.enter([SHARE], refusal)).toThrow('too many')
  })

  it('get back what a call did not use in the end', () => {
    const { all } = processes(2)
    expect(spend(all[0]!, 10)).toBe(10)
    tell()
    expect(spend(all[1]!, 1)).toBe(0)
    all[0]!.local.giveBack(SHARE.buckets(1))
    tell()
    expect(spend(all[1]!, 5)).toBe(1)
  })
})
