import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Connector } from '../../exchange/index.ts'
import type { Server } from '../../server/index.ts'
import { http } from '../../transport/http/client/http-client.ts'
import { serveSocket, toNodeHandler, type NodeHandlerOptions } from '../../entries/server.node.ts'
import { socket } from '../../transport/stdio/socket-client.node.ts'

/** Serves over HTTP until the test is over. */
export async function overHttp(app: Server, options: NodeHandlerOptions = {}): Promise<Connector> {
  const handler = toNodeHandler(app, options)
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    handler.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return http(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
}

/** The same with the framing of stdio. */
export async function overSocket(app: Server): Promise<Connector> {
  const served = await serveSocket(app, { port: 0 })
  onTestFinished(() => served.close())
  return socket({ host: '127.0.0.1', port: (served.server.address() as AddressInfo).port })
}
