import { describe, expect, it } from 'vitest'
import {
  type ResultBody,
  readRawResult,
  readResult,
  type JsonObject,
  type JsonRpcResult,
} from '../jsonrpc/index.ts'
import { META, type Revision } from '../protocol/index.ts'
import type { Outcome } from './exchange.ts'
import { modernOutcome } from './modern/client-edge.ts'
import { received } from './received-result.ts'
import { writeOutcome, writeRawOutcome } from './server/answer.ts'

const gateway = { name: 'gateway', version: '1' }
const target = { [META.serverInfo]: { name: 'target', version: '2' } }

function answer(result: JsonObject, layout?: number): JsonRpcResult {
  return readResult(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(result, null, layout)}}`)!
}

function write(outcome: Outcome, revision: Revision, method = 'tools/call'): string {
  return writeOutcome(outcome, { id: 'x', method, revision, serverInfo: gateway }) as string
}

/** The same outcome without its text: what is written has to be the same. */
function plain(outcome: Outcome): Outcome {
  return outcome.type === 'complete' ? { type: 'complete', result: outcome.result } : outcome
}

const results: [string, JsonObject][] = [
  ['with its server', { resultType: 'complete', content: [], _meta: target }],
  ['without a server', { resultType: 'complete', content: [{ type: 'text', text: '{"_meta":1}' }] }],
  ['with other _meta', { resultType: 'complete', content: [], _meta: { a: 1 } }],
  ['with no result type', { content: [] }],
  ['with structured content of any kind', { resultType: 'complete', content: [], structuredContent: [1] }],
]

describe.each(results)('a modern result %s', (_what, result) => {
  it.each(['2026-07-28', '2025-11-25', '2025-06-18', '2024-11-05'] as const)(
    'is the same for %s',
    (revision) => {
      for (const layout of [undefined, 2]) {
        for (const method of ['tools/call', 'resources/read']) {
          const outcome = modernOutcome(answer(result, layout), method, true)
          const text = write(outcome, revision, method)
          expect(JSON.parse(text)).toEqual(JSON.parse(write(plain(outcome), revision, method)))
          // Lines and events end at one.
          expect(text).not.toContain('\n')
        }
      }
    },
  )
})

describe('a legacy result', () => {
  it.each(['2026-07-28', '2025-11-25', '2025-03-26'] as const)('is the same for %s', (revision) => {
    for (const result of [{ content: [] }, { content: [], structuredContent: { a: 1 }, _meta: { b: 2 } }]) {
      const outcome = received(answer(result), false)!
      expect(JSON.parse(write(outcome, revision))).toEqual(JSON.parse(write(plain(outcome), revision)))
    }
  })
})

describe('a result whose long strings nobody read', () => {
  const text = 'to be or not to be '.repeat(2_000)
  const long = (result: JsonObject): JsonObject => ({ ...result, content: [{ type: 'text', text }] })
  const rawAnswer = (result: JsonObject): JsonRpcResult =>
    readRawResult([Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(long(result))}}`)])!
  const outcomes: [string, () => Outcome][] = [
    ...results.map(([what, result]): [string, () => Outcome] => [
      `modern, ${what}`,
      () => modernOutcome(rawAnswer(result), 'tools/call', true),
    ]),
    ['legacy', () => received(rawAnswer({}), false)!],
    ['legacy, with structured content', () => received(rawAnswer({ structuredContent: { a: 1 } }), false)!],
  ]

  it.each(outcomes)('is the same in bytes and as a text: %s', (_what, make) => {
    for (const revision of ['2026-07-28', '2025-11-25', '2025-03-26'] as const) {
      const outcome = make()
      const expected = JSON.parse(write(plain(make()), revision))
      const facts = { id: 'x', method: 'tools/call', revision, serverInfo: gateway }
      const bytes = writeRawOutcome(outcome, facts)
      if (bytes) expect(JSON.parse(Buffer.concat(bytes).toString())).toEqual(expected)
      expect(JSON.parse(write(outcome, revision))).toEqual(expected)
    }
  })

  it('is written anew for lines and events when it is laid out for the eye', () => {
    const laidOut = `{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(long({}), null, 2)}}`
    const outcome = received(readRawResult([Buffer.from(laidOut)])!, false)!
    const facts = { id: 'x', method: 'tools/call', revision: '2025-11-25', serverInfo: gateway } as const
    expect(Buffer.concat(writeRawOutcome(outcome, facts)!).toString()).toContain('\n')
    expect(write(outcome, '2025-11-25')).not.toContain('\n')
    expect(JSON.parse(write(outcome, '2025-11-25')).result).toEqual(long({}))
  })

  it('is passed on unread where the reader gets the same members', () => {
    const facts = { id: 7, method: 'tools/call', serverInfo: gateway }
    const isRaw = (outcome: Outcome, revision: Revision): boolean =>
      writeRawOutcome(outcome, { ...facts, revision }) !== undefined
    const source = rawAnswer({ resultType: 'complete' }) as ResultBody
    Object.defineProperty(source, 'result', { get: () => expect.unreachable('it was read') })
    const modern = modernOutcome(source, 'tools/call', true)
    expect([isRaw(modern, '2026-07-28'), isRaw(modern, '2025-11-25')]).toEqual([true, false])
    const legacy = received(rawAnswer({}), false)!
    expect([isRaw(legacy, '2026-07-28'), isRaw(legacy, '2025-11-25')]).toEqual([false, true])
  })
})

describe('the text of a result', () => {
  it('is passed on as it came, odd spelling and all', () => {
    const text =
      '{"resultType":"complete","n":1.0e2,"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{}}}'
    const response = readResult(`{"jsonrpc":"2.0","id":1,"result":${text}}`)!
    expect(write(modernOutcome(response, 'tools/call', true), '2026-07-28')).toBe(
      `{"jsonrpc":"2.0","id":"x","result":${text}}`,
    )
  })

  it('is kept for those alone who ask for it, and not shown to who writes the outcome down', () => {
    const response = answer({ resultType: 'complete', content: [] })
    expect(modernOutcome(response, 'tools/call')).toEqual({ type: 'complete', result: { content: [] } })
    expect(JSON.parse(JSON.stringify(modernOutcome(response, 'tools/call', true)))).toEqual({
      type: 'complete',
      result: { content: [] },
    })
  })
})
