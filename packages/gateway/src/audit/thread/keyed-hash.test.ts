import { createHmac, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { keyedHash } from './keyed-hash.ts'

it('is HMAC-SHA256, for texts of any length and language', () => {
  const key = randomBytes(32)
  const digest = keyedHash(key)
  const texts = ['', '{}', 'ä'.repeat(7000), '𝒳'.repeat(5000), 'x'.repeat(100_000), '\ud800 alone', '{"a":1}']
  for (const text of texts) {
    expect(digest(text)).toBe(createHmac('sha256', key).update(text).digest('base64url'))
  }
})
