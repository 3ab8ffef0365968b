import { describe, expect, it } from 'vitest'
import { findRegressions, formatRegression } from './compare.mjs'

const rate = (median) => ({
  id: 'server',
  metrics: { rate: { better: 'higher' } },
  figures: { rate: { ours: { median: 1000, over: { bare: { median } } } } },
})
const cost = (...medians) => ({
  id: 'curve',
  metrics: { cpu: { better: 'lower' } },
  series: { cpu: { ours: medians.map((median, x) => ({ x, median: 1, over: { bare: { median } } })) } },
})

describe('findRegressions', () => {
  it('reports a ratio that fell by a fifth, and not one that fell by less', () => {
    expect(findRegressions([rate(1)], [rate(0.81)])).toEqual([])
    const [fallen] = findRegressions([rate(1)], [rate(0.75)])
    expect(fallen).toMatchObject({ key: 'server: rate over bare', was: 1, value: 0.75 })
    expect(formatRegression(fallen)).toBe('server: rate over bare is 0.750, was 1.000 (25 % worse)')
  })

  it('takes more for worse where less is better, point by point', () => {
    const found = findRegressions([cost(1, 1, 1)], [cost(1.2, 1.3, 0.5)])
    expect(found.map(({ key }) => key)).toEqual(['curve at 1: cpu over bare'])
  })

  it('says nothing of what was not recorded, or could not be measured', () => {
    expect(findRegressions([], [rate(0.1)])).toEqual([])
    const broken = { ...rate(1), figures: { rate: { bare: { median: 1, over: {} } } } }
    expect(findRegressions([rate(1)], [broken])).toEqual([])
  })
})
