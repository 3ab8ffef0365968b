import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { adminGateway, until, type AdminGateway } from '../support/admin-gateway.ts'

let gateway: AdminGateway
const reading = new AbortController()

beforeAll(async () => {
  gateway = await adminGateway({
    mcpServers: { demo: { module: 'gantry:demo' } },
    telemetry: { sampling: 0 },
  })
  const stream = gateway.api.stream('events', { query: { topics: 'wire' } }, { signal: reading.signal })
  void (async () => {
    for await (const _event of stream);
  })().catch(() => {})
  await until(() => gateway.gateway.view.watched)
})
afterAll(async () => {
  reading.abort()
  await gateway.close()
})

it('lists and counts what is not of the sample, without its messages', async () => {
  await using client = await connect(`${gateway.url}/mcp`, { name: 'test', version: '1', era: 'modern' })
  await client.call('demo_list_notes')
  const { records } = await gateway.api.call('wire', { query: { filter: 'tool:list_notes' } })
  expect(records).toMatchObject([{ name: 'demo_list_notes', target: 'demo', status: 'ok', messages: 0 }])
  expect(gateway.gateway.view.statsOf('demo').totals().calls).toBe(1)
})
