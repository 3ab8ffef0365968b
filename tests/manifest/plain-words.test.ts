import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { sourceFiles } from './source-files.ts'

const pages = sourceFiles().filter((path) => path.endsWith('.md'))
const code = sourceFiles().filter(
  (path) => /\.(tsx?|mjs)$/.test(path) && !/\.test[.-]|(^|\/)(tests|fixtures)\//.test(path),
)

/** Words that make readers stop, and words about how this repository was made, which no reader needs. */
const AVOIDED = /\b(whoever|whomever|somebody|that is none|said once|what it brought|issue #?\d+)\b/gi

it.each(pages)('%s is in plain words', (path) => {
  // Titles of tests are quoted as they are.
  const text = readFileSync(join(ROOT, path), 'utf8').replace(/› .*/g, '')
  expect(text.match(AVOIDED) ?? []).toEqual([])
})

it('code, its comments and its messages are in plain words', () => {
  expect(code.length).toBeGreaterThan(500)
  const found = code.flatMap((path) =>
    (readFileSync(join(ROOT, path), 'utf8').match(AVOIDED) ?? []).map((word) => `${path}: ${word}`),
  )
  expect(found).toEqual([])
})
