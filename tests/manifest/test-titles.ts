import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDERS = ['packages/mcp/src', 'packages/gateway/src', 'tests', 'conformance']

/** The titles of all tests, by file, as they stand in the source. */
export function testTitles(): Map<string, string[]> {
  const titles = new Map<string, string[]>()
  for (const folder of FOLDERS) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.test\.(ts|tsx|mjs)$/.test(name) || name.includes('node_modules')) continue
      const path = `${folder}/${name.replaceAll('\\', '/')}`
      titles.set(path, titlesIn(readFileSync(join(ROOT, path), 'utf8')))
    }
  }
  return titles
}

/** `it('…'`, `describe.each(…)('…'`: a title is the first string of a call that declares tests. */
function titlesIn(source: string): string[] {
  const declared = /^\s*(?:it|test|describe)\b[^'"`\n]*?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm
  const withTexts = /^\s*(?:it|test|describe)\.each\(\[.*\]\)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm
  const continued = /^\s*(?:\]|\}|[^\s'"`(]+\))?\)?\(\s*(['"`])((?:\\.|(?!\1).)*)\1,? (?:async )?\(/gm
  const inOwnLine = /^\s+(['"`])((?:\\.|(?!\1).)*)\1,\n\s+(?:async )?\(.*=> \{$/gm
  return [declared, withTexts, continued, inOwnLine].flatMap((pattern) =>
    [...source.matchAll(pattern)].map(([, , title]) => title!.replace(/\\(.)/g, '$1')),
  )
}
