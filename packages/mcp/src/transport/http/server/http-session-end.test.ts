import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { Server, tool } from '../../../server/index.ts'
import { toNodeHandler } from './node-handler.node.ts'

let server: HttpServer | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

it('ends the connections of calls that are under way when their session ends', async () => {
  let started = (): void => {}
  const running = new Promise<void>((resolve) => {
    started = resolve
  })
  const run = (): Promise<string> => {
    started()
    return new Promise(() => {})
  }
  const handler = toNodeHandler(new Server({ name: 'app', tools: { wait: tool({ run }) } }))
  server = createServer(handler)
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const post = (message: object, session?: string): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const opened = await post({ id: 1, method: 'initialize', params })
  const session = opened.headers.get('mcp-session-id')!
  const call = post({ id: 2, method: 'tools/call', params: { name: 'wait' } }, session)
  await running
  await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session } })
  expect(await (await call).text()).toBe('')
})
