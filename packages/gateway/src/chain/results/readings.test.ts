import { describe, expect, it } from 'vitest'
import { jsonReader, type JsonObject } from '@gantry/mcp/exchange'
import { modelOf } from '../chain.test.support.ts'
import { ResultCleaner } from './result-cleaner.ts'

const mask = ['email', 'phone', 'card', 'iban', 'national-id', 'keys']
const { results } = await modelOf({ mcpServers: { a: { module: 'a' } }, results: [{ mask }] })

const SECRETS: Readonly<Record<string, string>> = {
  email: 'ann.lee@example.com',
  phone: '+1-212-555-0147',
  card: '4111 1111 1111 1111',
  iban: 'DE89 3704 0044 0532 0130 00',
  'us-ssn': '536-22-8718',
  'in-aadhaar': '2341 2341 2346',
  jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
  'vendor-key': 'ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5',
}

const base64 = (text: string, encoding: BufferEncoding = 'utf8'): string =>
  Buffer.from(text, encoding).toString('base64')
const between = (sign: string) => (text: string) => [...text].join(sign)
const each = (write: (code: number) => string) => (text: string) =>
  [...text].map((sign) => write(sign.codePointAt(0)!)).join('')
const hex = (code: number, length: number): string => code.toString(16).padStart(length, '0')
const digitsFrom = (zero: number) => (text: string) =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
const percent = each((code) => `%${hex(code, 2)}`)
const prose = (text: string): string =>
  `hello, this is some prose about ${text} and more of it, so that lines have to break`
const lines = (text: string, length: number, end: string): string =>
  text.replaceAll(new RegExp(`.{${length}}`, 'g'), `$&${end}`)

