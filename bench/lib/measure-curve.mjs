import { measureCase } from './measure.mjs'
import { growth } from './statistics.mjs'

// Noise and constant costs bend a line of logarithms; what is quadratic is far above this.
const LINEAR = 1.1
const ROUNDS = 3
const SHORT_POINTS = 1

/** Measures a case at several points; what grows faster than linear misses the goal. */
export async function measureCurve(definition, options) {
  const { id, title, x, metrics } = definition
  const series = Object.fromEntries(Object.keys(metrics).map((metric) => [metric, {}]))
  const errors = {}
  const rounds = Math.min(options.rounds, ROUNDS)
  const points = options.short ? definition.xs.slice(0, SHORT_POINTS) : definition.xs
  for (const point of points) {
    const contestants = options.chosen(definition.contestants(point))
    const measured = await measureCase({ id: `${id}-${point}`, metrics, contestants }, { ...options, rounds })
    Object.assign(errors, measured.errors)
    for (const metric of Object.keys(metrics)) {
      for (const [name, figure] of Object.entries(measured.figures[metric])) {
        series[metric][name] ??= []
        if (figure) series[metric][name].push({ x: point, ...figure })
      }
    }
  }
  const goals = Object.keys(metrics).map((metric) => judge(metric, series[metric].ours ?? []))
  return { id, title, x, metrics, series, goals, ...(Object.keys(errors).length > 0 && { errors }) }
}

function judge(metric, points) {
  const goal = { metric, growth: true, atMost: LINEAR }
  const value = growth(points.map((point) => ({ x: point.x, y: point.median })))
  return Number.isFinite(value) ? { ...goal, value, held: value <= LINEAR } : goal
}
