import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import ts from 'typescript'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { compileSnippets } from '../../scripts/snippets.mjs'
import { blocksOf, PAGES, programsOf } from '../../scripts/lib/snippets.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
// Those of packages are run with what is packed (tests/packaging).
const running = PAGES.filter((name) => programsOf(name).main && !/^packages|^docs\/adr/.test(name))

let folder: string
beforeAll(async () => {
  // Inside the project, so that snippets find the packages as a user's program would.
  folder = await mkdtemp(join(root, 'tests/docs/.run-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function write(file: string, language: string, text: string): Promise<void> {
  const options = { loader: 'ts', format: 'esm', target: 'node20' } as const
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, language === 'ts' ? (await transform(text, options)).code : text)
}

describe('the code on', () => {
  afterEach(() => process.chdir(root))

  it.each(running)('%s runs from top to bottom, in a folder with nothing but its files', async (name) => {
    const { main, files } = programsOf(name)
    const home = join(folder, dirname(main!.path))
    for (const file of files) if (file.name) await write(join(home, file.name), file.language, file.text)
    const program = join(home, 'page.mjs')
    await write(program, 'ts', main!.runnable)
    process.chdir(home)
    await import(/* @vite-ignore */ pathToFileURL(program).href)
  })

  it('all pages compiles with nothing of a library left unchecked', async () => {
    expect(await compileSnippets('7.0')).toEqual({ ok: true, output: '' })
  })
})

describe('other blocks on the pages', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const commands = [...(await readFile(join(root, 'docs/cli.md'), 'utf8')).matchAll(/^## gantry (\w+)/gm)]
  const blocks = await Promise.all(
    PAGES.map(async (name) => blocksOf(await readFile(join(root, name), 'utf8'))),
  )
  const textsOf = (language: string): string[] =>
    blocks.flat().flatMap((block) => (block.language === language ? [block.text] : []))

  it('are JSON where they say so', () => {
    for (const text of textsOf('json')) expect(() => JSON.parse(text)).not.toThrow()
    for (const text of textsOf('jsonl')) for (const line of text.trim().split('\n')) JSON.parse(line)
    for (const text of textsOf('jsonc')) {
      const { error } = ts.parseConfigFileTextToJson('page.json', /^\s*"/.test(text) ? `{${text}}` : text)
      expect({ text, problem: error?.messageText }).toEqual({ text, problem: undefined })
    }
  })

  it('are commands that exist', () => {
    for (const text of textsOf('sh')) {
      expect(spawnSync('bash', ['-n'], { input: text }).status).toBe(0)
      for (const [, script] of text.matchAll(/\bnpm run ([\w-]+)/g))
        expect(Object.keys(scripts)).toContain(script)
      for (const [, command] of text.matchAll(/^(?:npx )?gantry (\w+)/gm))
        expect(commands.map(([, name]) => name)).toContain(command)
    }
  })
})
