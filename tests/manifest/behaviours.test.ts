import { describe, expect, it } from 'vitest'
import { testTitles } from './test-titles.ts'

const LAST = 56
const titles = [...testTitles().values()].flat()

/** Behaviours are named in titles as `B17: …`. */
const named = new Set(
  titles.flatMap((title) => [...title.matchAll(/\bB(\d+)\b/g)].map(([, number]) => Number(number))),
)

describe('the behaviours that we owe our users', () => {
  it.each(Array.from({ length: LAST }, (_, index) => index + 1))('B%i has a test that names it', (number) => {
    expect(named).toContain(number)
  })

  it('no test names one that there is not', () => {
    expect([...named].filter((number) => number < 1 || number > LAST)).toEqual([])
  })
})
