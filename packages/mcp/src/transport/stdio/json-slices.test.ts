import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import wabt from 'wabt'
import { LONG_TEXT, LongJson, toPieces, type JsonObject, type JsonPiece } from '../../jsonrpc/index.ts'
import { SCAN, SLICE, SliceEncoder, slicesOf } from './json-slices.node.ts'

const encoder = new SliceEncoder()

/** The line that is written for a value, its bytes read as UTF-8. */
function written(pieces: LongJson['pieces']): string {
  const bytes = Array.from(slicesOf(new LongJson(pieces)), (slice) => Buffer.from(encoder.encode(slice)))
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(bytes))
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`

/** Fills up to a length, so that what follows lies where slices are cut. */
const filler = (length: number, unit = 'x'): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('long text', () => {
  const exotic = [
    '"',
    '\\',
    '\n',
    '\u0000',
    '\u001f',
    '\u007f',
    '\u0080',
    'é',
    '€',
    '\u2028',
    '\uFEFF',
    '\uFFFD',
    '😀',
    '\uD800',
    '\uDC00',
    '\uDC00\uD800',
    '😀\uD83D',
  ]

  it.each(exotic)('with %j, wherever it stands, is what JSON.stringify writes', (special) => {
    for (const before of [0, 1, 15, 16, 17, SLICE - 2, SLICE - 1, SLICE, SLICE + 3]) {
      for (const unit of ['x', 'ü', '漢']) {
        const text = `${filler(before, unit)}${special}${filler(LONG_TEXT, unit)}${special}`
        const result = { content: [{ type: 'text', text }] }
        // Not by `toEqual`, which would take a minute to print a difference.
        expect(written(toPieces(result) as JsonPiece[]) === line(result)).toBe(true)
      }
    }
  })

  it('of any characters is what JSON.stringify writes', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(...exotic),
      fc.nat(SLICE * 2).map((length) => filler(length, 'all is well here. ')),
    )
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 8 }), (parts) => {
        const text = `${parts.join('')}${filler(LONG_TEXT)}`
        const result = {
          contents: [
            { uri: 'file:///a', text },
            { uri: 'file:///b', blob: text },
          ],
        }
        expect(written(toPieces(result) as JsonPiece[]) === line(result)).toBe(true)
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 30) },
    )
  })

  it('is found in every byte of a word, and nothing else is', () => {
    for (let code = 0; code < 256; code++) {
      for (let at = 0; at < 20; at++) {
        const text = `${filler(at)}${String.fromCharCode(code)}${filler(20)}`
        const json = JSON.stringify(text).slice(1, -1)
        expect(Buffer.from(encoder.encode({ text, isJson: false })).toString()).toBe(json)
      }
    }
  })

  it('takes no new memory when there is nothing to escape', () => {
    const [first, second] = ['all is well', '漢字'].map((text) => encoder.encode({ text, isJson: false }))
    expect(first?.buffer).toBe(second?.buffer)
  })

  it('is the same where there is no WebAssembly, as with --jitless', () => {
    vi.stubGlobal('WebAssembly', undefined)
    const without = new SliceEncoder()
    for (const text of ['plain', 'a "quoted" 漢字 😀\n', '\uD800']) {
      const [escaped, asIs] = [false, true].map((isJson) => without.encode({ text, isJson }))
      expect(Buffer.from(escaped ?? []).toString()).toBe(JSON.stringify(text).slice(1, -1))
      expect(Buffer.from(asIs ?? [])).toEqual(Buffer.from(text))
    }
  })

  it('that is JSON already is written as it is', () => {
    const json = JSON.stringify({ text: filler(SLICE * 2, 'a "quoted" 漢字 😀\n') })
    expect(written(['{"result":', json, '}']) === `{"result":${json}}\n`).toBe(true)
  })
})

describe('the pieces of a result', () => {
  const text = filler(LONG_TEXT, 'long ')
  it.each<[string, JsonObject]>([
    ['members that JSON leaves out', { content: [{ a: undefined, text, b: () => 1, c: Symbol('c') }] }],
    ['nothing but such members', { content: [{ text }, { a: undefined }], d: {}, e: [] }],
    ['nothing in a list', { content: [{ text }, undefined, () => 1, null, ...new Array(2)] }],
    ['holes in a list', { content: Object.assign(new Array(3), { 1: { text } }) }],
    ['values with a form of their own', { content: [{ text, at: new Date(0) }], toJSON: undefined }],
    ['lists and objects with one', { content: Object.assign([{ text }], { toJSON: () => 'none' }) }],
    ['objects that are values', { content: [{ text, n: Object(1), s: Object('s'), b: Object(false) }] }],
    [
      'numbers of all kinds',
      { content: [{ text, a: Number.NaN, b: -0, c: 1e21, d: Number.NEGATIVE_INFINITY }] },
    ],
    ['names of all kinds', JSON.parse(`{"content":[{"text":"${text}"}],"__proto__":1,"\\"":2,"1":3,"":4}`)],
    [
      'members of other kinds',
      { content: [{ text, m: new Map([[1, 2]]), e: new Error('no'), u: new URL('a:b') }] },
    ],
    [
      'long text further down',
      { content: [{ type: 'resource', resource: { text, deep: [[[text]]] } }], x: text },
    ],
  ])('with %s are what JSON.stringify writes', (_, result) => {
    expect(written(toPieces(result) as JsonPiece[]) === line(result)).toBe(true)
  })

  it('are what JSON.stringify writes for every JSON', () => {
    const long = fc.oneof(fc.constant(text), fc.jsonValue())
    const item = fc.dictionary(fc.string(), fc.oneof(long, fc.array(long), fc.dictionary(fc.string(), long)))
    fc.assert(
      fc.property(fc.array(item), fc.dictionary(fc.string(), long), (content, others) => {
        const result = { ...others, content }
        expect(written(toPieces(result) as JsonPiece[]) === line(result)).toBe(true)
      }),
    )
  })

  it('cannot be made of what JSON.stringify refuses', () => {
    const cycle: JsonObject = { content: [{ text }] }
    cycle.self = cycle
    expect(() => toPieces(cycle)).toThrow(TypeError)
    expect(() => toPieces({ content: [{ text, n: 1n }] })).toThrow(TypeError)
    expect(() => toPieces({ content: [{ text, n: Object(1n) }] })).toThrow(TypeError)
  })
})

it('runs what json-scan.wat says', async () => {
  const source = readFileSync(new URL('./json-scan.wat', import.meta.url), 'utf8')
  const module = (await wabt()).parseWat('json-scan.wat', source, { simd: true })
  expect(SCAN).toBe(Buffer.from(module.toBinary({}).buffer).toString('base64'))
})
