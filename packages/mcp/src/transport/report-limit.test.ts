import { expect, it } from 'vitest'
import { ReportLimit } from './report-limit.ts'

it('lets some through each second and counts the others', () => {
  let now = 0
  const limit = new ReportLimit(2, () => now)
  const take = (times: number): (number | undefined)[] => Array.from({ length: times }, () => limit.take())
  expect(take(5)).toEqual([0, 0, undefined, undefined, undefined])
  now = 999
  expect(take(1)).toEqual([undefined])
  now = 1000
  expect(take(3)).toEqual([4, 0, undefined])
  now = 5000
  expect(take(2)).toEqual([1, 0])
})
