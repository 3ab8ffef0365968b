import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSseCursor, type SseCursor, SseParser, readChunks } from './sse-stream.ts'
import { cpuTime } from '../../../testing/fixtures/cpu-time.test.node.ts'

interface Parsed {
  events: { data: string; type: string; id: string }[]
  cursor: SseCursor
}

function parse(chunks: Uint8Array[], maxLength = 1_000_000): Parsed {
  const cursor = createSseCursor()
  const events: Parsed['events'] = []
  const onEvent = (data: string, type: string): void => {
    events.push({ data, type, id: cursor.lastEventId })
  }
  const parser = new SseParser({ onEvent, cursor, maxLength })
  for (const chunk of chunks) parser.push(chunk)
  return { events, cursor }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The library that the field trusts, with the id carried over as the HTML standard says. */
function oracle(text: string): { events: Parsed['events']; retry: number | undefined } {
  const events: Parsed['events'] = []
  let retry: number | undefined
  let id = ''
  const parser = createParser({
    onEvent: (event) => {
      if (event.id !== undefined) id = event.id
      events.push({ data: event.data, type: event.event ?? 'message', id })
    },
    onRetry: (value) => {
      retry = value
    },
  })
  parser.feed(text)
  // It holds back a line that ends in CR until it knows whether LF follows; ours does not need to.
  if (text.endsWith('\r')) parser.feed('x\n')
  return { events, retry }
}

function slice(input: Uint8Array, cuts: number[]): Uint8Array[] {
  const points = [...new Set(cuts.map((cut) => cut % (input.length + 1)))].sort((a, b) => a - b)
  const chunks: Uint8Array[] = []
  let start = 0
  for (const point of [...points, input.length]) {
    chunks.push(input.subarray(start, point))
    start = point
  }
  return chunks
}

const lineEnd = fc.constantFrom('\n', '\r', '\r\n')
const text = fc
  .string({ unit: fc.constantFrom('a', ' ', ':', '{', '"', 'é', '世', '😀', '\t', '\u2028') })
  .filter((value) => !value.includes('\0'))
const field = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constantFrom('data:', 'data: ', 'data'), text).map((p) => p.join('')) },
  fc
    .tuple(fc.constantFrom('event:', 'event: '), fc.constantFrom('', 'message', 'endpoint'))
    .map((p) => p.join('')),
  fc
    .tuple(fc.constantFrom('retry:', 'retry: '), fc.constantFrom('500', '0', 'soon', '-1', '1.5', ''))
    .map((p) => p.join('')),
  fc.tuple(fc.constantFrom(': ', ':', 'unknown: ', 'datax', ' data: '), text).map((p) => p.join('')),
)
/** An id stands together with data: the oracle forgets the id of an event without any. */
const event = fc.tuple(fc.array(field), fc.option(text), lineEnd).map(([fields, id, end]) => {
  const lines = id === null ? fields : [...fields, `id: ${id}`, 'data: with id']
  return `${lines.map((line) => line + end).join('')}${end}`
})
const stream = fc
  .tuple(fc.constantFrom('', '\ufeff'), fc.array(event), text)
  .map(([bom, events, tail]) => bom + events.join('') + tail)

