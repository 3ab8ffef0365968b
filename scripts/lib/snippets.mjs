import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './paths.mjs'

/** Pages whose code is compiled. */
export const PAGES = ['README.md', ...pagesIn('docs'), ...readmesOfPackages()].sort()

function pagesIn(folder) {
  const names = readdirSync(join(ROOT, folder), { recursive: true })
  return names.filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
}

function readmesOfPackages() {
  const names = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/README.md`)
  return names.filter((name) => existsSync(join(ROOT, name)))
}

/** The code blocks of a page: the language, the words after it, and the text. */
export function blocksOf(page) {
  const found = page.matchAll(/^( *)```(\w+)([^\n`]*)\n([\s\S]*?)^\1```$/gm)
  return [...found].map(([, , language, words, text]) => ({ language, mark: words.trim(), text }))
}

/**
 * The TypeScript programs of a page, as files that a compiler takes:
 *   ts             continues the program of the page, which runs from top to bottom
 *   ts no-run      continues it too, but is left out when it is run
 *   ts file=NAME   a file that the others import, read or start; blocks of other languages can be one too
 *   ts alone       a program of its own; so is any other word
 */
export function programsOf(name) {
  const blocks = blocksOf(readFileSync(join(ROOT, name), 'utf8'))
  const folder = name.replaceAll(/[/.]/g, '-')
  const main = { path: `${folder}/page.ts`, text: '', runnable: '' }
  const files = []
  for (const { language, mark, text } of blocks) {
    const isCode = language === 'ts'
    const file = /^file=(.+)$/.exec(mark)?.[1]
    if (file !== undefined) {
      const path = isCode ? file.replace(/js$/, 'ts') : file
      files.push({ path: `${folder}/${path}`, name: file, language, text })
    } else if (isCode && (mark === '' || mark === 'no-run')) {
      main.text += `${text}\n`
      if (mark === '') main.runnable += `${text}\n`
    } else if (isCode) {
      files.push({ path: `${folder}/part-${files.length + 1}.ts`, text })
    }
  }
  return { main: main.text === '' ? undefined : main, files }
}

/** A program that names every type of the protocol, from each entry that has them. */
export function protocolTypes() {
  const types = readFileSync(join(ROOT, 'packages/mcp/src/protocol/types.ts'), 'utf8')
  const names = [...types.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name]) => name)
  const entries = { both: '@gantry/mcp', client: '@gantry/mcp/client', server: '@gantry/mcp/server' }
  const lines = Object.entries(entries).map(([name, entry]) => `import type * as ${name} from '${entry}'`)
  const named = Object.keys(entries).flatMap((entry) => names.map((name) => `${entry}.${name}`))
  return [...lines, `export type Named = [${named.join(', ')}]`, ''].join('\n')
}
