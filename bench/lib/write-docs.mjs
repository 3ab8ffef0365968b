import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { barPlot } from './bar-plot.mjs'
import { linePlot } from './line-plot.mjs'
import { caseTable, goalTable, peersAhead, ratioText, table } from './markdown.mjs'
import { NATIVE_VERSIONS } from './native.mjs'
import { formatNumber } from './report.mjs'

const DOCS = join(ROOT, 'docs')
// The bench itself keeps two cores busy.
const BUSY = 3
const GROUPS = { server: 'Servers', client: 'Clients', gateway: 'The gateway' }
const OWN_PLACES = [...Object.keys(GROUPS), 'native']

/** Writes docs/benchmarks.md and its pictures from what is recorded. */
export function writeDocs(recorded) {
  mkdirSync(join(DOCS, 'images'), { recursive: true })
  const tables = recorded.cases.filter(({ figures }) => figures)
  const curves = recorded.cases.filter(({ series }) => series)
  writeFileSync(
    join(DOCS, 'benchmarks.md'),
    [
      head(recorded),
      '## Goals\n',
      goalTable(recorded.cases),
      '\n## Where a peer is ahead\n',
      peersAhead(tables).join('\n') || 'Nowhere, in this record.',
      ...Object.entries(GROUPS).map(([group, title]) => section(title, group, tables)),
      '\n## Long lists, large results, starts and memory\n',
      ...tables.filter(({ id }) => !OWN_PLACES.includes(id.split('-')[0])).map(caseSection),
      nativeSection(tables.filter(({ id }) => id.startsWith('native'))),
      '\n## How cost grows\n',
      'Axes are logarithmic: a line at 45° is linear growth, a flat line is no growth.\n',
      ...curves.flatMap(curveSection),
      method(recorded),
    ].join('\n'),
  )
}

function head({ date, machine, versions, cases }) {
  const list = Object.entries(versions).filter(([name]) => name !== 'zod' && !name.startsWith('@remix-run'))
  return `<!-- Written by \`npm run bench -- --record\` from bench/recorded.json. Do not edit. -->
# Benchmarks

\`\`\`sh
npm run bench
\`\`\`

installs the peers into \`bench/\`, measures everything that follows and prints it. Figures of different machines cannot be compared; ratios can, roughly. A ratio is the median over the rounds, with the lowest and highest in parentheses. *Bare* is the limit: the same work done with nothing but \`JSON.parse\` and \`JSON.stringify\` over a pipe or \`node:http\`.

Recorded on ${date}: ${machine.cpu}, ${machine.cores} cores, ${machine.memory}, ${machine.system}, Node ${machine.node}.

Peers: ${list.map(([name, version]) => `${name} ${version}`).join(', ')}.
${warning(cases)}`
}

function section(title, group, tables) {
  const own = tables.filter(({ id }) => id.startsWith(group))
  const plotted = own.filter(({ metrics, figures }) => metrics.rate && figures.rate.bare)
  if (own.length === 0) return ''
  writeImage(`bench-${group}`, sharePlot(title, plotted))
  return [
    `\n## ${title}\n`,
    `![${title}: share of the bare limit](images/bench-${group}.svg)\n`,
    ...own.map(caseSection),
  ].join('\n')
}

function nativeSection(own) {
  if (own.length === 0) return ''
  const list = Object.entries(NATIVE_VERSIONS).map(([name, version]) => `${name} ${version}`)
  const head = `\n## Beside programs in Rust and Go\n
\`npm run bench -- native\` builds them with cargo and go: ${list.join(', ')}. They use all processors, ours uses one. *Bare* is what Node itself takes: a server, or a gateway of thirty lines that looks at nothing. For gateways, CPU time and memory are measured without the server behind them. Memory is what a process has right after a turn of load.\n`
  return [head, ...own.map(caseSection)].join('\n')
}

function sharePlot(title, cases) {
  const groups = cases.map((each) => ({
    label: each.title,
    bars: Object.entries(each.figures.rate)
      .filter(([name]) => name !== 'bare')
      .map(([name, { over }]) => ({
        name,
        value: over.bare.median,
        low: over.bare.low,
        high: over.bare.high,
      })),
  }))
  return barPlot({ title: `${title}: share of the bare limit`, groups, format: ratioText })
}

const caseSection = (each) => `### ${each.title}\n\n${caseTable(each)}\n${circumstance(each)}`

// A busy machine makes rates and spreads worse for everyone: who reads them should know.
const isBusy = ({ load }) => load > BUSY
const circumstance = (each) =>
  isBusy(each) ? `\nMeasured ${each.date} at a load average of ${each.load}.\n` : ''

const warning = (cases) =>
  cases.some(isBusy)
    ? '\n**Parts of this record were made while the machine was busy with other work**, as is said below each. Calls per second then depend on who got a core; the share by CPU time does not, and is the figure to trust.\n'
    : ''

function curveSection({ id, title, x, metrics, series, date, load }) {
  return Object.entries(metrics).map(([metric, { unit }]) => {
    const file = `bench-${id}-${metric}`
    writeImage(file, linePlot({ title, x, y: unit, series: series[metric] }))
    return `### ${title}: ${unit}\n\n![${title}](images/${file}.svg)\n\n${pointTable(x, series[metric])}\n${circumstance({ date, load })}`
  })
}

function pointTable(x, series) {
  const names = Object.keys(series)
  const xs = series.ours.map((point) => point.x)
  const cell = (name, at) => formatNumber(series[name].find((point) => point.x === at)?.median)
  const rows = xs.map((at) => [formatNumber(at), ...names.map((name) => cell(name, at))])
  return table([x, ...names], rows)
}

function writeImage(name, markup) {
  writeFileSync(join(DOCS, 'images', `${name}.svg`), markup)
}

function method({ method: { rounds, ms, generator } }) {
  return `## Method

All contestants of a case run at the same time, but only one is asked at a time: they take turns of ${ms} ms for ${rounds} rounds (curves: at most 3), each round in another order, after a turn that does not count. A ratio is made of two figures of the same round. Load comes from a process of its own (HTTP: ${generator === 'wrk' ? '`wrk`; timed and single connections a Node program' : 'a Node program'}), which checks answers: an error fails the run. Servers under test are built output with one tool that says back what it is told, and with the same schema.

The gateways stand before the same servers, the bare ones. mcp-hub is asked at its own REST endpoint, since it has no Streamable HTTP. supergateway and mcp-proxy have one session. CPU time is counted by the system: for the server, or for the gateway and the programs that it started; for clients it is the client's.

\`npm run bench -- --compare\` measures again and reports every ratio that has become worse by more than 10 %, and stays so when its case is measured twice more. The programs are in [bench/](../bench/README.md).
`
}
