import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CallTable } from './pending-requests.ts'

const ID = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 40 }) },
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.string(),
  fc.constantFrom('1', 1, -1, '-1', 1.5, 8, 16, 1_032, 2_056, '__proto__', Number.MAX_SAFE_INTEGER),
)

describe('CallTable', () => {
  it('is a map, whatever the ids', () => {
    const step = fc.record({ id: ID, adds: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const table = new CallTable<unknown, number>()
        const map = new Map<unknown, number>()
        for (const [at, { id, adds }] of steps.entries()) {
          if (adds) {
            table.set(id, at)
            map.set(id, at)
          } else {
            expect(table.delete(id)).toBe(map.delete(id))
          }
          expect(table.size).toBe(map.size)
          expect(table.has(id)).toBe(map.has(id))
          expect(table.get(id)).toBe(map.get(id))
        }
        const inOrder = (values: number[]) => values.sort((a, b) => a - b)
        expect(inOrder(table.values())).toEqual(inOrder([...map.values()]))
        expect(new Map(table.entries())).toEqual(map)
      }),
    )
  })

  it('holds more calls than it has slots', () => {
    const table = new CallTable<unknown, number>()
    for (let id = 0; id < 5_000; id++) table.set(id, id)
    expect(table.size).toBe(5_000)
    for (let id = 0; id < 5_000; id++) expect(table.get(id)).toBe(id)
    for (let id = 0; id < 5_000; id++) expect(table.delete(id)).toBe(true)
    expect([table.size, table.values()]).toEqual([0, []])
  })

  it('knows a call that stays while thousands pass by', () => {
    const table = new CallTable<unknown, string>()
    table.set(3, 'stays')
    for (let id = 4; id < 10_000; id++) {
      table.set(id, 'passes')
      expect(table.delete(id)).toBe(true)
    }
    expect(table.entries()).toEqual([[3, 'stays']])
    table.clear()
    expect([table.size, table.has(3)]).toEqual([0, false])
  })
})
