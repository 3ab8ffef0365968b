import { describe, expect, it } from 'vitest'
import { Lexer, parse } from 'yaml'
import { isDeepYaml } from './is-deep-yaml.ts'

const isDeep = (text: string): boolean => isDeepYaml(text, (source) => new Lexer().lex(source))
const flow = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

describe('isDeepYaml', () => {
  it.each([
    ['brackets', flow(600)],
    ['many brackets', flow(100_000)],
    ['braces', `${'{a: '.repeat(600)}1${'}'.repeat(600)}`],
    ['brackets that are hidden behind comments', `${'[ # ]\n '.repeat(600)}${']'.repeat(600)}`],
    ['lists in one line', `${'- '.repeat(600)}x`],
    ['keys in one line', `${'? '.repeat(600)}x`],
    ['indentation', Array.from({ length: 600 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
  ])('finds %s', (_, text) => expect(isDeep(text)).toBe(true))

  it.each([
    ['wide lists', Array.from({ length: 2_000 }, () => '- [a, {b: c}]').join('\n')],
    ['brackets in texts', `a: "${'['.repeat(5_000)}"\nb: |\n  ${'{'.repeat(5_000)}\n`],
    ['rulers', `a: |\n  ${'-'.repeat(2_000)}\n`],
    ['as many levels as are read', flow(500)],
  ])('accepts %s', (_, text) => {
    expect(isDeep(text)).toBe(false)
    expect(parse(text)).toBeDefined()
  })
})
