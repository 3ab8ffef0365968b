import { connect, type Socket, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { Server, tool } from '../../server/index.ts'
import { RawPeer, until, withEnvelope } from '../../testing/fixtures/raw-peer.test.support.ts'
import type { LineChannel } from '../../testing/index.ts'
import { LineSplitter } from './lines.node.ts'
import { serveSocket, type SocketServer } from '../../entries/server.node.ts'

const events: string[] = []
const app = new Server({
  name: 's',
  tools: {
    echo: tool({ run: ({ text }) => String(text) }),
    slow: tool({ run: () => new Promise((resolve) => setTimeout(() => resolve('slow'), 50)) }),
    never: tool({
      run: (_args, ctx) => {
        events.push('running')
        ctx.signal.addEventListener('abort', () => events.push('aborted'))
        return new Promise(() => {})
      },
    }),
  },
})

let server: SocketServer | undefined
afterEach(async () => {
  events.length = 0
  await server?.close()
})

async function open(): Promise<{ socket: Socket; peer: RawPeer }> {
  server ??= await serveSocket(app, { port: 0 }, { drainTimeout: 150 })
  if (!server.server.listening) server = await serveSocket(app, { port: 0 }, { drainTimeout: 150 })
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  const channel: LineChannel = { onLine: undefined, send: (line) => void socket.write(`${line}\n`) }
  const lines = new LineSplitter({ onLine: (line) => channel.onLine?.(line) })
  socket.on('data', (chunk) => lines.push(chunk))
  socket.on('error', () => {})
  await once(socket, 'connect')
  return { socket, peer: new RawPeer(channel) }
}

const call = (name: string) => ({ name, arguments: { text: 'x' } })

describe('serveSocket', () => {
  it.each([undefined, ''])('binds TCP to loopback when the host is %j', async (host) => {
    server = await serveSocket(app, { port: 0, host } as { port: number })
    expect((server.server.address() as AddressInfo).address).toBe('127.0.0.1')
  })

  it('serves both eras on one connection, and many connections at once', async () => {
    const peers = await Promise.all(Array.from({ length: 5 }, open))
    for (const { peer } of peers) {
      await peer.handshake()
      expect(await peer.request('tools/call', call('echo'))).toHaveProperty('result')
      expect(await peer.modern('tools/call', call('echo'))).toHaveProperty('result')
    }
    for (const { socket } of peers) socket.destroy()
    await until(() => app.listeners === 0)
  })

  it('a client that ends its half still gets its answers, and then the end', async () => {
    const { socket, peer } = await open()
    const id = peer.start('tools/call', withEnvelope(call('slow')))
    socket.end()
    expect(await peer.answerTo(id)).toMatchObject({ result: { content: [{ text: 'slow' }] } })
    if (!socket.closed) await once(socket, 'close')
  })

  it('a client that goes away in the middle of a call frees everything', async () => {
    const { socket, peer } = await open()
    await peer.handshake()
    peer.start('tools/call', call('never'))
    peer.start('subscriptions/listen', withEnvelope({ notifications: { toolsListChanged: true } }), 'l')
    await until(() => events.includes('running') && app.listeners === 2)
    socket.resetAndDestroy()
    await until(() => events.includes('aborted') && app.listeners === 0)
  })

  it('a half-open socket is given up after the drain', async () => {
    const { socket, peer } = await open()
    peer.start('tools/call', call('never'))
    await until(() => events.includes('running'))
    socket.end()
    await until(() => events.includes('aborted'))
    if (!socket.closed) await once(socket, 'close')
  })
})
