import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../lib/paths.mjs'
import { SERVERS } from './servers.mjs'
import { row } from './table-row.mjs'

const PAGE = join(ROOT, 'docs', 'zoo.md')
const HEAD = `| server | version | speaks | offers | answers compared | older clients | newer clients | |
|---|---|---|---|---|---|---|---|`

/** Puts the table of servers between its marks; the words around it are written by people. */
export function writePage(found) {
  const rows = SERVERS.filter(({ name }) => found[name]).map((server) => row(found[server.name], server))
  const table = [HEAD, ...rows].join('\n')
  const page = readFileSync(PAGE, 'utf8')
  const marks = /(<!-- servers -->\n)[\s\S]*?(<!-- \/servers -->)/
  writeFileSync(
    PAGE,
    page.replace(marks, (_, start, end) => `${start}\n${table}\n\n${end}`),
  )
}
