import { describe, expect, it } from 'vitest'
import { Budget } from './budget.ts'

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
