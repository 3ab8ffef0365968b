import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject, JsonRpcRequest } from '../../../jsonrpc/index.ts'
import type { ReconnectOptions, Wire } from '../../../exchange/index.ts'
import { META } from '../../../protocol/index.ts'
import { http } from './http-client.ts'
import type { HttpClientOptions } from './options.ts'

/** A request that a test server got, with its JSON body. */
export interface Seen {
  method: string
  path: string
  headers: IncomingMessage['headers']
  message: { id?: number; method?: string; params?: JsonObject }
  at: number
}

export interface TestServer extends AsyncDisposable {
  url: string
  origin: string
  seen: Seen[]
  /** How many connections were made so far. */
  connections: () => number
  /** How many responses have neither ended nor been closed by the client. */
  unfinished: () => number
}

export type Answer = (seen: Seen, response: ServerResponse) => void

export async function startServer(answer: Answer): Promise<TestServer> {
  const seen: Seen[] = []
  let connections = 0
  let unfinished = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    unfinished++
    response.on('close', () => unfinished--)
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => {})
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const one: Seen = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        message: text === '' ? {} : JSON.parse(text),
        at: performance.now(),
      }
      seen.push(one)
      answer(one, response)
    })
  })
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/mcp`,
    origin,
    seen,
    connections: () => connections,
    unfinished: () => unfinished,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** Answers with JSON: a result for the request, unless told otherwise. */
export function json(response: ServerResponse, value: unknown, status = 200, headers = {}): void {
  const text = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(text)
}

export function openStream(response: ServerResponse, headers = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
  response.flushHeaders()
}

export function event(message: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`
}

export function resultFor(seen: Seen, result: JsonObject = { ok: true }): JsonObject {
  return { jsonrpc: '2.0', id: seen.message.id, result }
}

export function errorFor(seen: Seen, code: number, message: string): JsonObject {
  return { jsonrpc: '2.0', id: seen.message.id ?? null, error: { code, message } }
}

export function progress(value: number): JsonObject {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: value } }
}

let lastId = 0

export function legacy(method: string, params: JsonObject = {}): JsonRpcRequest {
  return { jsonrpc: '2.0', id: ++lastId, method, params }
}

export function modern(method: string, params: JsonObject = {}): JsonRpcRequest {
  const _meta = {
    [META.protocolVersion]: '2026-07-28',
    [META.clientInfo]: { name: 'test', version: '1.0.0' },
    [META.clientCapabilities]: {},
  }
  return { jsonrpc: '2.0', id: ++lastId, method, params: { ...params, _meta } }
}

export const initialize = (): JsonRpcRequest =>
  legacy('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  })

/** Waits until something is true; a test that waits for ever runs into its own time limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** A server with sessions: `initialize` makes one; the rest is up to the test. */
export function sessions(answer: Answer): Answer {
  let count = 0
  return (seen, response) => {
    if (seen.message.method === 'initialize') {
      json(response, resultFor(seen), 200, { 'Mcp-Session-Id': `session-${++count}` })
    } else answer(seen, response)
  }
}

const reconnect = { initialDelay: 10, maxDelay: 50, maxAttempts: 4 }

/** A wire that reconnects fast and has not sent anything. */
export function open(
  url: string,
  options: HttpClientOptions = {},
  delays: ReconnectOptions = reconnect,
): Promise<Wire> {
  return http(url, options).open({ reconnect: delays })
}

/** A wire with a legacy session. */
export async function connect(url: string, options: HttpClientOptions = {}): Promise<Wire> {
  const wire = await open(url, options)
  await wire.request(initialize())
  wire.setProtocolVersion?.('2025-11-25')
  return wire
}

export const call = (): JsonRpcRequest => legacy('tools/call', { name: 'x' })
