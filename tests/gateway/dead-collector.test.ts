import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { CAN_MEASURE, GatewayProcess } from '../support/gateway-process.ts'
import { rawTarget } from '../support/raw-target.ts'
import { modernRequest } from '../support/raw-client.ts'

/** The gateway waits three seconds for its collector; the packages of OpenTelemetry themselves try for ten. */
const LONGEST = 8_000

const silent = createServer(() => {})
afterEach(() => {
  silent.close()
})

async function silentPort(): Promise<number> {
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  return (silent.address() as AddressInfo).port
}

it.skipIf(!CAN_MEASURE).each([
  ['is not there', freePort],
  ['never answers', silentPort],
])('a gateway ends in time when its collector %s', async (_what, findPort) => {
  const endpoint = `http://127.0.0.1:${await findPort()}`
  await using gateway = await GatewayProcess.start({
    mcpServers: { raw: rawTarget({}) },
    audit: { otlp: { url: `${endpoint}/v1/logs` } },
    telemetry: { otlp: { endpoint } },
  })
  const { message } = await modernRequest(gateway.endpoint, 'tools/call', { name: 'raw_pid', arguments: {} })
  expect(message.result).toBeDefined()
  const { child } = gateway
  const began = performance.now()
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number | null]
  expect(code).toBe(0)
  expect(performance.now() - began).toBeLessThan(LONGEST)
})
