import { classOf, round, svg, text } from './svg.mjs'

const LABELS = 190
const BARS = 420
const ROW = 20
const GAP = 14

/** Horizontal bars in groups: `groups` are `{ label, bars: [{ name, value, low, high }] }`. */
export function barPlot({ title, groups, format }) {
  const most = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value, high }) => Math.max(value, high))))
  const scale = (value) => (value / most) * BARS
  // A peer has one colour in all groups.
  const names = [...new Set(groups.flatMap(({ bars }) => bars.map(({ name }) => name)))]
  const parts = []
  let y = 30
  for (const { label, bars } of groups) {
    parts.push(text(0, y + 14, label, { 'font-weight': 600 }))
    y += ROW
    for (const bar of bars) {
      parts.push(...barRow(bar, y))
      y += ROW
    }
    y += GAP
  }

  function barRow({ name, value, low, high }, top) {
    const middle = round(top + ROW / 2)
    return [
      text(LABELS - 8, top + 14, name, { 'text-anchor': 'end' }),
      `<rect class="${classOf(name, names)}" x="${LABELS}" y="${top + 3}" width="${round(scale(value))}" height="${ROW - 6}"/>`,
      `<line class="grid" x1="${round(LABELS + scale(low))}" x2="${round(LABELS + scale(high))}" y1="${middle}" y2="${middle}"/>`,
      text(LABELS + scale(Math.max(value, high)) + 6, top + 14, format(value)),
    ]
  }

  return svg({ title, width: LABELS + BARS + 80, height: y, parts })
}
