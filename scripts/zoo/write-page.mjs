import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../lib/paths.mjs'
import { SERVERS } from './servers.mjs'

const PAGE = join(ROOT, 'docs', 'zoo.md')

/** Puts the table of servers between its marks; the words around it are written by people. */
export function writePage(found) {
  const rows = SERVERS.filter(({ name }) => found[name]).map((server) => row(found[server.name], server))
  const head =
    '| server | version | speaks | offers | calls | older clients | newer clients | |\n|---|---|---|---|---|---|---|---|'
  const table = [head, ...rows].join('\n')
  const page = readFileSync(PAGE, 'utf8')
  writeFileSync(PAGE, page.replace(/(<!-- servers -->\n)[\s\S]*?(\n<!-- \/servers -->)/, `$1\n${table}\n$2`))
}

function row({ package: name, version = '', expected, verdicts, revision = '' }, { note = '' }) {
  if (expected.failed !== undefined)
    return `| \`${name}\` | ${version} | | | | – | – | ${note || 'does not start, with any client'} |`
  const { tools, prompts, resources, results } = expected
  const offers = [
    `${tools.length} tools`,
    ...(prompts.length > 0 ? [`${prompts.length} prompts`] : []),
    ...(resources.length > 0 ? [`${resources.length} resources`] : []),
  ].join(', ')
  const sign = (verdict) => (verdict === '' ? 'yes' : '**no**')
  return `| \`${name}\` | ${version} | ${revision} | ${offers} | ${results.length} | ${sign(verdicts.legacy)} | ${sign(verdicts.modern)} | ${note} |`
}
