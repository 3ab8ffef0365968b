import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { CAN_MEASURE, GatewayProcess } from '../support/gateway-process.ts'
import { rawTarget } from '../support/raw-target.ts'
import { modernRequest } from '../support/raw-client.ts'

const MB = 1024 * 1024
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The gateway, with everything that it can send going to one place. */
const startWith = (url: string): Promise<GatewayProcess> =>
  GatewayProcess.start({
    mcpServers: { raw: rawTarget({}) },
    audit: {
      http: { url: `${url}/audit`, headers: { authorization: 'Bearer pl4nted-for-auditors' } },
      otlp: { url: `${url}/v1/logs`, headers: { authorization: 'Bearer pl4nted-for-logs' } },
    },
    telemetry: {
      otlp: {
        endpoint: url,
        interval: '1s',
        headers: { authorization: 'Bearer pl4nted-for-traces' },
      },
    },
  })

const call = async (gateway: GatewayProcess): Promise<void> => {
  const { message } = await modernRequest(gateway.endpoint, 'tools/call', { name: 'raw_pid', arguments: {} })
  expect(message.result).toBeDefined()
}

async function stop({ child }: GatewayProcess): Promise<void> {
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number | null]
  expect(code).toBe(0)
}

it('follows no collector to another place', async () => {
  const reached: string[] = []
  const elsewhere = await serve((request, response) => {
    reached.push(`${request.url} ${JSON.stringify(request.headers)}`)
    response.end()
  })
  const asked = new Set<string>()
  const url = await serve((request, response) => {
    asked.add(request.url!)
    request.resume()
    response.writeHead(307, { location: `${elsewhere}${request.url}` }).end()
  })
  await using gateway = await startWith(url)
  await call(gateway)
  await expect
    .poll(() => [...asked].sort(), { timeout: 20_000 })
    .toEqual(['/audit', '/v1/logs', '/v1/metrics', '/v1/traces'])
  await call(gateway)
  await stop(gateway)
  expect(reached).toEqual([])
})

it.skipIf(!CAN_MEASURE)('reads only so much of what a collector answers', async () => {
  let sent = 0
  const url = await serve((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/x-protobuf' })
    const chunk = Buffer.alloc(MB)
    const more = (): void => {
      while (!response.destroyed) {
        sent += MB
        if (!response.write(chunk)) return
      }
    }
    response.on('drain', more)
    more()
  })
  await using gateway = await startWith(url)
  for (let at = 0; at < 20; at++) {
    await call(gateway)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  expect(sent).toBeGreaterThan(0)
  expect(sent).toBeLessThan(400 * MB)
  await stop(gateway)
})
