import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Params = any

/** One request as it came, and what it is answered with. */
export interface ScriptedCall {
  readonly id: number | string
  readonly method: string
  readonly params: Params
  readonly headers: IncomingHttpHeaders
  /** For answers that no result can express; such a script returns undefined. */
  readonly response: ServerResponse
}

type Answer = (call: ScriptedCall) => object | undefined | Promise<object | undefined>

export interface ScriptedTarget {
  readonly url: string
  readonly calls: ScriptedCall[]
  /** What each method is answered with; a result that is `{ error }` is an error. May be changed at any time. */
  readonly answers: Record<string, Answer>
  /** Writes a message to everybody who listens. */
  announce(method: string, params?: object): void
  close(): Promise<void>
}

const CAPABILITIES = { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } }

/** A modern server over HTTP that does what the test says, sensible or not: no SDK is in the way. */
export async function scriptedTarget(
  answers: Record<string, Answer> = {},
  port = 0,
): Promise<ScriptedTarget> {
  const listeners = new Map<ServerResponse, number | string>()
  const calls: ScriptedCall[] = []
  const script: Record<string, Answer> = {
    'server/discover': () => ({
      supportedVersions: ['2026-07-28'],
      capabilities: CAPABILITIES,
      ttlMs: 0,
      cacheScope: 'private',
    }),
    'tools/list': () => ({ tools: [namedTool('echo')] }),
    'prompts/list': () => ({ prompts: [] }),
    'resources/list': () => ({ resources: [] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'tools/call': ({ params }) => ({ content: [{ type: 'text', text: params.name }] }),
    'subscriptions/listen': ({ id, params, response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      listeners.set(response, id)
      response.on('close', () => listeners.delete(response))
      tell(response, id, 'notifications/subscriptions/acknowledged', { notifications: params.notifications })
      return undefined
    },
    ...answers,
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (body === '') return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse(body)
    if (id === undefined) return void response.writeHead(202).end()
    const call = { id, method, params, headers: request.headers, response }
    calls.push(call)
    const answer = script[method]
    const result = answer
      ? await answer(call)
      : { error: { code: -32601, message: `Method not found: ${method}` } }
    if (result !== undefined) response.writeHead(200, JSON_TYPE).end(messageOf(id, result))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    answers: script,
    announce(method, params) {
      for (const [response, id] of listeners) tell(response, id, method, params)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

export function namedTool(name: string, more: object = {}): object {
  return { name, inputSchema: { type: 'object' }, ...more }
}

/** The response to a request, as text. */
export function messageOf(id: number | string, result: object): string {
  const answer = 'error' in result ? result : { result: { resultType: 'complete', ...result } }
  return JSON.stringify({ jsonrpc: '2.0', id, ...answer })
}

function tell(response: ServerResponse, id: number | string, method: string, params: object = {}): void {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': String(id) }
  response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta } })}\n\n`)
}
