import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { slugOf } from '../../scripts/lib/site-links.mjs'
import { parseConfig, type ProblemCode } from '../../packages/gateway/src/config/index.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const inDocs = (await readdir(join(root, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md'))
const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...['packages/mcp/README.md', 'packages/gateway/README.md', 'packages/create-gantry/README.md'],
  ...inDocs.map((name) => join('docs', name)),
].sort()
const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8')

async function anchorsOf(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8')
  return [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map((found) =>
    slugOf(found[1]!),
  )
}

describe('links', () => {
  it.each(pages)('of %s lead somewhere', async (name) => {
    const text = (await read(name)).replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '')
    const broken: string[] = []
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/i.test(link!)) continue
      const [path = '', anchor] = link!.split('#')
      const file = path === '' ? join(root, name) : resolve(join(root, dirname(name)), path)
      const isThere = existsSync(file) && (anchor === undefined || (await anchorsOf(file)).includes(anchor))
      if (!isThere) broken.push(link!)
    }
    expect(broken).toEqual([])
  })
})

/** How many cells each row of the tables has; a bar in a cell is written `\\|`, also inside of code. */
function rowsOf(text: string): number[][] {
  const tables = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').match(/(?:^\|.*\n?)+/gm) ?? []
  return tables.map((table) =>
    table
      .trim()
      .split('\n')
      .map(
        (row) =>
          row
            .trim()
            .slice(1, -1)
            .split(/(?<!\\)\|/).length,
      ),
  )
}

describe('tables', () => {
  it.each(pages)('of %s have as many cells in each row as in the first', async (name) => {
    for (const rows of rowsOf(await read(name))) expect(new Set(rows).size, String(rows)).toBe(1)
  })
})

/** Not one key with its value, as pages show them too. */
function isWhole(text: string): boolean {
  return !/^"\w+":/.test(text)
}

/** What depends on the machine of the reader. */
const ELSEWHERE: readonly ProblemCode[] = ['unresolved-reference', 'missing-file']

describe('configurations', () => {
  const examples = Promise.all(
    pages.map(async (name) => {
      const blocks = [...(await read(name)).matchAll(/^```(yaml|jsonc?)\n([\s\S]*?)^```$/gm)]
      return blocks
        .map(
          ([, format, text]) =>
            ({ name, format: format === 'yaml' ? 'yaml' : 'jsonc', text: text! }) as const,
        )
        .filter(
          ({ text }) =>
            /^[\s{]*"?(mcpServers|server|auth|policy)"?:/m.test(text) &&
            !/^services:/m.test(text) &&
            isWhole(text),
        )
    }),
  )

  it('on all pages are good', async () => {
    const found = (await examples).flat()
    expect(found.length).toBeGreaterThan(5)
    for (const { name, format, text } of found) {
      const places = { platform: 'linux' as const, home: '/', env: {}, cwd: '/' }
      const result = await parseConfig(text, { format, places })
      const problems = (result.ok ? result.warnings : result.problems).filter(
        ({ code }) => !ELSEWHERE.includes(code),
      )
      expect({ name, text, problems: problems.map(({ message }) => message) }).toEqual({
        name,
        text,
        problems: [],
      })
    }
  })
})
