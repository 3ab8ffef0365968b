import { describe, expect, it } from 'vitest'
import { parseByteSize, parseDuration } from './quantities.ts'

describe('parseDuration', () => {
  it.each([
    [250, 250],
    ['250', 250],
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5m', 90_000],
    ['2 h', 7_200_000],
    ['1D', 86_400_000],
    [0, 0],
    ['30d', 2 ** 31 - 1],
    [1e15, 2 ** 31 - 1],
  ])('%s → %s', (value, expected) => {
    expect(parseDuration(value)).toBe(expected)
  })

  it.each([
    ['soon'],
    ['-1s'],
    [''],
    ['5 parsecs'],
    ['5constructor'],
    [-1],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
  ])('%s is not one', (value) => {
    expect(parseDuration(value)).toBeUndefined()
  })
})

describe('parseByteSize', () => {
  it('knows the usual units', () => {
    expect([parseByteSize('4MB'), parseByteSize('512kb'), parseByteSize(10), parseByteSize('1gb')]).toEqual([
      4_194_304, 524_288, 10, 1_073_741_824,
    ])
    expect(parseByteSize('4 potatoes')).toBeUndefined()
  })
})
