import { expect, it } from 'vitest'
import { isExpiring, type TokenSet } from './token-set.ts'

const HOUR = 3_600_000
const tokens = (accessToken: string): TokenSet => ({
  accessToken,
  tokenType: 'Bearer',
  obtainedAt: 0,
  expiresAt: HOUR,
  via: 'grant',
  requestedScopes: [],
  issuer: 'https://as.example',
  client: { clientId: 'a', source: 'configured' } as unknown as TokenSet['client'],
})
const minute = 60_000

it('tokens that were issued together are renewed one after another, each a minute or two before its end', () => {
  const many = Array.from({ length: 200 }, (_, index) => tokens(`token-of-person-${index}`))
  const expiringAt = (now: number): number => many.filter((one) => isExpiring(one, now)).length
  expect(expiringAt(HOUR - 2 * minute)).toBeLessThan(5)
  const halfway = expiringAt(HOUR - 1.5 * minute)
  expect(halfway).toBeGreaterThan(60)
  expect(halfway).toBeLessThan(140)
  expect(expiringAt(HOUR - minute)).toBe(200)
})

it('a token without an end is never renewed ahead', () => {
  expect(isExpiring({ ...tokens('a'), expiresAt: undefined }, Number.MAX_SAFE_INTEGER)).toBe(false)
})
