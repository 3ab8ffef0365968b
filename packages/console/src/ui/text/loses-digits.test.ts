import { expect, it } from 'vitest'
import { losesDigits } from './loses-digits.ts'

it('finds numbers that JavaScript does not keep', () => {
  for (const json of ['12345678901234567890', '{"id":9007199254740993}', '[1, 0.12345678901234567]'])
    expect([json, losesDigits(json)]).toEqual([json, true])
})

it('leaves other numbers and texts with digits alone', () => {
  for (const json of [
    '{"id":9007199254740991}',
    '[1.50, 1e3]',
    '"12345678901234567890"',
    '["\\"", "9007199254740993\\\\"]',
  ])
    expect([json, losesDigits(json)]).toEqual([json, false])
  expect(losesDigits(JSON.stringify(['x"\\'.repeat(400_000)]))).toBe(false)
})
