/** The middle of some numbers. */
export function median(values) {
  return percentile(values, 0.5)
}

/** The value below which a share of the others is, between neighbours in proportion. */
export function percentile(values, share) {
  if (values.length === 0) return Number.NaN
  const sorted = Float64Array.from(values).sort()
  const at = (sorted.length - 1) * share
  const low = Math.floor(at)
  const high = Math.ceil(at)
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low)
}

/** Median, least and most of some numbers: what a table shows of the rounds. */
export function summary(values) {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) }
}

/** The summary of `above / below` round by round, so that what slowed a whole round cancels out. */
export function ratio(above, below) {
  return summary(above.map((value, round) => value / below[round]))
}

/**
 * The exponent with which a cost grows: 0 is constant, 1 linear, 2 quadratic. It is the slope of the line of
 * least squares through the logarithms.
 */
export function growth(points) {
  const logs = points.map(({ x, y }) => [Math.log(x), Math.log(y)])
  const mean = (index) => logs.reduce((sum, pair) => sum + pair[index], 0) / logs.length
  const [meanX, meanY] = [mean(0), mean(1)]
  const spread = logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  return logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread
}
