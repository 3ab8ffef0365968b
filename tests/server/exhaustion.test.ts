import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bundle } from '../../packages/mcp/src/transport/fixtures/bundle.test.node.ts'

const MB = 1024 * 1024
const CHUNK = Buffer.alloc(MB, 'x')
const DEEP = 10_000

let program: string
beforeAll(async () => {
  program = await bundle(new URL('fixtures/open-server.ts', import.meta.url))
})

let child: ChildProcessWithoutNullStreams
afterEach(() => void child.kill('SIGKILL'))

function start(transport: 'stdio' | 'http'): AsyncIterator<string> {
  child = spawn(process.execPath, [program, transport])
  child.stderr.resume()
  child.stdin.on('error', () => {})
  return createInterface(child.stdout)[Symbol.asyncIterator]()
}

/** The most memory that the process has ever had, in MB; it is only known where the kernel tells. */
function peakMemory(): number {
  const status = process.platform === 'linux' ? readFileSync(`/proc/${child.pid}/status`, 'utf8') : ''
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024
}

async function write(text: string | Buffer): Promise<void> {
  if (!child.stdin.write(text)) await once(child.stdin, 'drain')
}

const nested = (levels: number): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"size","arguments":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}}`

describe('too much input on stdio', () => {
  it('a line of 100 MB is refused, costs no more than the limit, and the next one is answered', async () => {
    const lines = start('stdio')
    await write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    await lines.next()
    const before = peakMemory()
    await write('{"jsonrpc":"2.0","id":2,"method":"ping","params":{"a":"')
    for (let sent = 0; sent < 100; sent++) await write(CHUNK)
    await write('"}}\n{"jsonrpc":"2.0","id":3,"method":"ping"}\n')
    const refused = JSON.parse((await lines.next()).value)
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('67108864') } })
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ id: 3, result: {} })
    // The limit is 64 MiB, and it may be held in two forms for a moment.
    expect(peakMemory() - before).toBeLessThan(160)
  })

  it('100 MB without any end of line do not pile up', async () => {
    const lines = start('stdio')
    for (let sent = 0; sent < 200; sent++) await write(CHUNK)
    await write('\n{"jsonrpc":"2.0","id":3,"method":"ping"}\n')
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ error: expect.anything() })
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ id: 3 })
    expect(peakMemory()).toBeLessThan(260)
  })

  it.each([DEEP, 100 * DEEP])('%i levels of nesting are answered', async (levels) => {
    const lines = start('stdio')
    await write(`${nested(levels)}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n`)
    const answers = [JSON.parse((await lines.next()).value), JSON.parse((await lines.next()).value)]
    expect(answers.find(({ id }) => id === 2)).toMatchObject({ result: {} })
    expect(answers.filter(({ id }) => id !== 2)).toMatchObject([{ jsonrpc: '2.0' }])
  })
})

describe('too much input over HTTP', () => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

  async function listening(): Promise<number> {
    return Number((await start('http').next()).value)
  }

  async function post(port: number, body: string): Promise<{ status: number; text: string }> {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body })
    return { status: response.status, text: await response.text() }
  }

  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  })
  const isAlive = async (port: number): Promise<boolean> => (await post(port, initialize)).status === 200

  it.each(['chunked', 'announced'])('a body of 100 MB, %s, is refused without being kept', async (how) => {
    const port = await listening()
    const before = peakMemory()
    const status = await new Promise<number | undefined>((resolve) => {
      const length = how === 'announced' ? { 'content-length': 100 * MB } : {}
      const sending = request({
        port,
        host: '127.0.0.1',
        path: '/mcp',
        method: 'POST',
        headers: { ...headers, ...length },
      })
      sending.on('response', (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      // A server that will not read on may close the connection under the sender.
      sending.on('error', () => resolve(undefined))
      const send = (left: number): void => {
        if (left === 0 || sending.destroyed) return void sending.end()
        if (sending.write(CHUNK)) setImmediate(send, left - 1)
        else sending.once('drain', () => send(left - 1))
      }
      send(100)
    })
    expect([413, undefined]).toContain(status)
    expect(peakMemory() - before).toBeLessThan(80)
    expect(await isAlive(port)).toBe(true)
  })

  it.each([DEEP, 100 * DEEP])('%i levels of nesting are answered', async (levels) => {
    const port = await listening()
    const { status, text } = await post(port, nested(levels))
    expect(status).toBeLessThan(500)
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0' })
    expect(await isAlive(port)).toBe(true)
  })

  it('half-open and half-said requests by the hundred keep nobody waiting', async () => {
    const port = await listening()
    const sockets: Socket[] = []
    for (let index = 0; index < 300; index++) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      const said = [
        '',
        'POST /mcp HT',
        `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"jsonrpc"`,
      ]
      socket.write(said[index % said.length]!)
      // Half of them hang up their half, and wait.
      if (index % 2 === 0) socket.end()
      sockets.push(socket)
    }
    for (let index = 0; index < 20; index++) expect(await isAlive(port)).toBe(true)
    for (const socket of sockets) socket.destroy()
    expect(await isAlive(port)).toBe(true)
    expect(peakMemory()).toBeLessThan(250)
  })
})
