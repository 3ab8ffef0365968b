import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rawResultId, readRawResult } from './raw-result.ts'
import { ResultBody } from '../message.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return pieces
}

const lineOf = (result: object, id: unknown = 7): string => JSON.stringify({ jsonrpc: '2.0', id, result })
const read = (text: string, size = 65_536): ResultBody | undefined => readRawResult(cut(encode(text), size))
const joined = (raw: ResultBody): string => Buffer.concat(raw.bytes()!).toString()

const LONG = 20_000
const long = (text: string): string => text.repeat(Math.ceil(LONG / text.length))

describe('readRawResult', () => {
  it('keeps the bytes of long strings and reads everything else', () => {
    const text = long('to be or not to be ')
    const result = {
      content: [
        { type: 'text', text },
        { type: 'text', text: 'é "short" \\ 😀' },
      ],
      isError: false,
    }
    const raw = read(lineOf(result), 1_000)
    expect(raw).toBeInstanceOf(ResultBody)
    expect(raw).toMatchObject({
      id: 7,
      outline: { content: [{ text: '' }, { text: 'é "short" \\ 😀' }], isError: false },
    })
    expect(joined(raw!)).toBe(JSON.stringify(result))
    expect(raw!.result).toEqual(result)
    expect(raw!.length).toBe(encode(JSON.stringify(result)).length)
  })

  it('finds the ends of strings wherever the pieces are cut', () => {
    const strings = fc.array(
      fc.oneof(
        fc.string({ unit: fc.constantFrom('\\', '"', 'a', 'é', '😀', '{', '}', ':'), maxLength: 12 }),
        fc.constantFrom(long('\\'), long('"\\'), long('x"'), long('{"a":'), long('é')),
      ),
      { minLength: 1, maxLength: 6 },
    )
    fc.assert(
      fc.property(strings, fc.integer({ min: 1, max: 9_000 }), (texts, size) => {
        const result = {
          content: texts.map((text) => ({ [text.slice(0, 3)]: text })),
          n: [1, -2.5e3, null, true],
        }
        const raw = read(lineOf(result), size)
        expect(raw?.result).toEqual(result)
        expect(joined(raw!)).toBe(JSON.stringify(result))
        const isLong = (text: string): boolean => encode(JSON.stringify(text)).length - 2 >= 16 * 1024
        expect(raw!.outline).toEqual({
          ...result,
          content: texts.map((text) => ({ [text.slice(0, 3)]: isLong(text) ? '' : text })),
        })
      }),
      { numRuns: 300 },
    )
  })

  const text = long('x')
  it.each([
    ['a member behind the result', lineOf({ text }).replace(/}$/, ',"id":8}')],
    ['a second result', lineOf({ text }).replace(/}$/, ',"result":{}}')],
    ['another order', JSON.stringify({ id: 7, jsonrpc: '2.0', result: { text } })],
    ['an id that is a string', lineOf({ text }, '7')],
    ['an error', JSON.stringify({ jsonrpc: '2.0', id: 7, error: { code: 1, message: text } })],
    ['a string that does not end', lineOf({ text }).slice(0, -3)],
    ['braces that do not match', lineOf({ text }).replace('{"text"', '{{"text"')],
    ['words that are not JSON', lineOf({ text, n: 1 }).replace('"n":1', '"n":one')],
    ['too many strings', lineOf({ text, many: Array.from({ length: 5_000 }, () => 'a') })],
    ['too many numbers', lineOf({ text, many: Array.from({ length: 100_000 }, () => 123) })],
  ])('leaves %s to others', (_, line) => {
    expect(read(line)).toBeUndefined()
  })

  it('leaves bytes that are no UTF-8 to others, outside of long strings', () => {
    const bytes = encode(lineOf({ text, short: 'é' }))
    bytes[bytes.lastIndexOf(0xc3)] = 0xff
    expect(readRawResult(cut(bytes, 1_000))).toBeUndefined()
  })

  it('never says otherwise than JSON.parse about bytes that were changed', () => {
    const valid = encode(
      lineOf({ content: [{ type: 'text', text: long('ab"\\c') }], _meta: { a: [1, 'b'] } }),
    )
    fc.assert(
      fc.property(
        fc.nat(valid.length - 1),
        fc.constantFrom(...encode('"\\{}[]:,a1\n'), 0xff),
        fc.integer({ min: 1, max: 9_000 }),
        (at, byte, size) => {
          const bytes = valid.slice()
          bytes[at] = byte
          const raw = readRawResult(cut(bytes, size))
          if (!raw) return
          const whole = attempt(() => JSON.parse(Buffer.from(bytes).toString()))
          // What is wrong inside of a long string is left to the reader; it never changes what is around it.
          const result = attempt(() => raw.result)
          expect(result && { jsonrpc: '2.0', id: raw.id, result }).toEqual(whole)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('knows the id by the first piece', () => {
    expect(rawResultId(cut(encode(lineOf({}, 12)), 5))).toBe(12)
    for (const line of [lineOf({}, 'x'), '{', '', lineOf({}, 1.5)])
      expect(rawResultId([encode(line)])).toBeUndefined()
    expect(rawResultId([])).toBeUndefined()
  })
})

function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
