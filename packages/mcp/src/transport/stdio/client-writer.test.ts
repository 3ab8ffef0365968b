import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { StdioClientWriter } from './lines.node.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** A stream that takes the next chunk when the last is released. */
function heldStream(highWaterMark: number) {
  const release: (() => void)[] = []
  const chunks: string[] = []
  const stream = new Writable({
    highWaterMark,
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk))
      release.push(done)
    },
  })
  return { stream, chunks, release }
}

describe('StdioClientWriter', () => {
  it('puts the lines of one turn into one write, in order', async () => {
    const chunks: string[] = []
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        chunks.push(String(chunk))
        done()
      },
    })
    const writer = new StdioClientWriter(stream)
    const done = vi.fn()
    writer.write('a')
    await Promise.resolve()
    writer.write('b', done)
    expect(chunks).toEqual([])
    await expect.poll(() => done).toHaveBeenCalledWith(undefined)
    writer.write('c')
    writer.end()
    expect(chunks).toEqual(['a\nb\n', 'c\n'])
  })

  it('sends a full batch at once, and counts what waits whatever is under way', async () => {
    const { stream, chunks, release } = heldStream(100_000_000)
    const writer = new StdioClientWriter(stream)
    for (let at = 0; at < 40; at++) writer.write(String(at).padEnd(1_000_000))
    // The stream has the first batch and holds the second, all before the turn is over.
    expect(chunks[0]?.match(/\n/g)).toHaveLength(16)
    expect(stream.writableLength).toBe(32 * 1_000_001)
    await turn()
    for (let batch = 0; batch < 3; batch++) {
      release.shift()?.()
      await turn()
    }
    const sent = chunks.join('').trimEnd().split('\n')
    expect(sent.map(Number)).toEqual(Array.from({ length: 40 }, (_, at) => at))
    writer.write('x'.repeat(40_000_000))
    expect(() => writer.write('x'.repeat(40_000_000))).toThrow(expect.objectContaining({ code: 'too_large' }))
  })

  it('waits while the stream is full, and refuses more than it may hold', async () => {
    const { stream, chunks, release } = heldStream(1)
    const writer = new StdioClientWriter(stream)
    writer.write('first')
    await turn()
    writer.write('second')
    writer.write('x'.repeat(40_000_000))
    expect(() => writer.write('x'.repeat(40_000_000))).toThrow(expect.objectContaining({ code: 'too_large' }))
    await turn()
    expect(chunks).toEqual(['first\n'])
    release.shift()?.()
    await expect.poll(() => chunks).toHaveLength(2)
    expect(chunks[1]?.startsWith('second\nx')).toBe(true)
    release.shift()?.()
    await turn()
    writer.write('x'.repeat(40_000_000))
  })

  it('tells every waiting line when the stream breaks, and throws nothing', async () => {
    const stream = new PassThrough()
    const writer = new StdioClientWriter(stream)
    const done = vi.fn()
    writer.write('a', done)
    stream.destroy(new Error('EPIPE'))
    await expect.poll(() => done).toHaveBeenCalledTimes(1)
    writer.write('b', done)
    expect(done).toHaveBeenCalledTimes(2)
    for (const [error] of done.mock.calls) expect(error).toBeInstanceOf(Error)
  })
})
