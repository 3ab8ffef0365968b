import { afterEach, beforeEach, expect, it } from 'vitest'
import { callEvent, testTrail } from '../../packages/gateway/src/audit/trail-parts.test.support.ts'
import { openWorkshop, type Workshop } from './support/gantry.ts'

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(() => shop.close())

it('gantry audit tail --follow prints the last events, then those that come, in whichever file', async () => {
  const small = { maxFileBytes: 2000 }
  const trail = testTrail(shop.dir, small)
  await trail.open()
  for (const number of [1, 2, 3]) await trail.record(callEvent(number))
  const tail = shop.start('audit', 'tail', '--follow', '--folder', 'audit', '--json')
  const printed = (): string[] => {
    const events = tail.out.trim().split('\n').filter(Boolean)
    return events.map((line) => JSON.parse(line).api.request?.uid).filter((id) => id !== undefined)
  }
  await expect.poll(printed).toEqual(['1', '2', '3'])
  for (const number of [4, 5, 6, 7]) await trail.record(callEvent(number))
  await expect.poll(printed).toEqual(['1', '2', '3', '4', '5', '6', '7'])
  // The chain of another process.
  const other = testTrail(shop.dir, small)
  await other.open()
  await other.record(callEvent(8))
  await expect.poll(printed).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
  expect((await tail.stop('SIGINT')).code).toBe(0)
  await trail.close()
  await other.close()
})
