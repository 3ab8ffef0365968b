import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../lib/paths.mjs'
import { SDKS } from './sdks.mjs'

const PAGE = join(ROOT, 'docs', 'zoo.md')

/** Puts the tables of SDKs between their marks; the words around them are written by people. */
export function writeSdks(found) {
  const visits = SDKS.filter(({ name }) => found[name]).map((sdk) => ({ ...sdk, ...found[sdk.name] }))
  const page = readFileSync(PAGE, 'utf8')
  const between = /(<!-- sdks -->\n)[\s\S]*?(<!-- \/sdks -->)/
  writeFileSync(
    PAGE,
    page.replace(between, (_, start, end) => `${start}\n${sdkTables(visits)}\n\n${end}`),
  )
}

export function sdkTables(visits) {
  const servers = table(
    ['server', 'version', 'speaks', 'own client, no gateway', 'older clients', 'newer clients'],
    visits.flatMap((visit) => [
      row(visit, visit.views?.directNewer, ['own', 'older', 'newer']),
      ...(visit.views?.olderSet ? [rowWithSetting(visit)] : []),
    ]),
  )
  const clients = table(
    ['client', 'version', 'speaks', 'no gateway', 'through the gateway'],
    visits
      .filter(({ views }) => views === undefined || views.client)
      .map((visit) => row(visit, visit.views?.client, ['clientDirect', 'client'])),
  )
  return `${servers}\n\n${clients}`
}

const table = (head, rows) =>
  [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n')

function row({ title, version, skipped, views }, { revision } = {}, columns) {
  if (skipped !== undefined) return `| ${title} | **not run**: ${skipped} |${' |'.repeat(columns.length + 1)}`
  const speaks = revision || views.directOlder.revision
  return `| ${title} | ${version} | ${speaks} | ${columns.map((view) => cell(views[view])).join(' | ')} |`
}

function rowWithSetting({ title, setting, views }) {
  const written = JSON.stringify(setting).slice(1, -1).replaceAll(':', ': ')
  return `| ${title}, with \`${written}\` | | 2025-11-25 | | ${cell(views.olderSet)} | ${cell(views.newerSet)} |`
}

function cell(view) {
  if (!view) return 'not tried'
  const { found } = view
  const failed = Object.keys(found).filter((feature) => found[feature] !== 'yes')
  const count = Object.keys(found).length
  return failed.length === 0
    ? `all ${count}`
    : `${count - failed.length} of ${count}; not ${failed.join(', ')}`
}
