import { describe, expect, it } from 'vitest'
import type { WireRecord } from './contract.ts'
import { readSse } from './sse.ts'
import { mergeRecords } from './wire-store.ts'

async function read(chunks: readonly Uint8Array[]): Promise<string[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const events: string[] = []
  for await (const { id, type, data } of readSse(body)) events.push(`${id} ${type} ${data}`)
  return events
}

describe('readSse', () => {
  it('finds the same events however the stream is sliced', async () => {
    const text =
      ': comment\n\nid: 1\nevent: a\ndata: {"x":"ü€😀"}\n\ndata: one\ndata: two\n\nid: 2\nevent: b\ndata:\n\n'
    const bytes = new TextEncoder().encode(text)
    const expected = ['1 a {"x":"ü€😀"}', '1 message one\ntwo', '2 b ']
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.slice(index * size, (index + 1) * size),
      )
      expect(await read(chunks)).toEqual(expected)
    }
  })
})

describe('mergeRecords', () => {
  const record = (id: number, status: WireRecord['status'] = 'ok'): WireRecord => ({
    id,
    at: 0,
    method: 'ping',
    client: { revision: '2026-07-28' },
    status,
    messages: 0,
  })

  it('replaces what went on, puts new ones first and old pages last', () => {
    const merged = mergeRecords([record(3, 'running'), record(2)], [record(3), record(5), record(1)])
    expect(merged.map(({ id, status }) => `${id} ${status}`)).toEqual(['5 ok', '3 ok', '2 ok', '1 ok'])
  })

  it('keeps ten thousand', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => record(10_000 - index))
    expect(mergeRecords(many, [record(10_001)])).toHaveLength(10_000)
  })
})
