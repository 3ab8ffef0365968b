import { classOf, round, svg, text } from './svg.mjs'

const WIDTH = 640
const HEIGHT = 320
const PLOT = { left: 70, top: 40, right: WIDTH - 130, bottom: HEIGHT - 40 }
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

/** Curves on logarithmic axes: `series` maps names to `[{ x, median }]`. */
export function linePlot({ title, x, y, series }) {
  const names = Object.keys(series)
  const points = Object.values(series).flat()
  const across = axis(
    points.map((point) => point.x),
    PLOT.left,
    PLOT.right,
  )
  const up = axis(
    points.map((point) => point.median),
    PLOT.bottom,
    PLOT.top,
  )
  const parts = [
    ...across.ticks.flatMap((value) => [
      grid(across.at(value), across.at(value), PLOT.top, PLOT.bottom),
      text(across.at(value), PLOT.bottom + 16, compact.format(value), { 'text-anchor': 'middle' }),
    ]),
    ...up.ticks.flatMap((value) => [
      grid(PLOT.left, PLOT.right, up.at(value), up.at(value)),
      text(PLOT.left - 6, up.at(value) + 4, compact.format(value), { 'text-anchor': 'end' }),
    ]),
    text((PLOT.left + PLOT.right) / 2, HEIGHT - 6, x, { 'text-anchor': 'middle' }),
    text(PLOT.right + 8, PLOT.top, y),
    ...names.map(curve),
  ]

  function curve(name, index) {
    const dots = series[name].map((point) => `${round(across.at(point.x))},${round(up.at(point.median))}`)
    const className = classOf(name, names)
    const circles = dots.map((dot) => {
      const [cx, cy] = dot.split(',')
      return `<circle class="${className}" cx="${cx}" cy="${cy}" r="3"/>`
    })
    const key = PLOT.top + 24 + index * 18
    return [
      `<polyline class="${className}" points="${dots.join(' ')}"/>`,
      ...circles,
      `<circle class="${className}" cx="${PLOT.right + 14}" cy="${key - 4}" r="4"/>`,
      text(PLOT.right + 24, key, name),
    ].join('\n')
  }

  return svg({ title, width: WIDTH, height: HEIGHT, parts })
}

const grid = (x1, x2, y1, y2) =>
  `<line class="grid" x1="${round(x1)}" x2="${round(x2)}" y1="${round(y1)}" y2="${round(y2)}"/>`

/** Whole powers of ten around some values, and where a value is between two coordinates. */
function axis(values, from, to) {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
    at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
  }
}
