import { describe, expect, it } from 'vitest'
import { findRegressions, formatRegression, lastingRegressions } from './compare.mjs'

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
  it('reports a ratio that fell by more than a tenth, and not one that fell by less', () => {
    expect(findRegressions([rate(1)], [rate(0.91)])).toEqual([])
    expect(findRegressions([rate(1)], [rate(0.89)])).toHaveLength(1)
    const [fallen] = findRegressions([rate(1)], [rate(0.75)])
    expect(fallen).toMatchObject({ key: 'server: rate over bare', was: 1, value: 0.75 })
    expect(formatRegression(fallen)).toBe('server: rate over bare is 0.750, was 1.000 (25 % worse)')
  })

  it('takes more for worse where less is better, point by point', () => {
    const found = findRegressions([cost(1, 1, 1)], [cost(1.1, 1.3, 0.5)])
    expect(found.map(({ key }) => key)).toEqual(['curve at 1: cpu over bare'])
  })

  it('says nothing of what was not recorded, or could not be measured', () => {
    expect(findRegressions([], [rate(0.1)])).toEqual([])
    const broken = { ...rate(1), figures: { rate: { bare: { median: 1, over: {} } } } }
    expect(findRegressions([rate(1)], [broken])).toEqual([])
  })
})

describe('lastingRegressions', () => {
  it('measures a case again, and reports what falls each time', async () => {
    const again = []
    const measureAgain = (figures) => async (id) => {
      again.push(id)
      return figures.shift()
    }
    const recorded = [rate(1), cost(1)]
    const measured = [rate(0.8), cost(1)]
    const noise = await lastingRegressions(recorded, measured, measureAgain([rate(0.95)]))
    expect(noise).toEqual([])
    expect(again).toEqual(['server'])
    const real = await lastingRegressions(recorded, measured, measureAgain([rate(0.7), rate(0.85)]))
    expect(real).toMatchObject([{ key: 'server: rate over bare', was: 1, value: 0.85 }])
    expect(again).toHaveLength(3)
  })
})
