import { expect, it } from 'vitest'
import { readEvents } from './read-events.ts'

async function read(chunks: readonly Uint8Array[]): Promise<string[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const events: string[] = []
  for await (const { id, data } of readEvents(body)) events.push(`${id} ${data}`)
  return events
}

it('finds the same events however the stream is sliced', async () => {
  const text =
    ':\n\nid: 1\nevent: a\ndata: {"x":"ü€😀"}\n\nevent: b\ndata: {}\n\nid: 2\nevent: c\ndata: [1]\n\nid: 3\ndata: cut'
  const bytes = new TextEncoder().encode(text)
  for (let size = 1; size <= bytes.length; size += 1) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.slice(index * size, (index + 1) * size),
    )
    expect(await read(chunks)).toEqual(['1 {"x":"ü€😀"}', 'undefined {}', '2 [1]'])
  }
})
