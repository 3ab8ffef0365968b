import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { Client } from '../../../client/index.ts'
import { http } from '../../../entries/client.ts'
import { Server, tool } from '../../../server/index.ts'
import { LATEST_LEGACY, LATEST_MODERN } from '../../../protocol/index.ts'
import { toNodeHandler } from './node-handler.node.ts'

it.each([LATEST_LEGACY, LATEST_MODERN])(
  'close() answers a call that is under way with an error (%s)',
  async (protocolVersion) => {
    let started: () => void
    const running = new Promise<void>((resolve) => {
      started = resolve
    })
    const forever = tool({
      run: () => {
        started()
        return new Promise(() => {})
      },
    })
    const handler = toNodeHandler(new Server({ name: 's', tools: { forever } }))
    const server = createServer(handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
    const client = new Client({ connector: http(url), protocolVersion, reconnect: false })
    try {
      const call = client.call('forever', {}, { timeout: 60_000 })
      const refused = expect(call).rejects.toMatchObject({
        code: expect.any(Number),
        message: expect.stringMatching(/shutting down/),
      })
      await running
      handler.close()
      await refused
    } finally {
      await client.close()
      server.closeAllConnections()
      server.close()
    }
  },
)

it('drain() ends streams that only listen, with a hint to come back, and no call', async () => {
  let finish = (_: string): void => {}
  const slow = tool({ run: () => new Promise<string>((resolve) => (finish = resolve)) })
  const handler = toNodeHandler(new Server({ name: 's', tools: { slow } }))
  const server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const ask = (headers: object, message: object) =>
    fetch(url, { method: 'POST', headers: { ...types, ...headers }, body: JSON.stringify(message) })
  try {
    const opened = await ask({}, requestOf('initialize', INITIALIZE))
    const legacy = {
      'mcp-session-id': opened.headers.get('mcp-session-id')!,
      'mcp-protocol-version': LATEST_LEGACY,
    }
    await ask(legacy, { jsonrpc: '2.0', method: 'notifications/initialized' })
    const stream = await fetch(url, { headers: { ...legacy, accept: 'text/event-stream' } })
    const modern = { 'mcp-protocol-version': LATEST_MODERN, 'mcp-method': 'subscriptions/listen' }
    const listening = await ask(
      modern,
      requestOf('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: META }),
    )
    const call = ask(legacy, requestOf('tools/call', { name: 'slow', arguments: {} }))
    await expect.poll(() => handler.service.inFlight).toBe(1)
    handler.service.drain()
    expect(await stream.text()).toMatch(/retry: 1000\n\n$/)
    expect(await listening.text()).toContain('"result":{')
    expect(handler.service.inFlight).toBe(1)
    finish('done')
    expect(await (await call).text()).toContain('done')
  } finally {
    handler.close()
    server.closeAllConnections()
    server.close()
  }
})

const INITIALIZE = {
  protocolVersion: LATEST_LEGACY,
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
}
const META = {
  'io.modelcontextprotocol/protocolVersion': LATEST_MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

function requestOf(method: string, params: object): object {
  return { jsonrpc: '2.0', id: 1, method, params }
}
