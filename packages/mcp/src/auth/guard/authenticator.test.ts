import { describe, expect, it } from 'vitest'
import { TokenCache } from './authenticator.ts'

describe('TokenCache', () => {
  it('is bounded, and what was used last stays', async () => {
    const cache = new TokenCache<number>(2)
    cache.set('a', 1, 60_000)
    cache.set('b', 2, 60_000)
    expect(cache.get('a')).toBe(1)
    cache.set('c', 3, 60_000)
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3])
    expect(cache.size).toBe(2)
  })

  it('shares a look-up and forgets a failed one', async () => {
    const cache = new TokenCache<number>(10)
    let loads = 0
    const failing = async () => {
      loads += 1
      throw new Error('down')
    }
    const attempts = await Promise.allSettled(
      Array.from({ length: 5 }, () => cache.getOr('a', failing, () => 1000)),
    )
    expect(attempts.every(({ status }) => status === 'rejected')).toBe(true)
    expect(loads).toBe(1)
    expect(
      await cache.getOr(
        'a',
        async () => 7,
        () => 1000,
      ),
    ).toBe(7)
  })

  it('keeps nothing that may not be kept', async () => {
    const cache = new TokenCache<number>(10)
    await cache.getOr(
      'a',
      async () => 1,
      () => 0,
    )
    expect(cache.size).toBe(0)
  })
})
