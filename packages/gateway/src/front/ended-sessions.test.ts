import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { createMemoryStore, type Rows, StoreError } from '../store/index.ts'
import { EndedSessions } from './ended-sessions.ts'

const keyOf = (one: number): string => createHash('sha256').update(String(one)).digest('base64url')
const rowsOf = (maxRows: number): Rows => createMemoryStore().rows({ name: 'ended-sessions', maxRows })

it('keeps the session that has just ended when there are as many as there may be', async () => {
  const ended = new EndedSessions(rowsOf(300))
  for (let one = 0; one < 1_000; one++) {
    await ended.add(keyOf(one))
    expect(await ended.has(keyOf(one))).toBe(true)
  }
})

it('writes what the store did not take as soon as it does', async () => {
  const rows = rowsOf(300)
  let isAway = true
  const put: Rows['put'] = async (...given) => {
    if (isAway) throw new StoreError('unavailable', 'The store is away')
    return rows.put(...given)
  }
  const ended = new EndedSessions({ ...rows, put })
  const another = new EndedSessions(rows)
  await ended.add(keyOf(1))
  await ended.add(keyOf(2))
  expect(await ended.has(keyOf(1))).toBe(true)
  expect(await another.has(keyOf(1))).toBe(false)
  isAway = false
  await expect.poll(() => another.has(keyOf(1))).toBe(true)
  await expect.poll(() => another.has(keyOf(2))).toBe(true)
})