/** How a server may write what it says. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'with no width between': between('\u200B'),
  'with joiners between': between('\u200D'),
  'with soft hyphens between': between('\u00AD'),
  'with joiners of graphemes between': between('\u034F'),
  'with variants between': between('\uFE0F'),
  'with tags between': between('\u{E0041}'),
  'with blank Braille between': between('\u2800'),
  'with directions between': between('\u202E'),
  'with colours of a terminal': between('\u001B[01;31m'),
  'with zeros between': between('\0'),
  'in wide letters': each((code) => String.fromCodePoint(code > 32 ? code + 0xfee0 : code)),
  'with mathematical digits': digitsFrom(0x1d7ce),
  'with Arabic digits': digitsFrom(0x660),
  'with Indian digits': digitsFrom(0x966),
  'with hyphens that do not break': (text) => text.replaceAll('-', '\u2011'),
  'with spaces that do not break': (text) => text.replaceAll(' ', '\u00A0'),
  'in a form': (text) => new URLSearchParams({ to: text }).toString(),
  'in a form, within an address': (text) => encodeURIComponent(new URLSearchParams({ to: text }).toString()),
  'in an address': encodeURIComponent,
  'in percents': percent,
  'in percents of percents': (text) => percent(percent(text)),
  'in percents beside a real one': (text) => `50% of ${percent(text)}, 100 %`,
  'in percents of base64': (text) => percent(base64(text)),
  'in an address within three others': (text) =>
    encodeURIComponent(encodeURIComponent(encodeURIComponent(text))),
  'in HTML': each((code) => `&#${code};`),
  'in HTML with zeros': each((code) => `&#0000${code};`),
  'in HTML, hexadecimal': each((code) => `&#x${hex(code, 1)};`),
  'in HTML of HTML': each((code) => `&amp;#${code};`),
  'in JSON': (text) => JSON.stringify({ text: each((code) => `\\u${hex(code, 4)}`)(text) }),
  'in JSON of JSON': (text) => JSON.stringify(JSON.stringify(JSON.stringify({ text }))),
  'in escapes of JavaScript': each((code) => `\\x${hex(code, 2)}`),
  'in escapes with braces': each((code) => `\\u{${hex(code, 1)}}`),
  'in Markdown': (text) => text.replaceAll(/[^\w\s]|_/g, String.raw`\$&`),
  'in a table': (text) => `1,${text},2|${text}|_${text}_`,
  'in base64': base64,
  'in base64 of base64': (text) => base64(base64(text)),
  'in base64 of base64 of base64': (text) => base64(base64(base64(text))),
  'in base64 for addresses': (text) => Buffer.from(text).toString('base64url'),
  'in base64 at the end of an address': (text) => `https://a.example/unsubscribe/${base64(text)}`,
  'in base64 behind a dash': (text) => `id-${base64(text)}`,
  'in base64 behind an underline': (text) => `token_${base64(text)}`,
  'in base64 of percents': (text) => base64(percent(text)),
  'in base64 of text with no width between': (text) => base64(between('\u200B')(text)),
  'in base64 of Latin-1': (text) => base64(`Grüße an ${text}`, 'latin1'),
  'in base64 of Windows': (text) => base64(text, 'utf16le'),
  'in base64 of Windows with a mark': (text) => base64(`\uFEFF${text}`, 'utf16le'),
  'in base64 in lines': (text) => lines(base64(prose(text)), 76, '\r\n'),
  'in base64 in short lines': (text) => lines(base64(prose(text)), 40, '\n'),
  'in base64 in lines that are indented': (text) => lines(base64(prose(text)), 64, '\n    '),
  'in base64 in lines that have become words': (text) => lines(base64(prose(text)), 64, ' '),
}

describe.each(Object.keys(WAYS))('what is written %s', (way) => {
  it.each(Object.keys(SECRETS))('does not hide %s', (kind) => {
    const text = WAYS[way]!(SECRETS[kind]!)
    for (const value of [
      { content: [{ type: 'text', text }] },
      { structuredContent: { list: [{ text }] } },
    ]) {
      const found: string[] = []
      const cleaner = new ResultCleaner(results, (name) => void found.push(name))
      expect(cleaner.isCleanJson(JSON.stringify(value))).toBe(false)
      const shown = cleaner.clean<JsonObject>(value)
      expect(found).toContain(kind)
      // What is left says nothing either.
      expect(cleaner.clean(shown)).toEqual(shown)
    }
  })
})

const read = jsonReader('source')

it.each([
  '4111111111111111',
  '4.111111111111111e15',
  '41111111111111110e-1',
  '4111111111111111.00',
  '0.4111111111111111E16',
])('a number is found as %s', (number) => {
  const found: string[] = []
  const cleaner = new ResultCleaner(results, (name) => void found.push(name))
  const json = `{"structuredContent":{"number":${number}}}`
  expect(cleaner.isCleanJson(json)).toBe(false)
  cleaner.clean(read(json))
  expect(found).toEqual(['card'])
})

it.each([
  ['percents of percents', '%25'.repeat(300_000)],
  ['percents', `${'%2525252525252525252541'.repeat(10_000)}\\u0025&#37;`],
  ['backslashes', '\\'.repeat(1_000_000)],
  ['entities', '&amp;'.repeat(200_000)],
  ['letters with many forms', '\uFDFA'.repeat(50_000)],
  ['base64 of base64', base64(base64(base64('ann&#64;%41\\u0041 ').repeat(20_000)))],
  ['many addresses', 'ann%40example.com '.repeat(50_000)],
  ['signs of base64', 'a-b_'.repeat(250_000)],
  ['lines', `${'a'.repeat(40)}\n`.repeat(25_000)],
  ['white space', `${'a'.repeat(40)}${' '.repeat(50)}`.repeat(10_000)],
])('reads %s in time, or refuses them', (_what, text) => {
  const cleaner = new ResultCleaner(results, () => {})
  const began = performance.now()
  try {
    cleaner.clean({ content: [{ type: 'text', text }] })
  } catch (error) {
    expect(String(error)).toContain('escaped too often')
  }
  expect(performance.now() - began).toBeLessThan(5000)
})

it('refuses a text that hides something in each of very many layers', () => {
  let text = ''
  for (let layer = 0; layer < 200; layer++) text = encodeURIComponent(`ann${layer}@example.com ${text}`)
  const cleaner = new ResultCleaner(results, () => {})
  expect(() => cleaner.clean({ content: [{ type: 'text', text }] })).toThrow('escaped too often')
})
