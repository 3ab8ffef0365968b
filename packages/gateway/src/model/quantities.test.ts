import { describe, expect, it } from 'vitest'
import { readByteSize, readDuration } from './quantities.ts'

describe('readDuration', () => {
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
    expect(readDuration(value)).toBe(expected)
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
    expect(readDuration(value)).toBeUndefined()
  })
})

describe('readByteSize', () => {
  it('knows the usual units', () => {
    expect([readByteSize('4MB'), readByteSize('512kb'), readByteSize(10), readByteSize('1gb')]).toEqual([
      4_194_304, 524_288, 10, 1_073_741_824,
    ])
    expect(readByteSize('4 potatoes')).toBeUndefined()
  })
})
