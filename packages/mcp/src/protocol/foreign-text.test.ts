import { describe, expect, it } from 'vitest'
import { parseUrl, splitTarget, cutText, isDeepYaml } from './foreign-text.ts'
import { Lexer, parse } from 'yaml'

describe('parseUrl', () => {
  it('returns undefined instead of throwing', () => {
    for (const text of [
      '',
      '//',
      'http://',
      'http://[',
      'http://[::1',
      'x',
      'http://a b/',
      `http://${'%'.repeat(9)}`,
    ]) {
      expect(parseUrl(text)).toBeUndefined()
    }
    expect(parseUrl('//', 'http://127.0.0.1')).toBeUndefined()
    expect(parseUrl('/a?b=c', 'http://h')?.href).toBe('http://h/a?b=c')
  })
})

describe('splitTarget', () => {
  it('takes any target', () => {
    const targets = ['/', '//', '///?a=1', '*', 'http://[', '/callback?state=a%zz&code=b', '?', '/a?b?c=d']
    for (const target of targets) expect(splitTarget(target).path).toBe(target.split('?')[0])
    expect(splitTarget('/callback?state=a%zz&code=b').query.get('code')).toBe('b')
    expect(splitTarget('//evil.example/callback?code=1').path).toBe('//evil.example/callback')
  })
})

it('keeps short texts', () => expect(cutText('short', 5)).toBe('short'))

it('leaves no half of a word behind', () => {
  expect(cutText('the token is abcdef', 16)).toBe('the token is …')
  expect(cutText('{"token":"abcdef"}', 13)).toBe('{"token":"…')
})

it('cuts a word without an end, and not at its last thousand characters', () => {
  expect(cutText('x'.repeat(5000), 4000)).toBe(`${'x'.repeat(3000)}…`)
})

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
