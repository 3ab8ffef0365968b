import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isNoise } from './message.ts'

it.each(['x', 'data', '<html>', '{', ' {"a":1', '}', '{"a":1},', 'nullish', 'truefalse', '\u0000{}'])(
  'says that %j is no JSON without parsing it',
  (text) => {
    expect(isNoise(text)).toBe(true)
    expect(() => JSON.parse(text)).toThrow()
  },
)

it('never says so of JSON, whatever stands around it', () => {
  const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/)
  fc.assert(
    fc.property(fc.json(), space, space, (json, before, after) => {
      expect(isNoise(before + json + after)).toBe(false)
    }),
  )
})
