import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describePrincipal, principalKey, samePrincipal, type Principal, Budget, OpenSet } from './callers.ts'

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

describe('Budget', () => {
  it('stops one caller at its share and leaves the rest to others', () => {
    const budget = new Budget({ perCaller: 2, total: 3 })
    expect(budget.take('a', 2)).toBeUndefined()
    expect(budget.take('a', 1)).toBe('perCaller')
    expect(budget.take('b', 1)).toBeUndefined()
    expect(budget.take('b', 1)).toBe('total')
    expect(budget.held).toBe(3)
  })

  it('forgets callers that hold nothing', () => {
    const budget = new Budget({ perCaller: 2, total: 3 })
    budget.take('a', 2)
    budget.give('a', 2)
    expect(budget.heldBy('a')).toBe(0)
    expect(budget.held).toBe(0)
    expect(budget.take('a', 2)).toBeUndefined()
  })
})

it('is a set', () => {
  const step = fc.record({ at: fc.nat(9), adds: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const all = Array.from({ length: 10 }, () => ({ place: -1 }))
      const live = new OpenSet<{ place: number }>()
      const set = new Set<object>()
      for (const { at, adds } of steps) {
        const member = all[at]!
        if (adds) {
          live.add(member)
          set.add(member)
        } else {
          expect(live.delete(member)).toBe(set.delete(member))
        }
        expect(live.size).toBe(set.size)
      }
      expect(new Set(live.all())).toEqual(set)
    }),
  )
})

it('can be changed while its members are gone through', () => {
  const live = new OpenSet<{ place: number }>()
  const members = Array.from({ length: 5 }, () => ({ place: -1 }))
  for (const member of members) live.add(member)
  for (const member of live.all()) expect(live.delete(member)).toBe(true)
  expect(live.size).toBe(0)
})
