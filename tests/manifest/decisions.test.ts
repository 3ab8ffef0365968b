import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { sourceFiles } from './source-files.ts'

const FOLDER = 'docs/adr'
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const files = sourceFiles()
const names = files
  .filter((path) => /^docs\/adr\/\d{4}-/.test(path))
  .map((path) => path.slice(FOLDER.length + 1))

describe('the decisions in docs/adr', () => {
  it('are numbered without gaps', () => {
    expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, index) => index + 1))
  })

  it.each(names)('%s has its number, a status, its parts, and a line in the index', (name) => {
    const text = read(`${FOLDER}/${name}`)
    const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? []
    expect(Number(number)).toBe(Number(name.slice(0, 4)))
    expect(text).toMatch(/^Status: (accepted|superseded by \[ADR \d+\])/m)
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, part]) => part)).toEqual([
      'Context',
      'Decision',
      'Rejected',
      'Consequences',
    ])
    expect(read(`${FOLDER}/README.md`)).toContain(`| [${number}](${name}) | ${title} |`)
  })

  it.each(names)('%s names files that exist', (name) => {
    const named = [...read(`${FOLDER}/${name}`).matchAll(/`([\w./-]+\/[\w.-]+\.(?:ts|tsx|mjs))`/g)]
    const missing = named
      .map(([, file]) => file!)
      .filter((file) => !files.some((path) => path.endsWith(`/${file}`) || path === file))
    expect(missing).toEqual([])
  })

  it('are where documents and comments say that they are', () => {
    const broken = files
      .filter((path) => /\.(md|ts|tsx|mjs|yml|yaml)$/.test(path) && !path.endsWith('decisions.test.ts'))
      .flatMap((path) => wrongReferences(read(path)).map((reference) => `${path}: ${reference}`))
    expect(broken).toEqual([])
  })
})

/** `docs/adr/0012`, `docs/adr/0012-title.md`, `(0012-title.md)` and `[ADR 12](…)`, where they lead nowhere. */
function wrongReferences(text: string): string[] {
  const paths = [...text.matchAll(/docs\/adr\/(\d{4}[\w.-]*\w)|(?<=\]\()(?:adr\/)?(\d{4}-[a-z][\w-]+\.md)/g)]
    .map(([, path, link]) => (path ?? link)!)
    .filter((path) => !names.some((name) => name === path || name.slice(0, 4) === path))
  const links = [...text.matchAll(/\bADR (\d+)(?:\]\(([^)]*)\))?/g)]
    .filter(([, number, target]) => !target?.includes(`${number!.padStart(4, '0')}-`))
    .map(([whole]) => whole!)
  return [...paths, ...links]
}
