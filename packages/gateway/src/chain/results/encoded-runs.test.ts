import { describe, expect, it } from 'vitest'
import { cleanEncodedRuns, hasEncodedText } from './encoded-runs.ts'

const SECRET = 'AKIAABCDEFGHIJKLMNOP'
const clean = (text: string): string => text.replaceAll(SECRET, '***')
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const lines = (text: string, length: number): string =>
  text.match(new RegExp(`.{1,${length}}`, 'g'))!.join('\n')

describe('base64 in a text', () => {
  it.each([
    ['alone', base64(SECRET)],
    ['in a sentence', `the key is ${base64(`id=${SECRET}`)}, they said`],
    ['after a sign', `Authorization: Basic ${base64(`user:${SECRET}`)}`],
    ['of a Kubernetes secret', `data:\n  key: ${base64(SECRET)}\n`],
    ['for addresses', `?k=${Buffer.from(`??>>${SECRET}ü`).toString('base64url')}&x=1`],
    ['in lines', lines(base64(`${'word '.repeat(11)}${SECRET}${' word'.repeat(30)}`), 64)],
    ['in front of words', `${Buffer.from(`??>>${SECRET} and some more`).toString('base64url')} and so on`],
    [
      'in lines of Windows',
      lines(base64(`${'word '.repeat(13)}${SECRET} and more`), 76).replaceAll('\n', '\r\n'),
    ],
  ])('is cleaned %s', (_where, text) => {
    expect(hasEncodedText(text)).toBe(true)
    const shown = cleanEncodedRuns(text, clean)
    expect(shown).not.toBe(text)
    expect(cleanEncodedRuns(shown, clean)).toBe(shown)
  })

  it.each([
    'plain words, and none of them is very long',
    '/usr/local/lib/node_modules/typescript/lib/lib.dom.iterable.d.ts',
    '3f786850e387550fdab836ed7e6dc881de23001b and 123e4567-e89b-12d3-a456-426614174000',
    'Donaudampfschifffahrtsgesellschaft',
    '{"structuredContent":{"internationalization":true}}',
    Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 37) % 256)).toString('base64'),
    '',
  ])('is not seen where there is none: %s', (text) => {
    expect(hasEncodedText(text)).toBe(false)
    expect(cleanEncodedRuns(text, () => 'changed')).toBe(text)
  })

  it('is looked for in little time', () => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20_000)
    const from = performance.now()
    hasEncodedText(text)
    expect(performance.now() - from).toBeLessThan(200)
  })
})
