import { afterEach, describe, expect, it, vi } from 'vitest'
import { DpopReplays } from './dpop-proof.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('DpopReplays', () => {
  it('knows what it has seen until it cannot be used any more', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
    const replays = new DpopReplays()
    expect(replays.isNew('a', 1_000_000, 60_000)).toBe(true)
    expect(replays.isNew('a', 1_000_000, 60_000)).toBe(false)
    vi.setSystemTime(1_060_001)
    expect(replays.isNew('b', 1_060_000, 60_000)).toBe(true)
    expect(replays.size).toBe(1)
  })

  it('is bounded, and a proof that was forgotten is still not good twice', () => {
    const replays = new DpopReplays(100)
    const now = Date.now()
    for (let index = 0; index < 1000; index += 1) {
      expect(replays.isNew(`p${index}`, now + index, 60_000)).toBe(true)
    }
    expect(replays.size).toBe(100)
    for (let index = 0; index < 1000; index += 1) {
      expect(replays.isNew(`p${index}`, now + index, 60_000)).toBe(false)
    }
    expect(replays.isNew('fresh', now + 1000, 60_000)).toBe(true)
  })
})
