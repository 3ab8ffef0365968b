import { expect, it } from 'vitest'
import { measureCase } from './measure.mjs'
import { measureCurve } from './measure-curve.mjs'

const options = { rounds: 3, ms: 1, warmMs: 1, log: () => {}, chosen: (all) => all }
const metrics = { rate: { unit: 'calls/s', better: 'higher' } }

/** A contestant with a figure for each turn; the first is its warm-up. */
function contestant(name, rates, log = []) {
  const left = [...rates]
  const sample = async () => {
    log.push(name)
    const rate = left.shift()
    if (rate instanceof Error) throw rate
    return { rate }
  }
  return { name, open: async () => ({ sample, close: async () => log.push(`${name} closed`) }) }
}

it('lets contestants take turns and compares figures of the same round', async () => {
  const log = []
  const contestants = [contestant('bare', [1, 100, 10, 100], log), contestant('ours', [1, 50, 5, 60], log)]
  const goals = [{ metric: 'rate', over: 'bare', atLeast: 0.6 }]
  const { figures, goals: judged } = await measureCase({ id: 'a', metrics, goals, contestants }, options)
  expect(log.slice(0, 8)).toEqual(['bare', 'ours', 'bare', 'ours', 'ours', 'bare', 'bare', 'ours'])
  expect(log.slice(8).sort()).toEqual(['bare closed', 'ours closed'])
  expect(figures.rate.ours.over.bare).toEqual({ median: 0.5, low: 0.5, high: 0.6 })
  expect(judged).toMatchObject([{ value: 0.5, held: false }])
})

it('has more rounds where a case wants them', async () => {
  const turns = []
  const open = async () => ({ sample: async (ms) => ({ rate: turns.push(ms) }), close: async () => {} })
  const definition = { id: 'a', metrics, moreRounds: 2, contestants: [{ name: 'ours', open }] }
  await measureCase(definition, { ...options, ms: 100 })
  expect(turns).toEqual([options.warmMs, ...Array(6).fill(100)])
})

it('warms up for longer where a case wants it', async () => {
  const turns = []
  const open = async () => ({ sample: async (ms) => ({ rate: turns.push(ms) }), close: async () => {} })
  const definition = { id: 'a', metrics, longerWarm: 6, contestants: [{ name: 'ours', open }] }
  await measureCase(definition, { ...options, rounds: 1, ms: 100 })
  expect(turns).toEqual([options.warmMs * 6, 100])
})

it('starts contestants again where a case wants it, and shares the rounds out', async () => {
  const log = []
  const again = () => contestant('ours', [1, 2, 2], log).open()
  const definition = { id: 'a', metrics, starts: 2, contestants: [{ name: 'ours', open: again }] }
  const { figures } = await measureCase(definition, { ...options, rounds: 4 })
  const once = ['ours', 'ours', 'ours', 'ours closed']
  expect(log).toEqual([...once, ...once])
  expect(figures.rate.ours).toMatchObject({ median: 2 })
})

it('goes on without a contestant that fails, and closes it', async () => {
  const log = []
  const contestants = [
    contestant('ours', [1, 2, 2, 2]),
    contestant('peer', [1, 2, new Error('it broke')], log),
  ]
  const { figures, errors } = await measureCase({ id: 'a', metrics, contestants }, options)
  expect(Object.keys(figures.rate)).toEqual(['ours'])
  expect(errors).toEqual({ peer: 'it broke' })
  expect(log.at(-1)).toBe('peer closed')
})

it('judges a curve by its growth', async () => {
  const curve = (cost) => ({
    id: 'c',
    x: 'tools',
    xs: [1, 10, 100],
    metrics: { rate: { unit: 'µs', better: 'lower' } },
    contestants: (x) => [contestant('ours', Array(4).fill(cost(x)))],
  })
  const linear = await measureCurve(
    curve((x) => 2 * x),
    options,
  )
  expect(linear.goals).toMatchObject([{ held: true }])
  const quadratic = await measureCurve(
    curve((x) => x * x),
    options,
  )
  expect(quadratic.goals).toMatchObject([{ held: false }])
})
