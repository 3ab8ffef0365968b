import { describe, expect, it } from 'vitest'
import { type Duration, parseDuration } from './parse-duration.ts'

describe('parseDuration', () => {
  it.each([
    [250, 250],
    [0, 0],
    ['250ms', 250],
    ['1.5s', 1_500],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ] satisfies [Duration, number][])('reads %s', (value, expected) => {
    expect(parseDuration(value)).toBe(expected)
  })

  it.each([-1, Number.NaN, '30', '30 s', 's', '-5s', '1e3s', ''])('refuses %s', (value) => {
    expect(() => parseDuration(value as Duration)).toThrow(/Not a duration/)
  })
})
