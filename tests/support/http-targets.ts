import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Server as McpServer } from '@gantry/mcp/server'
import { toNodeHandler } from '@gantry/mcp/server/node'

export interface HttpTarget {
  readonly url: string
  /** Headers of every request that came, newest last. */
  readonly seen: { method: string; rpc: string | undefined; headers: IncomingMessage['headers'] }[]
  /** Answers instead of the server while it is set; false leaves it to the server. */
  intercept: ((request: IncomingMessage, response: ServerResponse, body: string) => boolean) | undefined
  /** Forgets every session, as a server does that was restarted. */
  forgetSessions(): void
  readonly server: Server
  close(): Promise<void>
}

/** Serves an MCP server over HTTP with a hand on the wire. */
export async function serveHttp(app: McpServer, port = 0): Promise<HttpTarget> {
  let handler = toNodeHandler(app)
  const seen: HttpTarget['seen'] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const rpc = /"method"\s*:\s*"([^"]+)"/.exec(body)?.[1]
    seen.push({ method: request.method ?? '', rpc, headers: request.headers })
    if (target.intercept?.(request, response, body)) return
    Object.assign(request, { body: body === '' ? undefined : JSON.parse(body) })
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const target: HttpTarget = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    intercept: undefined,
    server,
    forgetSessions() {
      handler.close()
      handler = toNodeHandler(app)
    },
    async close() {
      handler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return target
}
