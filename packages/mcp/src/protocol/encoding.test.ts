import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeHeaderValue,
  encodeHeaderValue,
  argumentAt,
  fromBase64Url,
  mirrorArguments,
  toBase64Url,
} from './encoding.ts'

describe('fromBase64Url', () => {
  it('reads what was written, and no other spelling of it', () => {
    const signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = toBase64Url(bytes)
        expect(fromBase64Url(text)).toEqual(bytes)
        const others = [...signs].map((sign) => text.slice(0, -1) + sign).filter((other) => other !== text)
        for (const other of [...others, `${text}=`, `${text}A`]) {
          const read = fromBase64Url(other)
          if (read) expect(toBase64Url(read)).toBe(other)
        }
      }),
    )
  })
})

describe('encodeHeaderValue', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['us west 1', 'us west 1'],
    ['', ''],
    ['SGVsbG8=', 'SGVsbG8='],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['file:///path/to/file%20name.txt', 'file:///path/to/file%20name.txt'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    [' us-west1', '=?base64?IHVzLXdlc3Qx?='],
    ['us-west1 ', '=?base64?dXMtd2VzdDEg?='],
    [' ', '=?base64?IA==?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['line1\r\nline2', '=?base64?bGluZTENCmxpbmUy?='],
    ['\tindented', '=?base64?CWluZGVudGVk?='],
    ['in\tside', '=?base64?aW4Jc2lkZQ==?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ])('%j becomes %j', (value, header) => {
    expect(encodeHeaderValue(value)).toBe(header)
    expect(decodeHeaderValue(header)).toEqual({ ok: true, value })
  })

  it('any well-formed string comes back, and every header is one that fetch accepts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const header = encodeHeaderValue(value)
        expect(header).toMatch(/^[\x20-\x7e]*$/)
        expect(new Headers({ 'mcp-name': header }).get('mcp-name')).toBe(header)
        expect(decodeHeaderValue(header)).toEqual({ ok: true, value })
      }),
    )
  })

  it('plain ASCII stays readable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (value) => {
        fc.pre(value === value.trim() && !value.startsWith('=?base64?'))
        expect(encodeHeaderValue(value)).toBe(value)
      }),
    )
  })
})

describe('decodeHeaderValue', () => {
  it.each([
    ['=?base64?SGVsbG8?=', 'padding missing'],
    ['=?base64?SGVsbG8==?=', 'padding wrong'],
    ['=?base64?SGVs!!!bG8=?=', 'alphabet'],
    ['=?base64?SGVs bG8=?=', 'whitespace inside'],
    ['=?base64?-_-_?=', 'URL-safe alphabet'],
    ['=?base64?SGVsbG9=?=', 'unused bits set'],
    ['=?base64?/w==?=', 'not UTF-8'],
    ['caf\u00e9', 'not ASCII'],
    ['a\u0000b', 'control character'],
  ])('refuses %j: %s', (header) => {
    expect(decodeHeaderValue(header)).toEqual({ ok: false })
  })

  it('takes what is not exactly the sentinel literally, and ignores the whitespace around it', () => {
    expect(decodeHeaderValue('=?BASE64?SGVsbG8=?=')).toEqual({ ok: true, value: '=?BASE64?SGVsbG8=?=' })
    expect(decodeHeaderValue('=?base64?=')).toEqual({ ok: true, value: '=?base64?=' })
    expect(decodeHeaderValue('=?base64??=')).toEqual({ ok: true, value: '' })
    expect(decodeHeaderValue('  get_weather\t')).toEqual({ ok: true, value: 'get_weather' })
  })

  it('keeps a byte order mark that belongs to the value', () => {
    const value = '\ufeffname'
    expect(decodeHeaderValue(encodeHeaderValue(value))).toEqual({ ok: true, value })
  })
})

describe('mirrorArguments', () => {
  it('mirrors plain values, wherever they are, and nothing else', () => {
    const parameters = [
      { header: 'Region', path: ['where', 'region'] },
      { header: 'Count', path: ['count'] },
      { header: 'Dry', path: ['dry'] },
      { header: 'Gone', path: ['gone'] },
      { header: 'Empty', path: ['empty'] },
      { header: 'List', path: ['list'] },
    ]
    const args = { where: { region: 'eu' }, count: 0, dry: false, empty: null, list: ['a'] }
    expect(mirrorArguments(parameters, args)).toEqual({
      'mcp-param-region': 'eu',
      'mcp-param-count': '0',
      'mcp-param-dry': 'false',
    })
  })

  it('has nothing to say about tools without such parameters', () => {
    expect(mirrorArguments([], { a: 1 })).toBeUndefined()
  })
})

describe('argumentAt', () => {
  it.each([['constructor', 'name'], ['toString'], ['__proto__']])('finds own members only: %s', (...path) => {
    expect(argumentAt({}, path)).toBeUndefined()
  })

  it.each([undefined, null, 'text', [1]])('survives arguments that are no object: %j', (args) => {
    expect(argumentAt(args, ['0'])).toBeUndefined()
  })
})
