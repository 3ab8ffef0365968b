import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryStore, type Store } from '../../store/index.ts'
import { KeptKeys } from './kept-keys.ts'

let store: Store
let keys: KeptKeys

beforeEach(() => {
  store = createMemoryStore()
  keys = new KeptKeys(store)
})
afterEach(async () => {
  vi.useRealTimers()
  await store.close()
})

it('a key is found by itself, and says what it was given', async () => {
  const key = await keys.add({
    name: 'ci',
    scopes: ['read'],
    views: ['support'],
    expiresAt: Date.now() + 60_000,
  })
  expect(key).toMatch(/^gk_ci_[0-9A-Za-z]{43}$/)
  expect(await keys.find(key!)).toMatchObject({ name: 'ci', scopes: ['read'], views: ['support'] })
})

it('nothing that is kept opens the door', async () => {
  const key = await keys.add({ name: 'ci' })
  const rows = await store.scan(undefined, 100)
  const texts = await Promise.all(rows.map((row) => store.reveal(row)))
  expect(texts.join()).not.toContain(key!.slice('gk_ci_'.length))
  const { sha256 } = JSON.parse(texts[0]!) as { sha256: string }
  expect(await keys.find(sha256)).toBeUndefined()
  expect(JSON.stringify([await keys.list(), await keys.find(key!)])).not.toContain(sha256)
})

it('a name is given once, also when two ask at the same time', async () => {
  const made = await Promise.all([keys.add({ name: 'ci' }), keys.add({ name: 'ci' })])
  expect(made.filter((key) => key !== undefined)).toHaveLength(1)
  await keys.revoke('ci')
  const again = await keys.add({ name: 'ci' })
  for (const old of made) if (old) expect(await keys.find(old)).toBeUndefined()
  expect(await keys.find(again!)).toMatchObject({ name: 'ci' })
})

it('a key that has expired opens nothing, and is still listed', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const key = await keys.add({ name: 'ci', expiresAt: Date.now() + 1000 })
  expect(await keys.find(key!)).toBeDefined()
  vi.setSystemTime(Date.now() + 1000)
  expect(await keys.find(key!)).toBeUndefined()
  expect(await keys.list()).toHaveLength(1)
})

describe('what is no key', () => {
  it.each([
    '',
    'gk_',
    'gk__',
    'gk_ci_short',
    `gk_ci_${'0'.repeat(43)}`,
    `gk_other_${'0'.repeat(43)}`,
    `gk_${'a'.repeat(65)}_${'0'.repeat(43)}`,
    `gk_\ud800_${'0'.repeat(43)}`,
    `gk_../ci_${'0'.repeat(43)}`,
    'ci',
    'a'.repeat(100_000),
  ])('%.40s', async (text) => {
    await keys.add({ name: 'ci' })
    expect(await keys.find(text)).toBeUndefined()
  })

  it.each(['', ' ', 'a b', 'key:ops', '-a', 'ü', 'a'.repeat(65), 'a\u0000'])('the name %j', async (name) => {
    await expect(keys.add({ name })).rejects.toThrow(/cannot be the name/)
    expect([await keys.get(name), await keys.revoke(name)]).toEqual([undefined, false])
  })
})

it('names with underscores and dots are found', async () => {
  const key = await keys.add({ name: 'team_a.ci-1' })
  expect(await keys.find(key!)).toMatchObject({ name: 'team_a.ci-1' })
})

it('uses are remembered, and forgotten with the key', async () => {
  const key = await keys.add({ name: 'ci' })
  expect(await keys.lastUses()).toEqual(new Map())
  const before = Date.now()
  await keys.find(key!)
  await expect.poll(async () => (await keys.lastUses()).get('ci')).toBeGreaterThanOrEqual(before)
  await keys.revoke('ci')
  expect(await keys.lastUses()).toEqual(new Map())
})

it('followers hear of a revocation', async () => {
  const heard = vi.fn()
  const stop = await keys.follow(heard)
  await keys.add({ name: 'ci' })
  await keys.revoke('ci')
  await expect.poll(() => heard).toHaveBeenCalled()
  stop()
})

it('all keys are listed, beyond one page', async () => {
  for (let index = 0; index < 1005; index++) await keys.add({ name: `k${index}` })
  expect(await keys.list()).toHaveLength(1005)
})
