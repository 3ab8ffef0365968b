import fc from 'fast-check'
import { expect, it, describe } from 'vitest'
import { isNoise, readResult } from './message.ts'

it.each(['x', 'data', '<html>', '{', ' {"a":1', '}', '{"a":1},', 'nullish', 'truefalse', '\u0000{}'])(
  'says that %j is no JSON without parsing it',
  (text) => {
    expect(isNoise(text)).toBe(true)
    expect(() => JSON.parse(text)).toThrow()
  },
)

it('never says so of JSON, whatever stands around it', () => {
  const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/)
  fc.assert(
    fc.property(fc.json(), space, space, (json, before, after) => {
      expect(isNoise(before + json + after)).toBe(false)
    }),
  )
})

const frame = (id: string, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`

describe('readResult', () => {
  it('reads what is written the usual way, with the text of the result', () => {
    const read = readResult(frame('17', '{"content":[{"type":"text","text":"}é\\""}]}'))
    expect({ ...read }).toEqual({
      jsonrpc: '2.0',
      id: 17,
      result: { content: [{ type: 'text', text: '}é"' }] },
    })
    expect(read?.text()).toBe('{"content":[{"type":"text","text":"}é\\""}]}')
    expect(JSON.parse(JSON.stringify(read))).toEqual({ ...read })
  })

  it.each([
    ['another order', '{"id":1,"jsonrpc":"2.0","result":{}}'],
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}'],
    ['a string id', frame('"1"', '{}')],
    ['no id', frame('', '{}')],
    ['an id that is no integer', frame('1.5', '{}')],
    ['an id with a zero in front', frame('01', '{}')],
    ['an id beyond what numbers hold', frame('9007199254740993', '{}')],
    ['a result that is no object', frame('1', '[]')],
    ['space before the result', frame('1', ' {}')],
    ['what is not JSON', frame('1', '{"a":}')],
    ['a second id behind the result', frame('1', '{},"id":2')],
    ['a second result behind the result', frame('1', '{},"result":{"a":1}')],
    ['half of it', '{"jsonrpc":"2.0","id":1,"result":{}'],
  ])('leaves %s to others', (_what, text) => {
    expect(readResult(text)).toBeUndefined()
  })

  it('never sees another message than JSON.parse, and its text is one value', () => {
    const inside = fc.oneof(
      fc.json(),
      fc.json().map((json) => `{"a":${json}}`),
      fc.constantFrom('{}', '{},"id":2', '{"a":1}}', '{"a":"\\"}', '{"result":{}},"x":{}', '{\n}'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.nat().map(String), inside, (id, result) => {
        const text = frame(id, result)
        const read = readResult(text)
        if (!read) return
        expect({ ...read }).toEqual(JSON.parse(text))
        expect(JSON.parse(read.text())).toEqual(read.result)
      }),
      { numRuns: 2_000 },
    )
  })
})
