// Parts that both kinds of plot are made of. Colours follow the reader's light or dark scheme.

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text as it may stand in an SVG. */
export const escapeXml = (text) => String(text).replace(/[&<>"]/g, (character) => ESCAPES[character])

const STYLE = `text{font:12px system-ui,sans-serif;fill:#333}.title{font-size:14px;font-weight:600}
.grid{stroke:#ddd}.ours{fill:#0b6bcb;stroke:#0b6bcb}.bare{fill:#8a8f98;stroke:#8a8f98}
.p0{fill:#c2571a;stroke:#c2571a}.p1{fill:#7a4fb5;stroke:#7a4fb5}.p2{fill:#2c8a57;stroke:#2c8a57}
.p3{fill:#b3345f;stroke:#b3345f}polyline{fill:none!important;stroke-width:2}
@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}}`

/** The colour of a contestant: ours and the limits have their own, peers take what is left in turn. */
export function classOf(name, names) {
  if (name.startsWith('ours')) return 'ours'
  if (isLimit(name)) return 'bare'
  const peers = names.filter((each) => !each.startsWith('ours') && !isLimit(each))
  return `p${peers.indexOf(name) % 4}`
}

/** Whether a contestant is a limit and not a peer. */
export function isLimit(name) {
  return name.startsWith('bare') || name.startsWith('raw') || name === 'direct'
}

/** A drawing with a title that screen readers find too. */
export function svg({ title, width, height, parts }) {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">
<title>${escapeXml(title)}</title>
<style>${STYLE}</style>
${text(0, 16, title, { class: 'title' })}
${parts.join('\n')}
</svg>
`
}

/** A text at a place. */
export function text(x, y, content, attributes = {}) {
  const rest = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`)
  return `<text x="${round(x)}" y="${round(y)}"${rest.join('')}>${escapeXml(content)}</text>`
}

/** Coordinates need no more than a tenth of a pixel. */
export const round = (value) => Math.round(value * 10) / 10
