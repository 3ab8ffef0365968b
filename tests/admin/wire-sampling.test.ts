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
  await until(() => gateway.gateway.exchanges.watched)
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
  expect(gateway.gateway.exchanges.statsOf('demo').totals().calls).toBe(1)
})

it("keeps the messages of the playground's own calls, whatever the sample", async () => {
  const client = { era: 'modern' as const, capabilities: {}, name: 'at-the-playground' }
  const { id } = await gateway.api.call('startCall', {
    body: { method: 'tools/call', params: { name: 'demo_list_notes' }, client },
  })
  const done = await until(async () => {
    const call = await gateway.api.call('playgroundCall', { params: { id } })
    return call.status === 'ok' ? call : undefined
  }, 'The call')
  const record = done.records.at(-1)
  const { name, hops } = await gateway.api.call('wireDetail', { params: { id: record! } })
  expect(name).toBe('demo_list_notes')
  expect(hops.map(({ hop, direction }) => `${hop} ${direction}`)).toEqual(
    expect.arrayContaining(['client in', 'client out']),
  )
})
