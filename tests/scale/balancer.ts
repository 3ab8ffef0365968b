import { createServer, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Balancer {
  readonly url: string
  close(): Promise<void>
}

/** Sends every request to the next place, as a balancer does that binds nobody to any. Places that are gone are left out. */
export async function startBalancer(places: () => readonly string[]): Promise<Balancer> {
  let turn = 0
  const server = createServer((request, response) => {
    const all = places()
    const { hostname, port } = new URL(all[turn++ % all.length]!)
    const { method, url, rawHeaders } = request
    const passed = ask({ hostname, port, method, path: url, headers: rawHeaders, agent: false }, (answer) => {
      response.writeHead(answer.statusCode!, answer.rawHeaders)
      response.flushHeaders()
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    passed.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
    response.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