describe('SseParser', () => {
  it('reads what eventsource-parser reads, however the bytes are sliced', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat()), (input, cuts) => {
        const expected = oracle(input.replace(/^\ufeff/, ''))
        const { events, cursor } = parse(slice(bytes(input), cuts))
        expect(events).toEqual(expected.events)
        expect(cursor.retry).toBe(expected.retry)
      }),
      { numRuns: 1000 },
    )
  })

  it('gives the same events one byte at a time as in one piece', () => {
    fc.assert(
      fc.property(stream, (input) => {
        const all = bytes(input)
        expect(parse(slice(all, [...all.keys()]))).toEqual(parse([all]))
      }),
    )
  })

  it('survives bytes that are not UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), fc.array(fc.nat()), (input, cuts) => {
        expect(parse(slice(input, cuts))).toEqual(parse([input]))
      }),
    )
  })

  it('keeps the id and the retry time of an event without data', () => {
    const { events, cursor } = parse([bytes('id: 7\nretry: 500\n\n')])
    expect(events).toEqual([])
    expect(cursor).toEqual({ lastEventId: '7', retry: 500, events: 1 })
  })

  it('ignores the id of an event that was cut off, ids with NUL, and ids that no header could carry', () => {
    expect(parse([bytes('id: 1\ndata: x\n\nid: 2\ndata: y\n')]).cursor.lastEventId).toBe('1')
    expect(parse([bytes('id: 1\n\nid: a\0b\n\n')]).cursor.lastEventId).toBe('1')
    expect(parse([bytes(`id: 1\n\nid: ${'x'.repeat(5000)}\n\n`)]).cursor.lastEventId).toBe('1')
  })

  it('dispatches at once when a chunk ends in CR', () => {
    expect(parse([bytes('data: x\r\r')]).events).toHaveLength(1)
  })

  it.each([
    ['one endless line', 'data: xxxxxxxx'],
    ['endless lines of one event', 'data: xxxxxxxx\n'],
    ['an endless field name', 'xxxxxxxxxxxx'],
  ])('refuses %s with too_large', (_, piece) => {
    const chunks = Array.from({ length: 1000 }, () => bytes(piece))
    expect(() => parse(chunks, 4096)).toThrowError(expect.objectContaining({ code: 'too_large' }))
  })

  it('counts each event for itself', () => {
    const chunks = Array.from({ length: 1000 }, () => bytes(`data: ${'x'.repeat(3000)}\n\n`))
    expect(parse(chunks, 4096).events).toHaveLength(1000)
  })

  it.each([
    ['empty lines and one CR', `${'\n'.repeat(2 ** 22)}\r`],
    ['CR lines', '\r'.repeat(2 ** 22)],
    ['lines without a colon', 'x\n'.repeat(2 ** 21)],
    ['data lines', `${'data:\n'.repeat(2 ** 19)}\r\n`],
  ])('time is linear for 4 MB of %s', (_, input) => {
    const started = cpuTime()
    parse([bytes(input)], 2 ** 24)
    expect(cpuTime() - started).toBeLessThan(5_000)
  })

  it('time is linear for 8 MB in one line, in small pieces', () => {
    const piece = bytes('x'.repeat(256))
    const started = cpuTime()
    const { events } = parse(
      [bytes('data: '), ...Array.from({ length: 2 ** 15 }, () => piece), bytes('\n\n')],
      2 ** 24,
    )
    expect(events[0]?.data.length).toBe(2 ** 23)
    expect(cpuTime() - started).toBeLessThan(5_000)
  })
})

it('does not keep a long type of an event, which counts for nothing', () => {
  const { events } = parse([bytes(`event: ${'m'.repeat(5000)}\ndata: a\n\nevent: endpoint\ndata: b\n\n`)])
  expect(events.map(({ type }) => type)).toEqual(['too long', 'endpoint'])
})

describe('readChunks', () => {
  function source(): { body: ReadableStream<Uint8Array>; cancelled: () => boolean } {
    let cancelled = false
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(bytes('x')),
      cancel: () => {
        cancelled = true
      },
    })
    return { body, cancelled: () => cancelled }
  }

  it('cancels the body when its reader throws', async () => {
    const { body, cancelled } = source()
    await expect(
      readChunks(body, () => {
        throw new Error('enough')
      }),
    ).rejects.toThrow('enough')
    expect([cancelled(), body.locked]).toEqual([true, false])
  })

  it('waits for its reader, but not when the body breaks off', async () => {
    let fail: (error: Error) => void = () => {}
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(bytes('x'))
        fail = (error) => controller.error(error)
      },
    })
    const read = readChunks(body, () => {
      setTimeout(fail, 1, new Error('broken'))
      return new Promise(() => {})
    })
    await expect(read).rejects.toThrow('broken')
  })
})
