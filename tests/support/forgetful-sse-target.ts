import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ForgetfulSseTarget {
  readonly url: string
  /** What came, newest last: the JSON-RPC method and the session. */
  readonly seen: { readonly rpc: string | undefined; readonly session: string }[]
  /** Forgets every session, as a restart behind a proxy that keeps the streams open. */
  forget(): void
  /** Tells those who have subscribed. */
  announce(): void
  close(): Promise<void>
}

const RESULTS: Record<string, object> = {
  initialize: {
    protocolVersion: '2024-11-05',
    capabilities: { tools: {}, resources: { subscribe: true }, logging: {} },
    serverInfo: { name: 'forgetful', version: '1' },
  },
  'tools/list': { tools: [{ name: 'count', inputSchema: { type: 'object' } }] },
  'resources/list': { resources: [{ uri: 'x://thing', name: 'thing' }] },
}

/** A server on HTTP+SSE (2024-11-05) whose sessions can be lost, written by hand. */
export async function forgetfulSseTarget(status: number): Promise<ForgetfulSseTarget> {
  let count = 0
  let calls = 0
  const streams = new Map<string, ServerResponse>()
  const known = new Set<string>()
  const subscribed = new Set<string>()
  const seen: ForgetfulSseTarget['seen'] = []
  const say = (session: string, message: object): void => {
    streams.get(session)?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
  }
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://here')
    if (request.method === 'GET' && pathname === '/sse') {
      const made = `session-${++count}`
      known.add(made)
      streams.set(made, response)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void response.write(`event: endpoint\ndata: /messages?sessionId=${made}\n\n`)
    }
    if (request.method !== 'POST' || pathname !== '/messages') return void response.writeHead(405).end()
    let body = ''
    for await (const chunk of request) body += chunk
    const { id, method } = JSON.parse(body)
    const session = searchParams.get('sessionId') ?? ''
    seen.push({ rpc: method, session })
    if (!known.has(session)) return void response.writeHead(status).end('Could not find session')
    response.writeHead(202).end('Accepted')
    if (id === undefined) return
    if (method === 'resources/subscribe') subscribed.add(session)
    const text = method === 'tools/call' ? String(++calls) : undefined
    say(session, { id, result: text ? { content: [{ type: 'text', text }] } : (RESULTS[method] ?? {}) })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
    seen,
    forget() {
      known.clear()
      subscribed.clear()
    },
    announce() {
      for (const session of subscribed)
        say(session, { method: 'notifications/resources/updated', params: { uri: 'x://thing' } })
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
