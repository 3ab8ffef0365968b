import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Connector, Wire } from '../exchange/index.ts'
import { socket } from '../entries/client.node.ts'
import { http, sse } from '../entries/client.ts'
import { serveSocket, toNodeHandler } from '../entries/server.node.ts'
import { McpError } from '../jsonrpc/index.ts'
import { Server, tool } from '../server/index.ts'
import { memory } from '../transport/memory.ts'
import { Client, type ClientOptions } from './index.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A server that can be started again as another version of itself. */
interface Restarting {
  connector: Connector
  /** Breaks what is open; requests fail until `restart`. */
  stop(): void
  restart(): Promise<void>
}

/** Each version has one tool more, promises results of its own, and lets what it says be kept for an hour. */
function version(number: number): Server {
  const names = Array.from({ length: number }, (_, index) => `tool${index + 1}`)
  const output = { type: 'object', properties: { version: { const: number } }, required: ['version'] }
  const run = () => ({ version: number })
  const tools = Object.fromEntries(names.map((name) => [name, tool({ output, run })]))
  const resources = { file: { uri: 'file:///a', ttl: '1h' as const, read: () => `${number}` } }
  return new Server({
    name: 'v',
    version: String(number),
    tools,
    resources,
    cache: { tools: { ttl: '1h' } },
  })
}

async function overHttp(connect: (url: string) => Connector): Promise<Restarting> {
  let handler = toNodeHandler(version(1))
  let isDown = false
  const server = createServer((request, response) =>
    isDown ? request.socket.destroy() : handler(request, response),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    connector: connect(`http://127.0.0.1:${port}/mcp`),
    stop: () => {
      isDown = true
      server.closeAllConnections()
    },
    restart: async () => {
      handler = toNodeHandler(version(2))
      if (!isDown) server.closeAllConnections()
      isDown = false
    },
  }
}

async function overMemory(): Promise<Restarting> {
  let app = version(1)
  const wires: Wire[] = []
  let isDown = false
  const breakOff = () => {
    isDown = true
    const wire = wires.pop()
    if (!wire) return
    const { onClose } = wire
    wire.onClose = undefined
    void wire.close()
    onClose?.(new Error('The server is gone'))
  }
  const connector: Connector = {
    kind: 'memory',
    key: 'restarting',
    open: async (options) => {
      if (isDown) throw new McpError('network', 'The server is down')
      const wire = await memory(app).open(options)
      wires.push(wire)
      return wire
    },
  }
  return {
    connector,
    stop: breakOff,
    restart: async () => {
      app = version(2)
      breakOff()
      isDown = false
    },
  }
}

async function overSocket(): Promise<Restarting> {
  const folder = mkdtempSync(join(tmpdir(), 'restart-'))
  const path = join(folder, 'socket')
  let served = await serveSocket(version(1), { path })
  closing.push(async () => {
    await served.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    connector: socket({ path }),
    stop: () => void served.close(),
    restart: async () => {
      await served.close()
      served = await serveSocket(version(2), { path })
    },
  }
}

const quick = { initialDelay: 5, maxDelay: 20 }

const servers: [name: string, start: () => Promise<Restarting>, options: ClientOptions][] = [
  ['HTTP, modern', () => overHttp((url) => http(url)), { era: 'modern' }],
  ['HTTP, legacy', () => overHttp((url) => http(url)), { era: 'legacy' }],
  ['HTTP+SSE', () => overHttp((url) => sse(url)), {}],
  ['a socket, modern', overSocket, { era: 'modern' }],
  ['a socket, legacy', overSocket, { era: 'legacy' }],
  ['memory, modern', overMemory, { era: 'modern' }],
  ['memory, legacy', overMemory, { era: 'legacy' }],
]

describe.each(servers)('a server that was restarted, over %s', (_name, start, options) => {
  it('is heard of by those who listen, with lists that are new', async () => {
    const { connector, restart } = await start()
    await using client = new Client({ connector, reconnect: quick, ...options })
    const heard: string[] = []
    client.on('toolsChanged', () => heard.push('tools'))
    client.on('reconnect', () => heard.push('reconnect'))
    client.on('resourceUpdated', ({ uri }) => heard.push(uri))
    await client.connect()
    await client.listening()
    await using _subscription = await client.subscribe('file:///a')
    expect((await client.listTools().all()).map(({ name }) => name)).toEqual(['tool1'])
    await restart()
    await expect.poll(() => heard).toEqual(expect.arrayContaining(['reconnect', 'tools', 'file:///a']))
    expect((await client.listTools().all()).map(({ name }) => name)).toEqual(['tool1', 'tool2'])
    expect(heard.filter((event) => event === 'reconnect')).toHaveLength(1)
  })

  it('is not remembered as it was by requests after an outage', async () => {
    const { connector, restart, stop } = await start()
    await using client = new Client({ connector, reconnect: quick, ...options })
    let back = 0
    client.on('reconnect', () => back++)
    await client.listTools().all()
    await client.readResource('file:///a')
    expect(back).toBe(0)
    stop()
    const isThere = () =>
      client.ping().then(
        () => true,
        () => false,
      )
    await expect.poll(isThere).toBe(false)
    await restart()
    await expect.poll(isThere).toBe(true)
    // Not compared with what the version before has promised.
    expect((await client.call('tool1')).json()).toEqual({ version: 2 })
    expect((await client.readResource('file:///a')).contents).toMatchObject([{ text: '2' }])
    expect((await client.listTools().all()).map(({ name }) => name)).toEqual(['tool1', 'tool2'])
    expect(back).toBe(1)
  })
})
