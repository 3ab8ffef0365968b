import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isJsonObject,
  JsonNumber,
  jsonReader,
  toNumber,
  withPlainNumbers,
  withSources,
  writeJson,
} from './index.ts'
import { copyWith } from './json.ts'

const readSource = jsonReader('source')
const readExact = jsonReader('exact')

describe('reading numbers as they were written', () => {
  it.each([
    '{"n":9007199254740993}',
    '[1.0,-0,-0.0,1E5,1e400,0.10,123456789012345678901234567890]',
    '{"a":{"b":[{"c":1.50}]},"s":"1.0 and \\"2.0\\"","t":true,"u":null,"__proto__":{"x":2.0}}',
    '  { "a" : [ 1.0 , "\\\\" ] , "b" : { } , "c" : [ ] }  '.replaceAll(' ', ''),
    '1.0',
  ])('gives %s back', (text) => {
    expect(writeJson(readSource(text))).toBe(text)
  })

  it('leaves everything else to JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(writeJson(readSource(text)))).toEqual(JSON.parse(text))
        expect(withPlainNumbers(readSource(text))).toEqual(JSON.parse(text))
      }),
    )
  })

  it('keeps the text of any number', () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,10})?([eE][+-]?\d{1,3})?$/)
    fc.assert(
      fc.property(digits, fc.string(), (number, words) => {
        const name = JSON.stringify(words)
        const write = (value: string) => `{"a":[${value}],${name}:${value},"z":${name}}`
        // Two members of one name are one, and names that are integers come first.
        const kept = JSON.stringify(JSON.parse(write(`"#${number}#"`)))
        expect(writeJson(readSource(write(number)))).toBe(kept.replaceAll(`"#${number}#"`, number))
      }),
    )
  })

  it('throws what JSON.parse throws', () => {
    for (const text of ['{"a":1.0', '[1.0,]', '01.0', '"1.0']) {
      expect(() => readSource(text)).toThrow(SyntaxError)
      expect(() => readExact(text)).toThrow(SyntaxError)
    }
  })

  it('gives bigint for integers beyond 2^53, and doubles besides', () => {
    expect(readExact('[9007199254740993,-9007199254740992,9007199254740991,1.0,1e30]')).toEqual([
      9007199254740993n,
      -9007199254740992n,
      9007199254740991,
      1,
      1e30,
    ])
  })
})

describe('writing numbers', () => {
  it('takes a bigint that was made writable', () => {
    const value = { a: [10n ** 30n], b: 'x' }
    expect(writeJson(withSources(value))).toBe('{"a":[1000000000000000000000000000000],"b":"x"}')
    expect(() => writeJson(value)).toThrow(TypeError)
  })

  it('is a double for everybody else', () => {
    const number = new JsonNumber('1.50')
    expect(JSON.stringify({ number })).toBe('{"number":1.5}')
    expect(toNumber(number)).toBe(1.5)
    expect(isJsonObject(number)).toBe(false)
    expect({ ...number }).toEqual({})
  })

  it('leaves no placeholder behind when writing fails', () => {
    const cycle: Record<string, unknown> = { number: new JsonNumber('1.0') }
    cycle.self = cycle
    expect(() => writeJson(cycle)).toThrow(TypeError)
    expect(JSON.stringify(new JsonNumber('1.0'))).toBe('1')
  })
})

it('copies an object with one member set anew', () => {
  const object = { a: 1, b: { c: 2 } }
  expect(copyWith(object, 'b', 3)).toEqual({ a: 1, b: 3 })
  expect(copyWith(object, 'd', 4)).toEqual({ a: 1, b: { c: 2 }, d: 4 })
  expect(object).toEqual({ a: 1, b: { c: 2 } })
  expect(copyWith(object, 'd', 4).b).toBe(object.b)
})

it('takes hostile names for names', () => {
  const hostile = JSON.parse('{"__proto__":{"admin":true},"constructor":1,"name":"x"}')
  const copy = copyWith(hostile, '_meta', {})
  expect(JSON.parse(JSON.stringify(copy))).toEqual({ ...hostile, _meta: {} })
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  expect(copy.admin).toBeUndefined()
})
