import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const guide = (await readdir(join(root, 'docs/guide'))).filter((name) => name.endsWith('.md')).sort()
const pages = ['README.md', ...guide.map((name) => `docs/guide/${name}`)]

let folder: string
beforeAll(async () => {
  // Inside the project, so that snippets find the packages as a user's program would.
  folder = await mkdtemp(join(root, 'tests/docs/.run-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The `ts` blocks of a page, in order; `ts no-run` marks what only makes sense elsewhere. */
function snippetsOf(page: string): string[] {
  return [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((found) => found[1]!)
}

describe('the code on', () => {
  it.each(pages)('%s runs from top to bottom', async (name) => {
    const page = await readFile(join(root, name), 'utf8')
    const snippets = snippetsOf(page)
    expect(snippets.length).toBeGreaterThan(0)
    const { code } = await transform(snippets.join('\n'), { loader: 'ts', format: 'esm', target: 'node20' })
    const file = join(folder, basename(name, '.md').concat('.mjs'))
    await writeFile(file, code)
    await import(/* @vite-ignore */ pathToFileURL(file).href)
  })
})
