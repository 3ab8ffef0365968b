import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { LongJson, LongString } from '../../jsonrpc/index.ts'
import { SLICE } from './json-slices.node.ts'
import { LineWriter } from './line-writer.node.ts'

const LONG = 'a line of a long text, "quoted" here and there\n'.repeat(5_000)
const PLAIN = 'x'.repeat(300_000)
const long = (value: string): LongJson => new LongJson(['{"text":', new LongString(value), '}'])
const json = (value: string): string => JSON.stringify({ text: value })

describe('LineWriter', () => {
  it('keeps the order of short and long lines, whatever the reader does', async () => {
    const stream = new PassThrough()
    const writer = new LineWriter(stream)
    const lines = ['1', '2', long(LONG), '3', long(PLAIN), long(''), '4', '5']
    for (const line of lines) writer.write(line)
    expect(writer.buffered).toBeGreaterThan(LONG.length + PLAIN.length)
    const read = text(stream)
    await writer.end()
    stream.end()
    const want = ['1', '2', json(LONG), '3', json(PLAIN), json(''), '4', '5', ''].join('\n')
    expect((await read) === want).toBe(true)
    expect(writer.buffered).toBe(0)
  })

  it('uses no memory again that is still being written', async () => {
    const held: Buffer[] = []
    const copies: Buffer[] = []
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        held.push(chunk)
        copies.push(Buffer.from(chunk))
        setImmediate(() => {
          expect(held.at(-1)?.equals(copies.at(-1) as Buffer)).toBe(true)
          done()
        })
      },
    })
    const writer = new LineWriter(stream)
    writer.write(long(PLAIN))
    writer.write(long(LONG))
    await writer.end()
    expect(Buffer.concat(copies).toString() === `${json(PLAIN)}\n${json(LONG)}\n`).toBe(true)
  })

  it('waits with the rest of a long line until the reader has taken what there is', async () => {
    const stream = new PassThrough()
    const writer = new LineWriter(stream)
    writer.write(long(PLAIN.repeat(10)))
    await new Promise((resolve) => setImmediate(resolve))
    expect(stream.writableLength + stream.readableLength).toBeLessThan(SLICE * 3)
    const read = text(stream)
    await writer.end()
    stream.end()
    expect(await read).toHaveLength(PLAIN.length * 10 + '{"text":""}\n'.length)
  })

  it('ends when the reader goes away in the middle of a long line', async () => {
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
    const writer = new LineWriter(stream)
    let gone = 0
    writer.onGone = () => {
      gone += 1
    }
    writer.write(long(LONG))
    await writer.end()
    writer.write('late')
    expect(gone).toBeGreaterThan(0)
    expect(writer.buffered).toBe(0)
  })
})
