import { readFileSync, writeFileSync } from 'node:fs'
import { CELLS } from './gateway-cells.mjs'
import { grouped } from './grouped.mjs'
import { entry } from './matrix.mjs'
import { count } from './report.mjs'

const PAGE = new URL('../../docs/conformance.md', import.meta.url)
const COMPANY = { alone: 'alone', among: 'beside four others' }

/** Puts results into docs/conformance.md: the part of every role that was run completely. */
export function writeDocument(results) {
  writeFileSync(PAGE, documented(readFileSync(PAGE, 'utf8'), results))
}

/** The page with the parts that these results are about. Throws when some cells of the matrix are missing. */
export function documented(page, results, cells = CELLS) {
  const direct = results.filter(({ role }) => role !== 'gateway')
  const through = results.filter(({ role }) => role === 'gateway')
  let text = page
  if (direct.length > 0) text = replaced(text, 'direct', directTable(direct))
  if (through.length > 0) text = replaced(text, 'gateway', gatewayPart(through, cells))
  return text
}

function directTable(results) {
  const byRevision = grouped(results, ({ group }) => group)
  const roles = [...new Set(results.map(({ role }) => role))]
  const rows = [...byRevision.keys()].sort().map((group) => {
    const those = byRevision.get(group)
    return [group, ...roles.map((role) => summary(those.filter((result) => result.role === role)))]
  })
  return [...table(['Revision', ...roles.map((role) => `Our ${role}`)], rows), ...failures(results)]
}

function summary(results) {
  if (results.length === 0) return '–'
  const checks = results.reduce((sum, { checked }) => sum + checked, 0)
  return `${count(results)} scenarios, ${checks} checks`
}

function gatewayPart(results, cells) {
  const byCell = grouped(results, ({ cell }) => cell)
  const missing = cells.filter(({ name }) => !byCell.has(name)).map(({ name }) => name)
  if (missing.length > 0) throw new Error(`the matrix is not complete without ${missing.join(', ')}`)
  const rows = grouped(cells, ({ revision, upstream }) => `${revision} | ${upstream}`)
  const lines = [...rows.values()].map((row) => [
    row[0].revision,
    row[0].upstream,
    ...Object.keys(COMPANY).map((company) =>
      entry(byCell.get(row.find((cell) => cell.company === company).name)),
    ),
  ])
  const heads = ['Client', 'Upstream', ...Object.values(COMPANY)]
  return [...table(heads, lines), ...impossible(results), ...failures(results)]
}

function impossible(results) {
  const reasons = grouped(
    results.filter(({ notPossible }) => notPossible !== undefined),
    ({ notPossible }) => notPossible,
  )
  if (reasons.size === 0) return []
  const lines = [...reasons].map(([reason, those]) => {
    const scenarios = [...new Set(those.map(({ scenario }) => `\`${scenario}\``))]
    const upstreams = [...new Set(those.map(({ cell }) => cell.split('/').slice(0, 2).join(' × ')))]
    return `- ${scenarios.join(', ')} (${upstreams.join(', ')}): ${reason}.`
  })
  return ['', 'Not possible (n/p):', '', ...lines]
}

function failures(results) {
  const failed = results.filter(({ problems }) => problems.length > 0)
  if (failed.length === 0) return []
  const lines = failed.map(
    ({ cell, role, group, scenario, problems }) =>
      `- ${cell ?? `${role}, ${group}`}: \`${scenario}\` – ${problems[0]}`,
  )
  return ['', 'Failed:', '', ...lines]
}

function table(heads, rows) {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}

function replaced(page, name, lines) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/conformance.md has no ${begin} … ${end}`)
  return `${page.slice(0, from)}${begin}\n\n${lines.join('\n')}\n\n${page.slice(to)}`
}
