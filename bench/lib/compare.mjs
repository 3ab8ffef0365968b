/** A ratio that is worse by more than this is a regression. */
export const FALL = 0.1

/**
 * Every ratio of ours that is worse than it was recorded by more than a tenth. Ratios, not figures: they are what
 * another machine, or the same one on another day, has in common with the recorded one.
 */
export function findRegressions(recorded, measured) {
  const before = new Map(recorded.flatMap(ratiosOf).map((each) => [each.key, each]))
  return measured.flatMap(ratiosOf).flatMap((now) => {
    const was = before.get(now.key)
    if (was === undefined) return []
    const kept = now.better === 'higher' ? now.value / was.value : was.value / now.value
    return kept < 1 - FALL ? [{ ...now, was: was.value, fall: 1 - kept }] : []
  })
}

/**
 * The regressions that are there each time: a case with one is measured again, because noise falls on another figure
 * the next time. `measureAgain` takes the id of a case and returns its result.
 */
export async function lastingRegressions(recorded, measured, measureAgain, times = 2) {
  let lasting = findRegressions(recorded, measured)
  for (let time = 0; time < times && lasting.length > 0; time++) {
    const again = []
    for (const id of new Set(lasting.map((each) => each.id))) again.push(await measureAgain(id))
    const found = new Map(findRegressions(recorded, again).map((each) => [each.key, each]))
    lasting = lasting.flatMap((each) => found.get(each.key) ?? [])
  }
  return lasting
}

/** The ratios of our figures to those of the others, with a key for each that stays the same. */
function ratiosOf({ id, metrics, figures, series }) {
  return Object.entries(metrics).flatMap(([metric, { better }]) => {
    const points = figures ? [{ ...figures[metric]?.ours }] : (series[metric]?.ours ?? [])
    return points.flatMap(({ x, over = {} }) =>
      Object.entries(over).map(([other, { median }]) => {
        const what = `${id}${x === undefined ? '' : ` at ${x}`}: ${metric} over ${other}`
        return { id, key: what, better, value: median }
      }),
    )
  })
}

/** A regression as a line of text. */
export function formatRegression({ key, was, value, fall }) {
  return `${key} is ${value.toFixed(3)}, was ${was.toFixed(3)} (${Math.round(fall * 100)} % worse)`
}
