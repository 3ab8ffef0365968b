import { describe, expect, it } from 'vitest'
import { MemoryStore } from './store.ts'

const HOUR = 3_600_000

async function keysOf(store: MemoryStore, keys: string[]): Promise<string[]> {
  const values = await Promise.all(keys.map((key) => store.get(key)))
  return keys.filter((_, index) => values[index] !== undefined)
}

describe('MemoryStore', () => {
  it('gives back what was set, the newest of it, until it is deleted or too old', async () => {
    const store = new MemoryStore()
    await store.set('a', 'first', HOUR)
    await store.set('a', 'second', HOUR)
    await store.set('gone', 'x', -1)
    expect(await store.get('a')).toBe('second')
    expect(await store.get('gone')).toBeUndefined()
    await store.delete('a')
    expect(await store.get('a')).toBeUndefined()
  })

  it('is bounded in number; what has expired goes first, then the oldest', async () => {
    const store = new MemoryStore({ maxEntries: 2 })
    await store.set('old', 'x', HOUR)
    await store.set('expired', 'x', -1)
    await store.set('new', 'x', HOUR)
    expect(await keysOf(store, ['old', 'expired', 'new'])).toEqual(['old', 'new'])
    await store.set('newest', 'x', HOUR)
    expect(await keysOf(store, ['old', 'new', 'newest'])).toEqual(['new', 'newest'])
  })

  it('is bounded in size, and forgets the size of what it forgets', async () => {
    const store = new MemoryStore({ maxCharacters: 100 })
    for (let round = 0; round < 50; round++) await store.set('same', 'x'.repeat(90), HOUR)
    expect(await keysOf(store, ['same'])).toEqual(['same'])
    await store.set('other', 'x'.repeat(50), HOUR)
    expect(await keysOf(store, ['same', 'other'])).toEqual(['other'])
    await store.set('too large', 'x'.repeat(101), HOUR)
    expect(await keysOf(store, ['other', 'too large'])).toEqual([])
    await store.set('fits', 'x'.repeat(100), HOUR)
    expect(await keysOf(store, ['fits'])).toEqual(['fits'])
  })
})
