import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import layers from '../../.dependency-cruiser.mjs'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { walk } from '../../scripts/walk.mjs'
import { sourceFiles } from './source-files.ts'

const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
const files = sourceFiles('packages').filter(
  (path) => /\.ts$/.test(path) && !/\.test[.-]|\/fixtures\//.test(path),
)

describe.each(['mcp', 'gateway'])('packages/%s/src', (name) => {
  const inside = files
    .filter((path) => path.startsWith(`packages/${name}/src/`))
    .map((path) => path.split('/').slice(3).join('/'))
  const parts = [...new Set(inside.map((path) => path.replace(/\/.*/, '/')))]
  const table = page.slice(page.indexOf(`| \`packages/${name}/src/\``)).split('\n\n')[0]!
  const rows = table
    .split('\n')
    .slice(2)
    .flatMap((row) => [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, part]) => part!))

  it.each(parts)('%s has a row in ARCHITECTURE.md', (part) => {
    expect(rows).toContain(part)
  })

  it.each(parts)('%s has a rule about what it may import', (part) => {
    const rules = layers.forbidden.map((rule: { name: string }) => rule.name)
    expect(rules).toContain(`${name}/${part} imports only what its layer allows`)
  })

  it.each(rows)('%s of the table exists', (row) => {
    expect(inside.some((path) => path === row || path.startsWith(row))).toBe(true)
  })
})

describe('rooms', () => {
  const MOST_FILES = 25

  it('have at most 25 source files without a subfolder', () => {
    const all = sourceFiles('packages').filter(
      (path) => /^packages\/\w+\/src\/.*\.tsx?$/.test(path) && !/\.test[.-]|\/fixtures\//.test(path),
    )
    const counts = new Map<string, number>()
    for (const path of all) {
      const folder = path.replace(/\/[^/]*$/, '')
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
    expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([])
  })

  it('have classes that each have a name of their own', () => {
    const named = files.flatMap((path) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^(?:export )?(?:abstract )?class (\w+)/gm)].map(
        ([, name]) => [name!, path] as const,
      ),
    )
    const first = new Map(named.toReversed())
    expect(named.filter(([name, path]) => first.get(name) !== path)).toEqual([])
  })
})

describe('packages/console/src', () => {
  const own = sourceFiles('packages/console/src').filter((path) => /\.tsx?$/.test(path))

  it('has no file that is too long to be read at once', () => {
    const long = own.filter((path) => readFileSync(join(ROOT, path), 'utf8').split('\n').length > 251)
    expect(long).toEqual([])
  })

  it('has a folder for each feature and each kind of part, and tables of one kind', () => {
    const features = own.filter((path) => path.startsWith('packages/console/src/features/'))
    expect(features.filter((path) => path.split('/').length < 6)).toEqual([])
    const parts = own.filter((path) => path.startsWith('packages/console/src/ui/'))
    expect(parts.filter((path) => path.split('/').length < 6)).toEqual([])
    const tables = own.filter((path) => /<table\b/.test(readFileSync(join(ROOT, path), 'utf8')))
    // A diff and Markdown have tables of their own.
    expect(
      tables.filter((path) => !/ui\/(table\/table|text\/diff-view|text\/markdown)\.tsx$/.test(path)),
    ).toEqual([])
  })
})

it('ARCHITECTURE.md names every folder of both packages, and no place that does not exist', () => {
  const folders = [
    ...new Set(
      files.flatMap((path) => {
        const inside = path.split('/').slice(3, -1)
        return /^packages\/(mcp|gateway)\/src\//.test(path) ? inside : []
      }),
    ),
  ]
  // Folders of links have the names of the links.
  const isNamed = (folder: string): boolean => page.includes(`${folder}/`) || page.includes(`\`${folder}\``)
  expect(folders.filter((folder) => !isNamed(folder))).toEqual([])
  const places = [...page.matchAll(/`((?:mcp|gateway|console)\/src\/[^`]+)`/g)].map(([, place]) => place!)
  expect(places.filter((place) => !existsSync(join(ROOT, 'packages', place)))).toEqual([])
})

it('the glossary says where its words are written down', () => {
  const glossary = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8')
  const places = [...glossary.matchAll(/`((?:mcp|gateway)\/src\/[^`]+)` \|$/gm)].map(([, place]) => place!)
  expect(places.length).toBe(glossary.match(/^\| \w/gm)!.length - 1)
  expect(places.filter((place) => !existsSync(join(ROOT, 'packages', place)))).toEqual([])
})

describe('one call, file by file', () => {
  const section = /## One call, file by file\n([\s\S]*?)\n## /.exec(page)![1]!
  /** A name without a folder is in the folder of the one before it. */
  const named = section.match(/^- .*$/gm)!.flatMap((line) => {
    let folder = ''
    return [...line.split(': ')[0]!.matchAll(/`([^`]+)`/g)].map(([, path]) => {
      if (path!.includes('/')) folder = path!.replace(/[^/]*$/, '')
      return path!.includes('/') ? path! : folder + path!
    })
  })

  it('names at most 45 files', () => {
    expect(named.length).toBeLessThanOrEqual(45)
  })

  it('is the way that a call takes', async () => {
    const entered: string[] = await walk()
    expect(named.filter((file) => !entered.includes(file))).toEqual([])
    const most = Number(/enters: today (\d+)/.exec(section)![1])
    expect(entered.length).toBeLessThanOrEqual(most)
    expect(most).toBeLessThanOrEqual(45)
  })
})
