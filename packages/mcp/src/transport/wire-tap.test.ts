import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Connector, WireTap } from '../exchange/index.ts'
import { Server } from '../server/index.ts'
import { http } from './http/client/http-client.ts'
import { sse } from './http/client/sse-client.ts'
import { toNodeHandler } from './http/server/node-handler.node.ts'
import { socket } from './stdio/socket-client.node.ts'
import { serveSocket } from './stdio/socket-server.node.ts'

const app = new Server({ name: 'app', version: '1.0.0' }).tool('go', {
  run: async (_, ctx) => {
    await ctx.progress(1, 2)
    return 'done'
  },
})

/** A server on each kind of wire, and how it is stopped. */
const OPENERS: Record<string, () => Promise<{ connector: Connector; stop: () => unknown }>> = {
  lines: async () => {
    const server = await serveSocket(app, { host: '127.0.0.1', port: 0 })
    const { port } = server.server.address() as AddressInfo
    return { connector: socket({ host: '127.0.0.1', port }), stop: () => server.close() }
  },
  http: () => overHttp(http),
  sse: () => overHttp(sse),
}

async function overHttp(connect: (url: string) => Connector) {
  const handler = toNodeHandler(app)
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = (): void => {
    handler.close()
    server.closeAllConnections()
    server.close()
  }
  return { connector: connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), stop }
}

class Looker implements WireTap {
  active = true
  readonly messages: [direction: string, what: unknown, origin: object | undefined][] = []

  seen(direction: 'in' | 'out', message: unknown, origin?: object): void {
    const { method, id } = message as { method?: string; id?: unknown }
    this.messages.push([direction, method ?? `answer ${id}`, origin])
  }
}

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
}

describe.each(Object.entries(OPENERS))('a tap on a wire of %s', (kind, open) => {
  it('sees every message while it is active, and else only those that belong to no request', async () => {
    const { connector, stop } = await open()
    const wire = await connector.open()
    try {
      const tap = new Looker()
      wire.tap = tap
      const heard: string[] = []
      wire.onMessage = ({ method }) => heard.push(method)
      await wire.request({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE })
      wire.setProtocolVersion?.('2025-06-18')
      await wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
      const call = { name: 'go', arguments: {}, _meta: { progressToken: 7 } }
      const origin = {}
      const options = { origin, onMessage: ({ method }: { method: string }) => heard.push(method) }
      await wire.request({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call }, options)
      // Only HTTP has a stream for each request, and so knows what a notification belongs to.
      const progressOrigin = kind === 'http' ? origin : undefined
      expect(tap.messages).toEqual([
        ['out', 'initialize', undefined],
        ['in', 'answer 1', undefined],
        ['out', 'notifications/initialized', undefined],
        ['out', 'tools/call', origin],
        ['in', 'notifications/progress', progressOrigin],
        ['in', 'answer 2', origin],
      ])
      expect(heard).toEqual(['notifications/progress'])
      tap.active = false
      tap.messages.length = 0
      await wire.request({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: call }, options)
      expect(heard).toHaveLength(2)
      expect(tap.messages).toEqual(kind === 'http' ? [] : [['in', 'notifications/progress', undefined]])
    } finally {
      await wire.close()
      await stop()
    }
  })
})
