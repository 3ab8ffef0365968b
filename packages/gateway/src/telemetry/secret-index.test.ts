import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SecretIndex } from './secret-index.ts'

const HIDDEN = '[redacted]'
const indexOf = (...secrets: string[]): SecretIndex => {
  const index = new SecretIndex({ shortest: 8, most: 100_000 })
  for (const secret of secrets) index.learn(secret, HIDDEN)
  return index
}

describe('a secret', () => {
  it('is found anywhere, in small and capital letters, and nothing else is', () => {
    const index = indexOf('abcdefgh', 'x-abcdefgh-y', 'Ünïcödé-1')
    const text = 'abcdefgh xabcdefghx X-ABCDEFGH-Y üNÏCÖDÉ-1 abcdefg bcdefgh abcdefhg'
    const clean = '[redacted] x[redacted]x [redacted] [redacted] abcdefg bcdefgh abcdefhg'
    expect(index.hide(text)).toBe(clean)
  })

  it('that overlaps another takes both away', () => {
    expect(indexOf('aaaabbbb', 'bbbbcccc').hide('-aaaabbbbcccc-aaaabbbb-')).toBe('-[redacted]-[redacted]-')
  })

  it('is found in any text, wherever it stands', () => {
    const secret = fc.string({ minLength: 8, maxLength: 60, unit: 'binary' })
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 9 }), fc.string(), fc.string(), (all, a, b) => {
        const index = indexOf(...all)
        for (const one of all) expect(index.hide(a + one + b)).not.toContain(one)
      }),
    )
  })

  it('of a hundred thousand with one ending is found as quickly as one alone', () => {
    const secrets = Array.from({ length: 100_000 }, (_, at) => `${at}-of-many-production`)
    const started = process.cpuUsage()
    const index = indexOf(...secrets)
    expect(index.hide(`x${secrets[77_777]}x`)).toBe('x[redacted]x')
    index.hide(`${'-of-many-production '.repeat(5000)}`)
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000)
  })

  it('of one letter does not make a long text of that letter slow', () => {
    const index = indexOf('a'.repeat(8000), 'a'.repeat(7999), `${'b'.repeat(4000)}${'a'.repeat(4000)}`)
    const started = process.cpuUsage()
    expect(index.hide('a'.repeat(500_000))).toBe(HIDDEN)
    index.hide('a'.repeat(7000).concat('c').repeat(70))
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5000)
  })

  it('that was learned is forgotten when very many came after it; one that is used, or pinned, is not', () => {
    const index = new SecretIndex({ shortest: 8, most: 100 })
    index.pin('pinned-secret', HIDDEN)
    index.learn('old-secret', HIDDEN)
    index.learn('used-secret', HIDDEN)
    for (let at = 0; at < 1000; at++) {
      index.learn(`secret-number-${at}`, HIDDEN)
      index.learn('used-secret', HIDDEN)
    }
    const text = 'pinned-secret old-secret used-secret secret-number-999'
    expect(index.hide(text)).toBe('[redacted] old-secret [redacted] [redacted]')
    index.unpin()
    expect(index.hide(text)).toBe('[redacted] old-secret [redacted] [redacted]')
  })

  it('of one person is left alone in what others are told', () => {
    const index = indexOf('of-everybody')
    index.learn('same-words', HIDDEN, 'ann')
    index.learn('same-words', HIDDEN, 'bob')
    const text = 'same-words of-everybody'
    expect(index.hide(text)).toBe('[redacted] [redacted]')
    expect(index.hide(text, { owner: 'bob' })).toBe('[redacted] [redacted]')
    expect(index.hide(text, { owner: 'eve' })).toBe('same-words [redacted]')
  })

  it('that is a word is found between words', () => {
    const index = new SecretIndex({ shortest: 4, most: 100, isWord: true })
    index.pin('idle', HIDDEN)
    expect(index.hide('idle idles un-idle (IDLE)')).toBe('[redacted] idles un-idle ([redacted])')
  })
})

describe('the beginning of a secret at the end of a text', () => {
  it.each([
    ['refused: Bearer abcdefghij', 16],
    ['x=abcdefgh', 2],
    ['abcdefg', 7],
    ['abcdefghij and more', 19],
  ])('%s', (text, at) => {
    expect(indexOf('abcdefghijklmnop').beginningIn(text)).toBe(at)
  })
})

describe('JSON', () => {
  it('stays valid, whatever is a secret', () => {
    // Pieces of JSON that somebody calls a secret.
    const pieces = fc.record({
      value: fc.jsonValue(),
      from: fc.nat(),
      length: fc.integer({ min: 8, max: 30 }),
    })
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 5 }), fc.jsonValue(), (all, value) => {
        const texts = all.map((one) => JSON.stringify(one.value))
        const secrets = all.map(({ from, length }, at) => {
          const start = from % texts[at]!.length
          return texts[at]!.slice(start, start + length)
        })
        const index = indexOf(...secrets.filter((one) => one.length >= 8))
        for (const text of [...texts, JSON.stringify({ value, texts, '"isError":true': secrets })]) {
          const clean = index.hide(text, { isJson: true })
          expect(() => JSON.parse(clean)).not.toThrow()
        }
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['structure', '"isError":true', '{"isError":true,"a":"\\"isError\\":true"}', undefined],
    [
      'a number and what follows',
      ':12345678,',
      '{"a":12345678,"b":":12345678,"}',
      '{"a":12345678,"b":"[redacted]"}',
    ],
    ['the letter of an escape', 'n    at Object', '{"a":"x\\n    at Object"}', undefined],
    ['digits of an escape', '00e4bcdefg', '{"a":"\\u00e4bcdefg"}', undefined],
    ['a letter behind a backslash', 'n    at Object', '{"a":"\\\\n    at Object"}', '{"a":"\\\\[redacted]"}'],
    ['what ends with half an escape', 'abcdefg\\', '{"a":"abcdefg\\\\"}', undefined],
  ])('loses nothing to %s', (_, secret, json, clean) => {
    expect(indexOf(secret).hide(json, { isJson: true })).toBe(clean ?? json)
  })

  it('loses secrets in texts and names, also behind escapes', () => {
    const secret = randomBytes(24).toString('base64url')
    const value = { [secret]: [`\n${secret}`, `\u0001${secret}"`, { a: `\\${secret}\\` }] }
    const clean = indexOf(secret).hide(JSON.stringify(value), { isJson: true })
    expect(JSON.parse(clean)).toEqual({
      [HIDDEN]: [`\n${HIDDEN}`, `\u0001${HIDDEN}"`, { a: `\\${HIDDEN}\\` }],
    })
  })
})
