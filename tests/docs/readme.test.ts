import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/paths.mjs'

const page = readFileSync(join(ROOT, 'README.md'), 'utf8')
const [claims = ''] = page.split(/^## /m)

/** Tests, and pages of what was measured or tried. pages.test.ts follows all links. */
const PROOF = /\]\((?:[\w./-]+\.test\.ts|docs\/(?:benchmarks|conformance|zoo|requirements\/[\d-]+)\.md)\)/g

describe('the README', () => {
  it('is read on two screens', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(105)
    const prose = page.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/\]\([^)]*\)/g, ']')
    expect(prose.split(/\s+/).length).toBeLessThan(420)
  })

  it('has a proof for each of its claims', () => {
    const bullets = claims.split(/^- /m).slice(1)
    expect(bullets.length).toBeGreaterThan(4)
    expect(bullets.filter((bullet) => bullet.match(PROOF) === null)).toEqual([])
  })

  it('names tests that test something', () => {
    const tests = [...page.matchAll(/\]\(([\w./-]+\.test\.ts)\)/g)].map(([, path]) => path!)
    expect(tests.length).toBeGreaterThan(8)
    const without = tests.filter(
      (path) => !/\b(it|test)(\.each)?\(/.test(readFileSync(join(ROOT, path), 'utf8')),
    )
    expect(without).toEqual([])
  })
})
