import { once } from 'node:events'
import { request } from 'node:http'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { startReceiver } from '../support/otel/receiver.mjs'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const BYTES = 8 * 1024 * 1024
const CALLS = 3
const BIG = fileURLToPath(new URL('../../bench/contestants/raw-stdio.mjs', import.meta.url))

let gateway: TestGateway | undefined
let receiver: Awaited<ReturnType<typeof startReceiver>> | undefined
afterEach(async () => {
  await gateway?.close()
  await receiver?.close()
})

/** Asks for the long result, and counts its bytes without looking at them. */
async function callBig(endpoint: string): Promise<number> {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'big',
      arguments: { bytes: BYTES },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'big',
  }
  const asked = request(endpoint, { method: 'POST', headers }).end(JSON.stringify(message))
  const [response] = await once(asked, 'response')
  expect(response.statusCode).toBe(200)
  let length = 0
  for await (const chunk of response) length += chunk.length
  return length
}

/** What calls allocate on the heap, also what was collected since: a text of the result would show. */
async function allocatedPerCall(telemetry: object): Promise<number> {
  gateway = await testGateway({
    mcpServers: { big: { command: process.execPath, args: [BIG, String(BYTES)], prefix: false } },
    ...telemetry,
  })
  expect(await callBig(gateway.endpoint)).toBeGreaterThan(BYTES)
  const session = new Session()
  session.connect()
  const collected = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true }
  await session.post('HeapProfiler.startSampling', { samplingInterval: 16 * 1024, ...collected })
  for (let call = 0; call < CALLS; call++) await callBig(gateway.endpoint)
  const { profile } = await session.post('HeapProfiler.stopSampling')
  session.disconnect()
  await gateway.close()
  gateway = undefined
  return sizeOf(profile.head) / CALLS
}

interface HeapNode {
  readonly selfSize: number
  readonly children: readonly HeapNode[]
}

function sizeOf({ selfSize, children }: HeapNode): number {
  return children.reduce((sum, child) => sum + sizeOf(child), selfSize)
}

it('makes no copy of a long result for traces, metrics, audit or the flight recorder', async () => {
  receiver = await startReceiver()
  const otlp = { endpoint: receiver.url, share: 1 }
  const off = await allocatedPerCall({ telemetry: { wire: { size: 0 } } })
  const on = await allocatedPerCall({ audit: {}, telemetry: { otlp } })
  const read = await allocatedPerCall({ telemetry: { otlp: { ...otlp, bodies: true } } })
  // One copy would be 8 MB. That it would be seen is shown by spans which hold the result.
  expect(on - off, `${off} bytes without, ${on} with it`).toBeLessThan(BYTES / 4)
  expect(read - off).toBeGreaterThan(BYTES / 2)
})
