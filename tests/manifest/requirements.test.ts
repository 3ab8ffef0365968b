import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { testTitles } from './test-titles.ts'

const FOLDER = join(ROOT, 'docs/requirements')
const titles = testTitles()
const scenarios = JSON.parse(readFileSync(join(ROOT, 'conformance/expected-checks.json'), 'utf8')) as Record<
  string,
  Record<string, unknown>
>

interface Line {
  count: number
  what: string
  proof: string
}

function pagesOf(document: string): [page: string, total: number, lines: Line[]][] {
  return document
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [, page, total] = /^(.+) \((\d+)\)$/m.exec(part) ?? []
      const rows = [...part.matchAll(/^\| (\d+) \| (.+?) \| (.+?) \|$/gm)]
      const lines = rows.map(([, count, what, proof]) => ({
        count: Number(count),
        what: what!,
        proof: proof!,
      }))
      return [page!, Number(total), lines]
    })
}

/** Why a proof is none, or undefined. */
function flaw(proof: string): string | undefined {
  if (/^\*\*Not (ours|met)\*\* – \S/.test(proof)) return undefined
  const [place, words] = proof.split(' › ') as [string, string | undefined]
  if (words === undefined) return `neither a proof nor an admission: ${proof}`
  const [, side] = /^conformance (server|client)$/.exec(place) ?? []
  if (side !== undefined) return words in scenarios[side]! ? undefined : `no such scenario: ${words}`
  const files = [...titles].filter(([path]) => path.endsWith(`/${place}`))
  if (files.length === 0) return `no such file: ${place}`
  const isThere = files.some(([, found]) => found.some((title) => title.includes(words)))
  return isThere ? undefined : `no such test in ${place}: ${words}`
}

describe.each(readdirSync(FOLDER))('docs/requirements/%s', (file) => {
  const pages = pagesOf(readFileSync(join(FOLDER, file), 'utf8'))

  it.each(pages)('%s: all %i sentences have a proof or an admission', (_page, total, lines) => {
    expect(lines.map(({ proof }) => flaw(proof)).filter((found) => found !== undefined)).toEqual([])
    expect(lines.reduce((sum, { count }) => sum + count, 0)).toBe(total)
  })

  it('has pages', () => {
    expect(pages.length).toBeGreaterThan(15)
  })
})
