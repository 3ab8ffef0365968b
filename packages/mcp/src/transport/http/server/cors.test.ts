import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { Server, tool } from '../../../server/index.ts'
import { toFetchHandler } from './fetch-handler.ts'
import { toNodeHandler } from './node-handler.node.ts'

const PAGE = 'https://app.example'
const app = new Server({ name: 's', tools: { t: tool({ run: () => 'done' }) } })
const options = {
  allowedOrigins: [PAGE],
  guard: async ({ headers }: { headers: Record<string, string | undefined> }) =>
    headers.authorization === 'Bearer good'
      ? ({ ok: true, auth: { principal: { subject: 'a' }, scopes: [], claims: {} } } as never)
      : ({ ok: false, status: 401, headers: { 'www-authenticate': 'Bearer' } } as never),
}
const server = createServer(toNodeHandler(app, options)).listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => server.close())
const { port } = server.address() as AddressInfo
const handler = toFetchHandler(app, options)

/** The origin is a header that `fetch` sets by itself in browsers only. */
const send = {
  node: (init: RequestInit) => fetch(`http://127.0.0.1:${port}/mcp`, init),
  fetch: (init: RequestInit) => handler(new Request('http://localhost/mcp', init)),
}
const hello = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'page', version: '1' },
  },
})

describe.each(['node', 'fetch'] as const)('pages of other origins (%s)', (kind) => {
  const preflight = (origin: string) =>
    send[kind]({
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,mcp-param-city',
      },
    })

  it('may ask before they call, without credentials', async () => {
    const { status, headers } = await preflight(PAGE)
    expect(status).toBe(204)
    expect(Object.fromEntries(headers)).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'POST, GET, DELETE',
      'access-control-allow-headers': 'authorization,content-type,mcp-param-city',
      vary: 'origin',
    })
  })

  it('may read answers and refusals', async () => {
    for (const [authorization, status] of [
      ['Bearer good', 200],
      ['Bearer bad', 401],
    ] as const) {
      const response = await send[kind]({
        method: 'POST',
        headers: {
          origin: PAGE,
          authorization,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: hello,
      })
      expect(response.status).toBe(status)
      expect(response.headers.get('access-control-allow-origin')).toBe(PAGE)
      expect(response.headers.get('access-control-expose-headers')).toMatch(/mcp-session-id/)
      await response.text()
    }
  })

  it('may not when they are not listed', async () => {
    const { status, headers } = await preflight('https://evil.example')
    expect(status).toBe(403)
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })
})
