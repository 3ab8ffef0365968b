import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { LineWriter } from './stdio-client-writer.node.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

describe('LineWriter', () => {
  it('puts the lines of one turn into one write, in order', async () => {
    const chunks: string[] = []
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        chunks.push(String(chunk))
        done()
      },
    })
    const writer = new LineWriter(stream)
    const done = vi.fn()
    writer.write('a')
    await Promise.resolve()
    writer.write('b', done)
    expect(chunks).toEqual([])
    await vi.waitFor(() => expect(done).toHaveBeenCalledWith(undefined))
    writer.write('c')
    writer.end()
    expect(chunks).toEqual(['a\nb\n', 'c\n'])
  })

  it('waits while the stream is full, and refuses more than it may hold', async () => {
    const release: (() => void)[] = []
    const chunks: string[] = []
    const stream = new Writable({
      highWaterMark: 1,
      write: (chunk, _encoding, done) => {
        chunks.push(String(chunk))
        release.push(done)
      },
    })
    const writer = new LineWriter(stream)
    writer.write('first')
    await turn()
    writer.write('second')
    writer.write('x'.repeat(40_000_000))
    expect(() => writer.write('x'.repeat(40_000_000))).toThrow(expect.objectContaining({ code: 'too_large' }))
    await turn()
    expect(chunks).toEqual(['first\n'])
    release.shift()?.()
    await vi.waitFor(() => expect(chunks).toHaveLength(2))
    expect(chunks[1]?.startsWith('second\nx')).toBe(true)
    release.shift()?.()
    await turn()
    writer.write('x'.repeat(40_000_000))
  })

  it('tells every waiting line when the stream breaks, and throws nothing', async () => {
    const stream = new PassThrough()
    const writer = new LineWriter(stream)
    const done = vi.fn()
    writer.write('a', done)
    stream.destroy(new Error('EPIPE'))
    await vi.waitFor(() => expect(done).toHaveBeenCalledTimes(1))
    writer.write('b', done)
    expect(done).toHaveBeenCalledTimes(2)
    for (const [error] of done.mock.calls) expect(error).toBeInstanceOf(Error)
  })
})
