import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage as Req, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import {
  type EventStore,
  StreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, McpServer as McpServer2 } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { IncomingMessage, Wire } from '../../../exchange/index.ts'
import { http } from './http-client.ts'
import { initialize, legacy, modern, until } from './harness.test.node.ts'
import { sse } from './sse-client.ts'

type Handler = (request: Req, response: ServerResponse) => unknown

async function serve(handler: Handler): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** The official 1.x server with a tool that reports progress, and one that loses its connection. */
function officialServer(): McpServer {
  const server = new McpServer({ name: 'official', version: '1.0.0' }, { capabilities: { logging: {} } })
  server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }, extra) => {
    const params = { progressToken: extra._meta?.progressToken ?? 0, progress: 1 }
    await extra.sendNotification({ method: 'notifications/progress', params })
    return { content: [{ type: 'text', text: `${a + b}` }] }
  })
  server.registerTool('cut', {}, async (extra) => {
    extra.closeSSEStream?.()
    return { content: [{ type: 'text', text: 'resumed' }] }
  })
  return server
}

/** Unlike the official example's, it keeps the order of events within one millisecond. */
function orderedEvents(): EventStore {
  const events: { stream: string; message: Parameters<EventStore['storeEvent']>[1] }[] = []
  return {
    storeEvent: async (stream, message) => `${events.push({ stream, message }) - 1}`,
    replayEventsAfter: async (last, { send }) => {
      const stream = events[Number(last)]?.stream ?? ''
      for (let index = Number(last) + 1; index < events.length; index++) {
        const event = events[index]!
        if (event.stream === stream) await send(`${index}`, event.message)
      }
      return stream
    },
  }
}

/** Sessions as the official examples keep them. */
function sessionHandler(json: boolean): { handler: Handler; forget: () => void; servers: McpServer[] } {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const servers: McpServer[] = []
  const handler: Handler = async (request, response) => {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (known !== undefined) return known.handleRequest(request, response)
    if (id !== undefined) return response.writeHead(404).end('Session not found')
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
      eventStore: orderedEvents(),
      enableJsonResponse: json,
      retryInterval: 100,
    })
    const server = officialServer()
    servers.push(server)
    await server.connect(transport as Parameters<McpServer['connect']>[0])
    await transport.handleRequest(request, response)
  }
  return { handler, forget: () => sessions.clear(), servers }
}

async function handshake(wire: Wire): Promise<void> {
  const answer = await wire.request(initialize())
  expect(answer).toMatchObject({
    result: { serverInfo: { name: 'official' }, protocolVersion: '2025-11-25' },
  })
  wire.setProtocolVersion?.('2025-11-25')
  await wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  wire.startListening?.()
}

const add = { name: 'add', arguments: { a: 2, b: 3 }, _meta: { progressToken: 7 } }

