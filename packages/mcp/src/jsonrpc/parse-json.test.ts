import { describe, expect, it } from 'vitest'
import { isTooDeep, MAX_DEPTH, parseJson, TooDeepJson } from './parse-json.ts'

const arrays = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

describe('parseJson', () => {
  it('reads what has as many levels as allowed, and nothing deeper', () => {
    for (const make of [arrays, objects]) {
      expect(JSON.stringify(parseJson(make(MAX_DEPTH)))).toBe(make(MAX_DEPTH))
      expect(() => parseJson(make(MAX_DEPTH + 1))).toThrow(TooDeepJson)
      expect(() => parseJson(make(100_000))).toThrow(/more than 512 levels/)
    }
    expect(() => parseJson(`[1,{"x":${arrays(MAX_DEPTH - 1)}}]`)).toThrow(TooDeepJson)
  })

  it('counts levels and not brackets', () => {
    const wide = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, list: [1], text: '{[' })))
    expect(parseJson(wide)).toHaveLength(2_000)
    expect(parseJson(JSON.stringify({ text: arrays(5_000) }))).toEqual({ text: arrays(5_000) })
  })

  it('knows who asked and who waits', () => {
    const heads = (text: string): unknown => {
      try {
        return parseJson(text)
      } catch (error) {
        return [(error as TooDeepJson).id, (error as TooDeepJson).heads]
      }
    }
    expect(heads(`{"id":0,"method":"x","params":${objects(600)}}`)).toEqual([
      0,
      [{ id: 0, isResponse: false }],
    ])
    expect(heads(`{"result":${objects(600)},"id":"a"}`)).toEqual(['a', [{ id: 'a', isResponse: true }]])
    expect(heads(`[{"id":1,"result":{}},{"id":[],"x":${arrays(600)}}]`)).toEqual([
      null,
      [
        { id: 1, isResponse: true },
        { id: null, isResponse: true },
      ],
    ])
    expect(heads(arrays(600))).toEqual([null, []])
  })

  it('throws what JSON.parse throws for what is no JSON', () => {
    for (const text of ['', '{', arrays(600).slice(1), '{"a":1,}']) {
      expect(() => parseJson(text)).toThrow(SyntaxError)
      expect(() => parseJson(text)).not.toThrow(TooDeepJson)
    }
  })
})

describe('isTooDeep', () => {
  it('stops where it has seen enough, also in a value that contains itself', () => {
    const self: Record<string, unknown> = {}
    self.self = self
    expect(isTooDeep(self)).toBe(true)
    expect(isTooDeep({ a: [null, 'x', { b: 1 }] })).toBe(false)
  })
})
