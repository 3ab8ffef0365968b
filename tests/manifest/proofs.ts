import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { testTitles } from './test-titles.ts'

/** Declares a test for each row of a page: the proof in its last cell, `file › words of the title`, exists. */
export function checkProofs(path: string): void {
  const page = readFileSync(join(ROOT, path), 'utf8')
  const titles = [...testTitles()]
  const tables = page.matchAll(/^\|.*\|\n\|[-|]+\|\n((?:\|.*\|\n?)+)/gm)
  const rows = [...tables].flatMap(([, body]) => body!.trimEnd().split('\n'))

  it('has rows', () => {
    expect(rows).not.toEqual([])
  })

  it.each(rows)('%s', (row) => {
    const [, file, words] = /\| (\S+\.test\.ts) › (.+) \|$/.exec(row) ?? []
    expect(words, 'a proof: file › words of the title').toBeDefined()
    const found = titles.filter(([name]) => name.endsWith(`/${file}`)).flatMap(([, all]) => all)
    expect(
      found.some((title) => title.includes(words!)),
      `titles of ${file}:\n${found.join('\n')}`,
    ).toBe(true)
  })
}
