import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { cookieOf, isSameSecret } from './secret-texts.ts'

describe('isSameSecret', () => {
  it('compares texts of any characters and lengths', () => {
    expect(isSameSecret('abc', 'abc')).toBe(true)
    expect(isSameSecret('abc', 'abd')).toBe(false)
    expect(isSameSecret('abc', 'ab')).toBe(false)
    // As many characters, but not as many bytes.
    expect(isSameSecret('äbc', 'abc')).toBe(false)
  })
})

it('finds a cookie by its whole name', () => {
  const request = { headers: { cookie: 'my-a=1; a=2; ab=3' } } as IncomingMessage
  expect(cookieOf(request, 'a')).toBe('2')
  expect(cookieOf(request, 'b')).toBe('')
})
