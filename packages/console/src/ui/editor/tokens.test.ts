import { describe, expect, it } from 'vitest'
import { cut, toLines } from './tokens.ts'

const kinds = (text: string, format: 'jsonc' | 'yaml') =>
  toLines(text, format).map((line) =>
    line.filter(({ kind }) => kind).map(({ kind, text: part }) => `${kind} ${part}`),
  )

describe('the colours of the editor', () => {
  it('tells keys, texts, values and comments of JSON apart, over several lines', () => {
    expect(kinds('{ "a" : "b // no", // yes\n/* two\nlines */ "c": [-1.5e3, true]', 'jsonc')).toEqual([
      ['key "a"', 'string "b // no"', 'comment // yes'],
      ['comment /* two'],
      ['comment lines */', 'key "c"', 'value -1.5e3', 'value true'],
    ])
  })

  it('colours JSON that is not finished', () => {
    expect(kinds('{ "a\n"b": "c', 'jsonc')).toEqual([['string "a'], ['key "b"', 'string "c']])
  })

  it('tells them apart in YAML', () => {
    expect(kinds('# top\na key: b#c # no\n- url: "http://x" \n  port: 80\nlist: [1, true]', 'yaml')).toEqual([
      ['comment # top'],
      ['key a key', 'comment # no'],
      ['key url', 'string "http://x"'],
      ['key port', 'value 80'],
      ['key list', 'value 1', 'value true'],
    ])
  })

  it('loses no character, whatever the text is', () => {
    for (const text of ['', '\n\n', '"\\', "'", '/*', 'a: |\n  b\n', '{"a":"\u0000"}\r\n']) {
      for (const format of ['jsonc', 'yaml'] as const) {
        const lines = toLines(text, format).map((line) => line.map((token) => token.text).join(''))
        expect(lines.join('\n')).toBe(text)
      }
    }
  })

  it('cuts tokens at the edges of a mark', () => {
    const marked = cut([{ text: 'abc', kind: 'key' }, { text: 'def' }], 2, 4)
    expect(marked.map(({ text, isMarked }) => [text, isMarked])).toEqual([
      ['ab', false],
      ['c', true],
      ['d', true],
      ['ef', false],
    ])
  })
})
