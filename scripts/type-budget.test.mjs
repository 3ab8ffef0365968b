import { describe, expect, it } from 'vitest'
import { measure, MOST } from './type-budget.mjs'

describe('what our types cost', () => {
  it('is at most half as much again as the zod schemas alone, and grows with the number of tools', () => {
    const fifty = measure(50)
    expect(fifty.schemas).toBeGreaterThan(10_000)
    expect(fifty.ratio).toBeLessThan(MOST)
    const many = measure(500)
    expect(many.ratio).toBeLessThan(MOST)
    // Ten times the tools: anything beyond linear would show.
    expect(many.whole / fifty.whole).toBeLessThan(11)
  }, 240_000)
})
