import { cpuShare, formatNumber } from './report.mjs'
import { isLimit } from './svg.mjs'

/** A table in Markdown. */
export function table(header, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

const withSpread = ({ median, low, high }) => `${ratioText(median)} (${ratioText(low)}–${ratioText(high)})`

const bareShare = ({ over }) => (over.bare ? withSpread(over.bare) : '')

/** A ratio with as many digits as say something. */
export function ratioText(value) {
  return value >= 10 ? value.toFixed(0) : value.toFixed(2)
}

/** A measured case: figures, and what they are beside the limit and ours beside them. */
export function caseTable({ metrics, figures }) {
  const [first] = Object.keys(metrics)
  const names = Object.keys(figures[first])
  const hasBare = names.includes('bare')
  const header = [
    '',
    ...Object.values(metrics).map(({ unit }) => unit),
    ...(hasBare ? ['of bare', 'by CPU'] : []),
    'ours is … ×',
  ]
  const rows = names.map((name) => [
    name === 'ours' ? '**ours**' : name,
    ...Object.keys(metrics).map((metric) => formatNumber(figures[metric][name]?.median)),
    ...(hasBare ? [bareShare(figures[first][name]), cpuShare(figures, name)] : []),
    name === 'ours' ? '' : withSpread(figures[first].ours.over[name]),
  ])
  return table(header, rows)
}

/** Goals beside what was measured. */
export function goalTable(cases) {
  const rows = cases.flatMap(({ title, goals, figures = {} }) =>
    goals.map((goal) => [title, wanted(goal), measured(goal), byCpu(goal, figures), verdict(goal)]),
  )
  return table(['work', 'wanted', 'measured', 'by CPU', ''], rows)
}

function wanted({ metric, over, minus, growth, atLeast, atMost }) {
  const bound = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`
  if (growth) return `${metric} grows with an exponent ${bound}`
  return `${metric} ${bound}${over ? ` × ${over}` : ''}${minus ? ` above ${minus}` : ''}`
}

const byCpu = ({ metric, over }, figures) =>
  metric === 'rate' && over === 'bare' ? cpuShare(figures, 'ours') : ''
const measured = ({ value }) => (value === undefined ? '–' : formatNumber(Number(value.toPrecision(3))))
const verdict = ({ held }) => (held === undefined ? 'not measured' : held ? 'holds' : '**missed**')

/** Peers that do better than ours at something. */
export function peersAhead(cases) {
  return cases.flatMap(({ title, metrics, figures }) =>
    Object.entries(metrics).flatMap(([metric, { better, unit }]) =>
      Object.entries(figures?.[metric]?.ours?.over ?? {})
        .filter(([name]) => !isLimit(name) && !name.startsWith('ours'))
        .filter(([, { median }]) => (better === 'higher' ? median < 1 : median > 1))
        .map(([name, { median }]) => `- ${name}, ${title}: ours has ${ratioText(median)} × its ${unit}`),
    ),
  )
}
