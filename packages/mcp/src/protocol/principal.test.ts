import { describe, expect, it } from 'vitest'
import { describePrincipal, principalKey, samePrincipal, type Principal } from './principal.ts'

const ISSUER = 'https://auth.example.com'
const ALL: readonly (Principal | undefined)[] = [
  undefined,
  { kind: 'key', subject: 'ops' },
  { kind: 'person', subject: 'ops' },
  { kind: 'person', subject: 'key:ops' },
  { kind: 'person', subject: '' },
  { kind: 'person', issuer: ISSUER, subject: 'ops' },
  { kind: 'person', issuer: '', subject: 'ops' },
  { kind: 'person', issuer: 'https://other.example.com', subject: 'ops' },
  { kind: 'person', subject: `${ISSUER} ops` },
  { kind: 'workload', issuer: ISSUER, subject: 'ops' },
  { kind: 'person', issuer: 'a', subject: 'b","c' },
  { kind: 'person', issuer: 'a","b', subject: 'c' },
]

describe('principals', () => {
  it('are compared field by field', () => {
    for (const [at, one] of ALL.entries()) {
      for (const [other, two] of ALL.entries()) {
        expect(samePrincipal(one && { ...one }, two)).toBe(at === other)
      }
    }
  })

  it('have one key each', () => {
    expect(new Set(ALL.map(principalKey)).size).toBe(ALL.length)
    expect(principalKey({ kind: 'key', issuer: undefined, subject: 'ops' })).toBe(
      principalKey({ kind: 'key', subject: 'ops' }),
    )
  })

  it('can be read', () => {
    expect(describePrincipal({ kind: 'key', subject: 'ops' })).toBe('key:ops')
    expect(describePrincipal({ kind: 'person', issuer: ISSUER, subject: 'ann' })).toBe(
      `person:ann (${ISSUER})`,
    )
  })
})
