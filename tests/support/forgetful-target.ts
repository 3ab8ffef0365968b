import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a server says that it does not know a session. */
export interface Refusal {
  readonly status: number
  readonly body: string
}

export interface ForgetfulTarget {
  readonly url: string
  /** What came, newest last: the HTTP method, the JSON-RPC method, the session. */
  readonly seen: {
    http: string
    rpc: string | undefined
    session: string | undefined
    /** Of `logging/setLevel`. */
    level: unknown
  }[]
  /** Forgets every session, as a restart does; streams break, unless a proxy keeps them. */
  forget(options?: { keepStreams?: boolean }): void
  /** Tells those who have subscribed. */
  announce(): void
  close(): Promise<void>
}

/** A legacy server over HTTP whose sessions can be lost, written by hand. */
export async function forgetfulTarget(refusal: Refusal): Promise<ForgetfulTarget> {
  let count = 0
  let calls = 0
  const sessions = new Set<string>()
  const subscribed = new Set<string>()
  const streams = new Map<string, ServerResponse>()
  const open = new Set<ServerResponse>()
  const asking = new Map<unknown, ServerResponse>()
  const seen: ForgetfulTarget['seen'] = []

  const answer = (response: ServerResponse, id: unknown, result: object, headers = {}): void => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }
  const say = (response: ServerResponse, message: object): void => {
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
  }
  const text = (value: unknown) => ({ content: [{ type: 'text', text: String(value) }] })

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { id, method, params, result } = body === '' ? ({} as never) : JSON.parse(body)
    const session = request.headers['mcp-session-id'] as string | undefined
    seen.push({ http: request.method ?? '', rpc: method, session, level: params?.level })
    if (method === 'server/discover') return void response.writeHead(400).end('Server not initialized')
    if (method === 'initialize') {
      const made = `session-${++count}`
      sessions.add(made)
      const { protocolVersion } = params
      const capabilities = { tools: {}, resources: { subscribe: true }, logging: {}, completions: {} }
      const facts = { protocolVersion, capabilities, serverInfo: { name: 'forgetful', version: '1' } }
      return answer(response, id, facts, { 'mcp-session-id': made })
    }
    if (session === undefined || !sessions.has(session)) {
      const type = refusal.body.startsWith('{') ? 'application/json' : 'text/plain'
      return void response.writeHead(refusal.status, { 'content-type': type }).end(refusal.body)
    }
    if (request.method === 'DELETE') return void response.writeHead(204).end()
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n')
      streams.set(session, response)
      open.add(response)
      return
    }
    if (id === undefined) return void response.writeHead(202).end()
    if (method === undefined) {
      response.writeHead(202).end()
      const waiting = asking.get(id)
      say(waiting!, { id: Number(id) - 1000, result: text(result?.content?.name) })
      return void waiting?.end()
    }
    if (method === 'tools/list') {
      const names = ['count', 'ask', 'bank']
      return answer(response, id, {
        tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })),
      })
    }
    if (method === 'resources/list') {
      return answer(response, id, { resources: [{ uri: 'x://thing', name: 'thing' }] })
    }
    if (method === 'resources/subscribe') subscribed.add(session)
    if (method === 'resources/read') return answer(response, id, { contents: [] })
    if (method === 'completion/complete') return answer(response, id, { completion: { values: [] } })
    if (method !== 'tools/call') return answer(response, id, {})
    if (params.name === 'count') return answer(response, id, text(++calls))
    // A session of another kind, of which it speaks as servers speak of theirs.
    if (params.name === 'bank') {
      calls++
      const error = { code: -32000, message: 'Session expired: log in at the bank' }
      response.writeHead(params.arguments.status, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    open.add(response)
    asking.set(id + 1000, response)
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
    say(response, {
      id: id + 1000,
      method: 'elicitation/create',
      params: { message: 'Who?', requestedSchema },
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    forget({ keepStreams = false } = {}) {
      sessions.clear()
      subscribed.clear()
      streams.clear()
      if (keepStreams) return
      for (const response of open) response.destroy()
      open.clear()
    },
    announce() {
      for (const [session, response] of streams) {
        if (!subscribed.has(session)) continue
        say(response, { method: 'notifications/resources/updated', params: { uri: 'x://thing' } })
      }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
