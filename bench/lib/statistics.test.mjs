import { expect, it } from 'vitest'
import { growth, median, percentile, ratio, summary } from './statistics.mjs'

it('finds the middle of an odd and of an even number of values', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(median([])).toBeNaN()
})

it('sorts by number, not by text', () => {
  expect(median([10, 9, 100])).toBe(10)
})

it('finds percentiles between neighbours', () => {
  expect(percentile([0, 10], 0.25)).toBe(2.5)
  expect(percentile([5], 0.99)).toBe(5)
})

it('tells the spread', () => {
  expect(summary([2, 8, 4])).toEqual({ median: 4, low: 2, high: 8 })
})

it('divides round by round', () => {
  // The second round was slow for both: a ratio of medians would not be 2.
  expect(ratio([200, 20, 210], [100, 10, 100])).toEqual({ median: 2, low: 2, high: 2.1 })
})

it('tells constant, linear and quadratic growth apart', () => {
  const points = (cost) => [1, 10, 100, 1000].map((x) => ({ x, y: cost(x) }))
  expect(growth(points(() => 7))).toBeCloseTo(0)
  expect(growth(points((x) => 3 * x))).toBeCloseTo(1)
  expect(growth(points((x) => x * x))).toBeCloseTo(2)
})
