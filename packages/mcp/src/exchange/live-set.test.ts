import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LiveSet } from './live-set.ts'

it('is a set', () => {
  const step = fc.record({ at: fc.nat(9), adds: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const all = Array.from({ length: 10 }, () => ({ place: -1 }))
      const live = new LiveSet<{ place: number }>()
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
  const live = new LiveSet<{ place: number }>()
  const members = Array.from({ length: 5 }, () => ({ place: -1 }))
  for (const member of members) live.add(member)
  for (const member of live.all()) expect(live.delete(member)).toBe(true)
  expect(live.size).toBe(0)
})
