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
