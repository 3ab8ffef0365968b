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

  it('has an end for thousands of texts', () => {
    const parts = texts(
      ...Array.from({ length: 5000 }, (_, at) => `part ${at} `),
      SECRET.slice(0, 4),
      SECRET.slice(4),
    )
    expect(JSON.stringify(cleanSeams(parts, clean))).not.toContain(SECRET.slice(4))
  })
})
