import { expect, it } from 'vitest'
import { createMemoryStore } from '../../store/index.ts'
import { AdminToken } from './admin-token.ts'

const fail = (error: unknown): never => {
  throw error
}

it('is one token for gateways that share a store, also when they start at once', async () => {
  const store = createMemoryStore()
  const started = await Promise.all([1, 2, 3, 4].map(() => AdminToken.load(store, fail)))
  expect(new Set(started.map(({ value }) => value)).size).toBe(1)
  expect((await AdminToken.load(store, fail)).value).toBe(started[0]!.value)
})

it('is another one when it was renewed, and the old one opens nothing', async () => {
  const store = createMemoryStore()
  const token = await AdminToken.load(store, fail)
  const old = token.value
  expect(token.matches(old)).toBe(true)
  const renewed = await token.renew()
  expect([token.matches(old), token.matches(renewed)]).toEqual([false, true])
  expect((await AdminToken.load(store, fail)).value).toBe(renewed)
})

it('lasts as long as the process where the store does not work, and says so', async () => {
  const broken = { rows: () => fail(new Error('the disk is full')) } as never
  const said: unknown[] = []
  const token = await AdminToken.load(broken, (error) => said.push(error))
  expect(token.matches(token.value)).toBe(true)
  expect(String(said)).toContain('the disk is full')
})
