import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { NodeReply } from './node-reply.node.ts'

const PIECE = 64 * 1024
const COUNT = 128

let server: Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** Pieces as reading a pipe makes them: each in memory of its own. */
function makePieces(count = COUNT): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => new Uint8Array(PIECE).fill(index))
}

/** Answers every request with the same pieces. */
async function serve(
  pieces: readonly Uint8Array[],
): Promise<{ ask(): Promise<IncomingMessage>; sent: ServerResponse[] }> {
  const sent: ServerResponse[] = []
  server = createServer((_, response) => {
    sent.push(response)
    new NodeReply(response).bytes(200, pieces)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = async (): Promise<IncomingMessage> => {
    const [response] = await once(get({ port, host: '127.0.0.1', agent: false }), 'response')
    return response
  }
  return { ask, sent }
}

const lengths = (pieces: readonly Uint8Array[]): number[] => pieces.map(({ length }) => length)

describe('the memory of a body', () => {
  it('is given back when all of it was sent, and what was sent is right', async () => {
    const pieces = makePieces()
    const want = Buffer.concat(pieces)
    const { ask } = await serve(pieces)
    const got = await buffer(await ask())
    expect(got.equals(want)).toBe(true)
    await vi.waitFor(() => expect(lengths(pieces)).toEqual(pieces.map(() => 0)))
  })

  it('stays where something else lies in it as well', async () => {
    const shared = new Uint8Array(PIECE * 2).fill(7)
    const small = new Uint8Array(100).fill(8)
    const [own] = makePieces(1)
    const pieces = [shared.subarray(0, PIECE), small, own as Uint8Array]
    const { ask } = await serve(pieces)
    await buffer(await ask())
    await vi.waitFor(() => expect(own).toHaveLength(0))
    expect(lengths(pieces)).toEqual([PIECE, 100, 0])
    expect(shared.every((byte) => byte === 7)).toBe(true)
  })

  it('stays when it is sent to two readers, however slow one of them is', async () => {
    const pieces = makePieces()
    const want = Buffer.concat(pieces)
    const { ask, sent } = await serve(pieces)
    const slow = await ask()
    const quick = await buffer(await ask())
    expect(quick.equals(want)).toBe(true)
    await vi.waitFor(() => expect(sent[1]?.writableFinished).toBe(true))
    expect(sent[0]?.writableFinished).toBe(false)
    expect((await buffer(slow)).equals(want)).toBe(true)
    await vi.waitFor(() => expect(sent[0]?.writableFinished).toBe(true))
    expect(lengths(pieces)).toEqual(pieces.map(() => PIECE))
  })

  it('stays when the reader goes away before all of it was sent', async () => {
    const pieces = makePieces()
    const { ask, sent } = await serve(pieces)
    const response = await ask()
    response.destroy()
    await vi.waitFor(() => expect(sent[0]?.destroyed).toBe(true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(lengths(pieces)).toEqual(pieces.map(() => PIECE))
  })
})
