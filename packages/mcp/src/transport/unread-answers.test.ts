import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { McpError } from '../jsonrpc/index.ts'
import { Server, tool } from '../server/index.ts'
import { until } from '../testing/fixtures/raw-peer.test.support.ts'
import { HOST_KINDS, HttpHost } from './fixtures/http-hosts.test.node.ts'
import type { Guard } from './http/server/reply.ts'

const MB = 1024 * 1024
/** Far more than the system keeps for a socket. */
const BIG = 20 * MB
/** Longer than any test takes on a busy machine: no reader makes room for another. */
const NEVER = 600_000

const app = (): Server =>
  new Server({
    name: 's',
    tools: {
      big: tool({ run: () => 'x'.repeat(BIG) }),
      told: tool({
        run: async (_args, ctx) => {
          await ctx.log('error', 'first')
          return 'x'.repeat(BIG)
        },
      }),
      ask: tool({
        // A question cannot be left out.
        run: async (_args, ctx) => {
          await Promise.all(Array.from({ length: 12 }, () => ctx.confirm('x'.repeat(3 * MB))))
          return 'asked'
        },
      }),
      small: tool({ run: () => 'pong' }),
    },
  }) as Server

const guard: Guard = ({ headers }) => ({
  ok: true,
  auth: { principal: { kind: 'key', subject: headers.authorization ?? '' }, scopes: [], claims: {} },
})

interface Reader {
  readonly socket: Socket
  readonly head: () => string
  readonly closed: Promise<void>
}

/** Asks for a tool's answer and reads no more than the beginning of it. */
function askAndStopReading(port: number, name: string, principal: string): Reader {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/logLevel': 'error',
  }
  const params = { name, arguments: {}, _meta: meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })
  const socket = connect(port, '127.0.0.1')
  let head = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    head += chunk.toString('latin1').slice(0, 1000)
    socket.pause()
  })
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\nauthorization: ${principal}\r\n` +
      'accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\n' +
      `mcp-name: ${name}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return { socket, head: () => head, closed }
}

const reasonFor = (reader: unknown): unknown =>
  expect.objectContaining({
    message: expect.stringMatching(/^The client has read nothing for \d+ ms while \d+ bytes wait for it/),
    details: expect.objectContaining({ reader }),
  })

const lengthOf = async (host: HttpHost, name: string, authorization: string): Promise<number> =>
  (await (await host.modern('tools/call', { name }, { headers: { authorization } })).text()).length

describe('answers that nobody reads', () => {
  it('are held up to a share of each caller; more are refused with 429, and others are served', async () => {
    const limits = { stallTimeout: NEVER, unread: { perCaller: 1.5 * BIG, total: 10 * BIG } }
    await using host = await HttpHost.open('node', app(), { guard, limits })
    const readers = Array.from({ length: 6 }, () => askAndStopReading(host.port, 'big', 'greedy'))
    await until(() => readers.every(({ head }) => head() !== ''))
    const refused = readers.filter(({ head }) => head().startsWith('HTTP/1.1 429'))
    expect(refused.length).toBeGreaterThanOrEqual(2)
    expect(refused[0]!.head()).toMatch(/retry-after: \d+/i)
    expect(refused[0]!.head()).toContain('"id":7')
    expect(refused[0]!.head()).toContain('"reason":"unread_answers"')
    expect(host.service.meter.answers.held).toBeLessThanOrEqual(1.5 * BIG)
    expect(await lengthOf(host, 'small', 'greedy')).toBeGreaterThan(0)
    expect(await lengthOf(host, 'big', 'other')).toBeGreaterThan(BIG)
    for (const { socket } of readers) socket.destroy()
    await until(() => host.service.meter.answers.held === 0)
  })

  it('make room when their readers stand still', async () => {
    const limits = { stallTimeout: 3000, unread: { perCaller: 2 * BIG, total: 2 * BIG } }
    await using host = await HttpHost.open('node', app(), { guard, limits })
    const stopped = askAndStopReading(host.port, 'big', 'a')
    const moving = askAndStopReading(host.port, 'big', 'b')
    await until(() => stopped.head() !== '' && moving.head() !== '')
    while ((await lengthOf(host, 'big', 'c')) < BIG) await new Promise((resolve) => setTimeout(resolve, 100))
    for (const { socket } of [stopped, moving]) socket.destroy()
  })

  it.each(['big', 'told'])('cost their reader the connection after a while (%s)', async (name) => {
    const reasons: McpError[] = []
    const limits = { stallTimeout: 300, onCutOff: (reason: McpError) => reasons.push(reason) }
    await using host = await HttpHost.open('node', app(), { guard, limits })
    const reader = askAndStopReading(host.port, name, 'a')
    await until(() => reasons.length > 0)
    expect(reasons).toEqual([reasonFor('principal ["key",null,"a"]')])
    expect(host.service.meter.answers.held).toBe(0)
    reader.socket.removeAllListeners('data').resume()
    await reader.closed
  })

  it('a slow reader that goes on reading gets all of its answer', async () => {
    await using host = await HttpHost.open('node', app(), { guard, limits: { stallTimeout: 3000 } })
    const reader = askAndStopReading(host.port, 'big', 'a')
    let length = 0
    reader.socket.removeAllListeners('data')
    reader.socket.on('data', (chunk) => {
      length += chunk.length
      reader.socket.pause()
      setTimeout(() => reader.socket.resume(), 1)
    })
    await until(() => length > BIG)
    reader.socket.destroy()
  })

  it('are counted by the Web handler as well', async () => {
    const limits = { stallTimeout: NEVER, unread: { perCaller: 1.5 * BIG, total: 10 * BIG } }
    await using host = await HttpHost.open('fetch', app(), { guard, limits })
    const ask = (): Promise<Response> => host.modern('tools/call', { name: 'big' })
    const answers = [await ask(), await ask(), await ask()]
    expect(answers.map(({ status }) => status)).toEqual([200, 429, 429])
    expect((await answers[0]!.text()).length).toBeGreaterThan(BIG)
    expect((await (await ask()).text()).length).toBeGreaterThan(BIG)
  })

  it('cost the reader of a Web response its stream as well', async () => {
    const reasons: McpError[] = []
    const limits = { stallTimeout: 300, onCutOff: (reason: McpError) => reasons.push(reason) }
    await using host = await HttpHost.open('fetch', app(), { limits })
    const answer = await host.modern('tools/call', { name: 'big' })
    await until(() => reasons.length > 0)
    expect(reasons).toEqual([reasonFor('address ')])
    expect(host.service.meter.answers.held).toBe(0)
    await expect(answer.text()).rejects.toThrow('slow')
  })

  it.each(HOST_KINDS)('as events end the stream when they are too many (%s)', async (kind) => {
    const reasons: McpError[] = []
    const limits = { stallTimeout: NEVER, onCutOff: (reason: McpError) => reasons.push(reason) }
    await using host = await HttpHost.open(kind, app(), { limits })
    const session = await host.session('2025-11-25', { elicitation: {} })
    await host.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } }, session)
    await until(() => reasons.length > 0)
    expect(reasons).toEqual([reasonFor(expect.any(String))])
  })
})
