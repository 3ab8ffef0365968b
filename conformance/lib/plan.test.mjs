import { describe, expect, it } from 'vitest'
import { plan, pooled } from './plan.mjs'

const SCENARIOS = [
  { name: 'ping', revisions: ['2025-06-18', '2025-11-25'] },
  { name: 'tasks', revisions: ['extension'] },
]

describe('plan', () => {
  it('has every scenario at every revision it applies to, extensions at the newest', () => {
    const runs = plan(SCENARIOS, {})
    expect(runs.map((run) => [run.scenario, run.group, run.revision, run.force])).toEqual([
      ['ping', '2025-06-18', '2025-06-18', false],
      ['ping', '2025-11-25', '2025-11-25', false],
      ['tasks', 'extension', '2026-07-28', true],
    ])
  })

  it('narrows to scenarios and revisions', () => {
    expect(plan(SCENARIOS, { only: ['ping'], revisions: ['2025-11-25'] })).toHaveLength(1)
    expect(plan(SCENARIOS, { revisions: ['2026-07-28'] }).map((run) => run.scenario)).toEqual(['tasks'])
    expect(plan(SCENARIOS, { revisions: ['extension'] }).map((run) => run.scenario)).toEqual(['tasks'])
  })
})

describe('pooled', () => {
  it('runs at most so many at once and keeps the order', async () => {
    let active = 0
    let most = 0
    const results = await pooled([3, 1, 2, 0], 2, async (item) => {
      active += 1
      most = Math.max(most, active)
      for (let turn = 0; turn < item; turn++) await Promise.resolve()
      active -= 1
      return item * 10
    })
    expect(results).toEqual([30, 10, 20, 0])
    expect(most).toBe(2)
  })
})
