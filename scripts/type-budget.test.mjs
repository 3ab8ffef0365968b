import { describe, expect, it } from 'vitest'
import { measure, MOST } from './type-budget.mjs'

describe('what our types cost', () => {
  it('is at most half as much again as the zod schemas alone, and grows with the number of tools', () => {
    const fifty = measure(50)
    expect(fifty.schemas).toBeGreaterThan(10_000)
    expect(fifty.ratio).toBeLessThan(MOST)
    const many = measure(200)
    expect(many.ratio).toBeLessThan(MOST)
    // Four times the tools: what grows with their square would be sixteen times as much.
    expect(many.whole / fifty.whole).toBeLessThan(4.4)
  }, 240_000)
})
