import { expect, it } from 'vitest'
import { DistinctNames } from './distinct-names.ts'

it('gives each name once', () => {
  const names = new DistinctNames(' ', ['taken'])
  const given = ['a', 'a', 'taken', 'a', 'a 2', '__proto__', '__proto__'].map((name) => names.take(name))
  expect(given).toEqual(['a', 'a 2', 'taken 2', 'a 3', 'a 2 2', '__proto__', '__proto__ 2'])
})

it('takes no longer for many that are the same', () => {
  const names = new DistinctNames('_')
  const began = performance.now()
  const given = new Set(Array.from({ length: 200_000 }, () => names.take('a')))
  expect(given.size).toBe(200_000)
  expect(performance.now() - began).toBeLessThan(5000)
})