describe('official server 1.32', () => {
  it.each([false, true])('Streamable HTTP with sessions, JSON answers: %s', async (json) => {
    const { handler, forget, servers } = sessionHandler(json)
    await using server = await serve(handler)
    const wire = await http(server.url).open()
    const general: IncomingMessage[] = []
    wire.onMessage = (message) => general.push(message)
    await handshake(wire)
    const own: IncomingMessage[] = []
    const answer = await wire.request(legacy('tools/call', add), {
      onMessage: (message) => own.push(message),
    })
    expect(answer).toMatchObject({ result: { content: [{ text: '5' }] } })
    if (!json) expect(own).toMatchObject([{ params: { progressToken: 7, progress: 1 } }])
    await until(() => {
      if (general.length === 0) servers[0]?.sendToolListChanged()
      return general.length > 0
    })
    expect(general[0]).toMatchObject({ method: 'notifications/tools/list_changed' })
    forget()
    await expect(wire.request(legacy('tools/call', add))).rejects.toMatchObject({ code: 'session_lost' })
    const next = await http(server.url).open()
    await handshake(next)
    expect(await next.request(legacy('tools/call', add))).toMatchObject({ result: {} })
    await next.close()
    await wire.close()
  })

  it('resumes a call whose connection the server closed', async () => {
    await using server = await serve(sessionHandler(false).handler)
    const wire = await http(server.url).open()
    await handshake(wire)
    const answer = await wire.request(legacy('tools/call', { name: 'cut' }))
    expect(answer).toMatchObject({ result: { content: [{ text: 'resumed' }] } })
    await wire.close()
  })

  it('a modern probe gets an answer or an HTTP error, and initialize works on the same wire', async () => {
    await using server = await serve(sessionHandler(false).handler)
    const wire = await http(server.url).open()
    const probe = await wire.request(modern('server/discover'))
    expect(probe).toHaveProperty('error')
    await handshake(wire)
    await wire.close()
  })

  it('HTTP+SSE, found through the fallback', async () => {
    const transports = new Map<string, SSEServerTransport>()
    await using server = await serve(async (request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost')
      if (request.method === 'GET') {
        const transport = new SSEServerTransport('/messages', response)
        transports.set(transport.sessionId, transport)
        return officialServer().connect(transport)
      }
      const transport = transports.get(url.searchParams.get('sessionId') ?? '')
      if (transport === undefined) return response.writeHead(404).end()
      return transport.handlePostMessage(request, response)
    })
    const connector = http(server.url)
    const refused = await connector.open()
    await expect(refused.request(initialize())).rejects.toMatchObject({ details: { status: 404 } })
    const wire = await connector.fallback!.open()
    const messages: IncomingMessage[] = []
    wire.onMessage = (message) => messages.push(message)
    await handshake(wire)
    expect(await wire.request(legacy('tools/call', add))).toMatchObject({
      result: { content: [{ text: '5' }] },
    })
    expect(messages).toMatchObject([{ params: { progressToken: 7 } }])
    transports.clear()
    await expect(wire.request(legacy('tools/call', add))).rejects.toMatchObject({ code: 'session_lost' })
    await wire.close()
    await refused.close()
    await expect(sse(server.url.replace('/mcp', '/messages')).open()).resolves.toBeDefined()
  })
})

describe('official server 2.4', () => {
  function handler(): Handler {
    const make = (): McpServer2 => {
      const server = new McpServer2({ name: 'official', version: '2.0.0' })
      server.registerTool(
        'add',
        { inputSchema: z.object({ a: z.number(), b: z.number() }) },
        async ({ a, b }, context) => {
          const params = { progressToken: 7, progress: 1 }
          await context.mcpReq.notify({ method: 'notifications/progress', params })
          return { content: [{ type: 'text', text: `${a + b}` }] }
        },
      )
      server.registerResource('size', 'note:///gr%C3%B6%C3%9Fe', {}, async (uri) => ({
        contents: [{ uri: uri.href, text: 'unicode' }],
      }))
      return server
    }
    return toNodeHandler(createMcpHandler(make)) as unknown as Handler
  }

  it('modern requests pass its header validation', async () => {
    await using server = await serve(handler())
    const wire = await http(server.url).open()
    expect(await wire.request(modern('server/discover'))).toMatchObject({
      result: { supportedVersions: expect.arrayContaining(['2026-07-28']) },
    })
    const messages: IncomingMessage[] = []
    const onMessage = (message: IncomingMessage): void => void messages.push(message)
    const answer = await wire.request(modern('tools/call', { name: 'add', arguments: { a: 2, b: 3 } }), {
      onMessage,
    })
    expect(answer).toMatchObject({ result: { content: [{ text: '5' }] } })
    expect(messages).toMatchObject([{ params: { progress: 1 } }])
    // Not ASCII, so the name header is encoded, and must equal the body once it is decoded.
    expect(await wire.request(modern('resources/read', { uri: 'note:///größe' }))).toMatchObject({
      result: { contents: [{ text: 'unicode' }] },
    })
    const unknown = await wire.request(modern('no/such'))
    expect(unknown).toMatchObject({ error: { code: -32601 } })
    await wire.close()
  })

  it('its legacy side, without sessions', async () => {
    await using server = await serve(handler())
    const wire = await http(server.url).open()
    await handshake(wire)
    expect(await wire.request(legacy('tools/call', add))).toMatchObject({
      result: { content: [{ text: '5' }] },
    })
    await wire.close()
  })
})
