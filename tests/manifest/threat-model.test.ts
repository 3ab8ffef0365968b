import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { testTitles } from './test-titles.ts'

const page = readFileSync(join(ROOT, 'docs/threat-model.md'), 'utf8')
const rows = [...page.matchAll(/^\| .+ \| .+ \| (\S+\.test\.ts) › (.+) \|$/gm)]
const titles = testTitles()

it('has a proof in every row', () => {
  const all = page.match(/^\| (?!---|it tries|they try).+\|$/gm)?.filter((row) => !row.startsWith('|---'))
  expect(rows.length).toBe(all?.length)
})

it.each(rows.map(([, file, words]) => [file!, words!]))('%s › %s', (file, words) => {
  const found = [...titles].filter(([path]) => path.endsWith(`/${file}`)).flatMap(([, all]) => all)
  expect(
    found.some((title) => title.includes(words)),
    `titles of ${file}:\n${found.join('\n')}`,
  ).toBe(true)
})
