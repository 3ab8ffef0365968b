import { connect as connectSocket, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { halfRequest } from '../../packages/mcp/src/transport/fixtures/half-request.test.node.ts'
import { CAN_MEASURE, GatewayProcess } from '../support/gateway-process.ts'
import { modernRequest } from '../support/raw-client.ts'
import { lettersProgram, lettersServer } from '../support/letters-target.ts'

const MB = 1024 * 1024
const NAME = 'big_letters'
const KEY = 'a-long-enough-key-for-this-test'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

type Kind = 'body' | 'pipe'

async function targetOf(kind: Kind): Promise<object> {
  if (kind === 'pipe') return lettersProgram
  const target = await lettersServer(kind)
  closing.push(() => target.close())
  return { url: target.url }
}

interface Reader {
  readonly socket: Socket
  readonly head: () => string
  readonly isClosed: () => boolean
}

/** Asks for an answer of so many bytes and reads only the beginning of it. */
function ask(port: number, size: number): Reader {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: NAME, arguments: { size }, _meta: meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })
  const socket = connectSocket(port, '127.0.0.1')
  let head = ''
  let closed = false
  socket.on('error', () => {})
  socket.on('close', () => {
    closed = true
  })
  socket.on('data', (chunk) => {
    head += chunk.toString('latin1').slice(0, 1000)
    socket.pause()
  })
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
      'accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\n' +
      `mcp-name: ${NAME}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  closing.push(() => socket.destroy())
  return { socket, head: () => head, isClosed: () => closed }
}

/** Goes on reading, a little at a time. */
function readSlowly(port: number, size: number): { length: () => number; closed: Promise<unknown> } {
  const { socket } = ask(port, size)
  let length = 0
  socket.removeAllListeners('data').on('data', (chunk) => {
    length += chunk.length
    socket.pause()
    setTimeout(() => socket.resume(), 1)
    if (length > size) socket.destroy()
  })
  return { length: () => length, closed: new Promise((resolve) => socket.on('close', resolve)) }
}

const answerOf = (gateway: GatewayProcess, size: number, headers = {}) =>
  modernRequest(gateway.endpoint, 'tools/call', { name: NAME, arguments: { size } }, { headers })

describe.skipIf(!CAN_MEASURE)('the memory of a gateway', () => {
  // All of them together ask for much more; a busy machine collects garbage late.
  it.each<{ kind: Kind; clients: number; size: number; limit: number }>([
    { kind: 'body', clients: 40, size: 20, limit: 500 },
    { kind: 'pipe', clients: 40, size: 20, limit: 500 },
    { kind: 'body', clients: 20, size: 50, limit: 500 },
  ])(
    '$clients clients of $kind that ask for $size MB and do not read cost less than $limit MB',
    async ({ kind, clients, size, limit }) => {
      await using gateway = await GatewayProcess.start({
        mcpServers: { big: await targetOf(kind) },
      })
      expect((await answerOf(gateway, 10)).status).toBe(200)
      const before = gateway.megabytes
      // The server at the URL is in this process: while it writes, nobody here reads.
      const slow = kind === 'pipe' ? readSlowly(gateway.port, size * MB) : undefined
      if (slow) await expect.poll(slow.length, { timeout: 180_000 }).toBeGreaterThan(0)
      const readers = Array.from({ length: clients }, () => ask(gateway.port, size * MB))
      const isAnswered = ({ head, isClosed }: Reader): boolean => head() !== '' || isClosed()
      await expect.poll(() => readers.some(isAnswered), { timeout: 180_000 }).toBe(true)
      // Others are served meanwhile.
      expect((await answerOf(gateway, 10)).status).toBe(200)
      await expect.poll(() => readers.every(isAnswered), { timeout: 180_000, interval: 200 }).toBe(true)
      expect(gateway.peak - before).toBeLessThan(limit)
      await slow?.closed
      if (slow) expect(slow.length()).toBeGreaterThan(size * MB)
    },
    600_000,
  )

  it('20 strangers that send half a body of 16 MB cost less than 80 MB', async () => {
    await using gateway = await GatewayProcess.start({
      mcpServers: { big: lettersProgram },
      auth: { apiKeys: [{ name: 'known', key: KEY }] },
    })
    const headers = { authorization: `Bearer ${KEY}` }
    const warm = Array.from({ length: 20 }, () => halfRequest(gateway.port, { announced: 1000, sent: 1000 }))
    await expect.poll(() => warm.every(({ answer }) => answer() !== '')).toBe(true)
    expect((await answerOf(gateway, 10, headers)).status).toBe(200)
    const before = gateway.peak
    const strangers = Array.from({ length: 20 }, () =>
      halfRequest(gateway.port, { announced: 16 * MB, sent: 8 * MB }),
    )
    await Promise.all(strangers.map(({ closed }) => closed))
    expect((await answerOf(gateway, 10, headers)).status).toBe(200)
    expect(gateway.peak - before).toBeLessThan(80)
    for (const { socket } of warm) socket.destroy()
  })
})
