import { describe, expect, it } from 'vitest'
import { isTooDeep, MAX_DEPTH, MAX_VALUES, parseJson, RefusedJson } from './read-json.ts'

const arrays = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

describe('parseJson', () => {
  it('reads what has as many levels as allowed, and nothing deeper', () => {
    for (const make of [arrays, objects]) {
      expect(JSON.stringify(parseJson(make(MAX_DEPTH)))).toBe(make(MAX_DEPTH))
      expect(() => parseJson(make(MAX_DEPTH + 1))).toThrow(RefusedJson)
      expect(() => parseJson(make(100_000))).toThrow(/more than 512 levels/)
    }
    expect(() => parseJson(`[1,{"x":${arrays(MAX_DEPTH - 1)}}]`)).toThrow(RefusedJson)
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
        return [(error as RefusedJson).id, (error as RefusedJson).heads]
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

  it('reads as many values as allowed, and no more, whatever they are', () => {
    const list = (item: string, count: number): string => `[${Array(count).fill(item).join()}]`
    expect(parseJson(list('1', MAX_VALUES - 1))).toHaveLength(MAX_VALUES - 1)
    for (const text of [
      list('{}', MAX_VALUES),
      list('[[[1]]]', MAX_VALUES / 4),
      list('{"":1}', MAX_VALUES / 2),
    ]) {
      expect(() => parseJson(text)).toThrow(/more than 1000000 values/)
    }
  })

  it('counts no signs inside of strings', () => {
    const text = `\\"${'a,[{'.repeat(MAX_VALUES)}`
    expect(parseJson(JSON.stringify({ text, more: ['"', text] }))).toEqual({ text, more: ['"', text] })
  })

  it('knows who asked and who waits without reading many values', () => {
    const many = `[${'1,'.repeat(MAX_VALUES)}1]`
    const idOf = (text: string): unknown => {
      try {
        return parseJson(text)
      } catch (error) {
        return [(error as RefusedJson).id, (error as RefusedJson).isResponse]
      }
    }
    expect(idOf(`{"jsonrpc":"2.0","id":7,"result":{"id":8,"a":${many}}}`)).toEqual([7, true])
    expect(idOf(` {"params":{"id":8,"s":"}","a":${many}},"method":"x","id":"\\"{"}`)).toEqual(['"{', false])
    expect(idOf(`{"id":7,${'"a":1,'.repeat(MAX_VALUES)}"a":1}`)).toEqual([null, false])
    expect(idOf(many)).toEqual([null, false])
  })

  it('throws what JSON.parse throws for what is no JSON', () => {
    for (const text of ['', '{', arrays(600).slice(1), '{"a":1,}']) {
      expect(() => parseJson(text)).toThrow(SyntaxError)
      expect(() => parseJson(text)).not.toThrow(RefusedJson)
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
