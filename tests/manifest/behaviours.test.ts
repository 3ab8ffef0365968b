import { expect, it } from 'vitest'
import { checkProofs } from './proofs.ts'
import { testTitles } from './test-titles.ts'

checkProofs('docs/behaviours.md')

it('titles of tests are sentences, without codes in front', () => {
  const coded = [...testTitles()].flatMap(([file, titles]) =>
    titles.filter((title) => /\b[A-Z]\d+: /.test(title)).map((title) => `${file} › ${title}`),
  )
  expect(coded).toEqual([])
})
