import { describe, expect, it } from 'vitest'
import { cleanSeams } from './seams.ts'

const SECRET = 'AKIAABCDEFGHIJKLMNOP'
const clean = (text: string): string => text.replaceAll(SECRET, '[masked]')
const texts = (...all: string[]): object[] => all.map((text) => ({ type: 'text', text }))

describe('a secret in several texts', () => {
  const said = (role: string, text: string): object => ({ role, content: { type: 'text', text } })

  it.each<[string, object[], string]>([
    ['two', texts(`key ${SECRET.slice(0, 7)}`, `${SECRET.slice(7)} end`), 'key [masked] end'],
    ['many', texts('key ', ...SECRET, ' end'), 'key [masked] end'],
    [
      'three, with two of them',
      texts(`a ${SECRET.slice(0, 3)}`, `${SECRET.slice(3)} b ${SECRET.slice(0, 9)}`, `${SECRET.slice(9)} c`),
      'a [masked] b [masked] c',
    ],
    ['messages', [said('user', SECRET.slice(0, 7)), said('assistant', SECRET.slice(7))], '[masked]'],
    [
      'a text and a resource, with an image between them',
      [
        { type: 'text', text: SECRET.slice(0, 7) },
        { type: 'image', data: 'AAAA' },
        { type: 'resource', resource: { uri: 'a:b', text: SECRET.slice(7) } },
      ],
      '[masked]',
    ],
  ])('is taken out of %s', (_what, parts, whole) => {
    const found = cleanSeams(parts, clean)
    const read = [...JSON.stringify(found).matchAll(/"text":"([^"]*)"/g)].map(([, text]) => text).join('')
    expect(read).toBe(whole)
    expect(found).toHaveLength(parts.length)
  })

  it('leaves all others as they are', () => {
    const parts = [...texts('one', 'two', '', 'three'), 7, null, { type: 'image', data: 'A' }]
    expect(cleanSeams(parts, clean)).toBe(parts)
  })

  it('finds those that are far from each other, and leaves what is between them', () => {
    const half = [`x ${SECRET.slice(0, 9)}`, `${SECRET.slice(9)} y`]
    const between = Array.from({ length: 3000 }, (_, at) => `part ${at} of them all, `)
    const found = cleanSeams(texts(...half, ...between, ...half), clean)
    const read = found.map((part) => (part as { text: string }).text)
    expect(read.join('')).toBe(`x [masked] y${between.join('')}x [masked] y`)
    expect(read.slice(1200, 1300)).toEqual(between.slice(1198, 1298))
  })

  it.each<[string, string]>([
    ['one character', 'a'],
    ['a digit', '4'],
    ['a word', 'lorem '],
  ])('reads little more than they are, of 100,000 texts of %s', (_what, text) => {
    let read = 0
    const parts = texts(...Array.from({ length: 100_000 }, () => text), SECRET.slice(0, 4), SECRET.slice(4))
    const found = cleanSeams(parts, (both) => {
      read += both.length
      return clean(both)
    })
    expect(JSON.stringify(found)).not.toContain(SECRET.slice(4))
    expect(read).toBeLessThan(text.length * 100_000 * 1.5 + 10_000)
  })
})
