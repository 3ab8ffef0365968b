const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })

/** A number as people read it. */
export function formatNumber(value) {
  return Number.isFinite(value) ? number.format(value) : '–'
}

const share = ({ median, low, high }) => `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`

/** What was measured, as lines of text. */
export function formatCase(result) {
  return result.series ? formatCurve(result) : formatTable(result)
}

function formatCurve({ title, x, metrics, series, goals, errors = {} }) {
  const tables = Object.entries(series).flatMap(([metric, byName]) => {
    const names = Object.keys(byName)
    const xs = [...new Set(names.flatMap((name) => byName[name].map((point) => point.x)))]
    const rows = xs.map((at) => [
      formatNumber(at),
      ...names.map((name) => formatNumber(byName[name].find((point) => point.x === at)?.median)),
    ])
    return columns([[x, ...names.map((name) => `${name}, ${metrics[metric].unit}`)], ...rows])
  })
  return [title, ...tables, ...notes(goals, errors), ''].join('\n')
}

/** A measured case as lines of text: a row for each contestant, then what was aimed at. */
function formatTable({ title, metrics, figures, goals, errors = {} }) {
  const [first] = Object.keys(metrics)
  const names = Object.keys(figures[first])
  const header = [
    '',
    ...Object.values(metrics).map(({ unit }) => unit),
    'of bare (spread)',
    'by CPU',
    'ours is … ×',
  ]
  const rows = names.map((name) => [
    name,
    ...Object.keys(metrics).map((metric) => formatNumber(figures[metric][name]?.median)),
    figures[first][name]?.over.bare ? share(figures[first][name].over.bare) : '',
    cpuShare(figures, name),
    name !== 'ours' && figures[first].ours?.over[name]
      ? figures[first].ours.over[name].median.toFixed(2)
      : '',
  ])
  return [title, ...columns([header, ...rows]), ...notes(goals, errors), ''].join('\n')
}

/**
 * A contestant's share of the bare limit by CPU time instead of speed: the steadier figure on a machine that
 * does other things as well.
 */
export function cpuShare(figures, name) {
  const over = figures.cpu?.[name]?.over.bare
  return over ? (1 / over.median).toFixed(2) : ''
}

function notes(goals, errors) {
  return [
    ...goals.map(formatGoal),
    ...Object.entries(errors).map(([name, error]) => `  ${name} failed: ${error}`),
  ]
}

function formatGoal({ metric, over, minus, growth, atLeast, atMost, value, held }) {
  const what = growth
    ? `growth of ${metric}, as an exponent`
    : over
      ? `${metric} over ${over}`
      : minus
        ? `${metric} beyond ${minus}`
        : metric
  const wanted = atLeast !== undefined ? `at least ${atLeast}` : `at most ${atMost}`
  const verdict = held === undefined ? 'not measured' : held ? 'holds' : 'MISSED'
  return `  ${what}: ${value === undefined ? '–' : value.toFixed(3)}, wanted ${wanted}: ${verdict}`
}

function columns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows.map(
    (row) =>
      `  ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ')}`,
  )
}
