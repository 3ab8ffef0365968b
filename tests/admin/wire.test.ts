import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import type { AdminEvent, WireDetail } from '../../packages/gateway/src/admin/contract.ts'
import { ASKING_SERVER } from '../support/start-gateway.ts'
import { adminGateway, until, type AdminGateway } from '../support/admin-gateway.ts'

let gateway: AdminGateway
let client: Client
const reading = new AbortController()
const events: Extract<AdminEvent, { type: 'wire' }>[] = []

beforeAll(async () => {
  gateway = await adminGateway({
    mcpServers: {
      demo: { module: 'gantry:demo' },
      old: { command: process.execPath, args: [ASKING_SERVER], env: { REVISIONS: '2025-11-25' } },
    },
    telemetry: { wire: { size: 50, bodyBytes: 2000 } },
  })
  client = await connect(`${gateway.url}/mcp`, { name: '<b>tester</b>', version: '1', era: 'modern' })
})
afterAll(async () => {
  reading.abort()
  await client.close()
  await gateway.close()
})

const list = async (filter: string) => (await gateway.api.call('wire', { query: { filter } })).records

async function look(): Promise<void> {
  const stream = gateway.api.stream('events', { query: { topics: 'wire' } }, { signal: reading.signal })
  try {
    for await (const { event } of stream) if (event.type === 'wire') events.push(event)
  } catch {
    // The test is over.
  }
}

describe('the exchange log', () => {
  it('keeps exchanges without messages while nobody looks', async () => {
    await client.call('demo_list_notes')
    const [record] = await list('tool:list_notes')
    expect(record).toMatchObject({
      method: 'tools/call',
      name: 'demo_list_notes',
      target: 'demo',
      status: 'ok',
      messages: 0,
      client: { name: '<b>tester</b>', revision: '2026-07-28' },
    })
    const replay = gateway.api.call('replayExchange', { params: { id: record!.id }, body: {} })
    await expect(replay).rejects.toMatchObject({
      status: 410,
      problem: { fix: expect.stringContaining('page is open') },
    })
  })

  it('tells of exchanges as they happen, with messages of both hops', async () => {
    void look()
    await until(() => gateway.gateway.exchanges.watched)
    await client.call('old_touch', { password: 'hunter2-hunter2', note: 'x' })
    const seen = await until(() =>
      events
        .flatMap(({ records }) => records)
        .find(({ name, status }) => name === 'old_touch' && status === 'ok'),
    )
    const detail: WireDetail = await gateway.api.call('wireDetail', { params: { id: seen.id } })
    expect(detail.hops.map(({ hop, direction, type }) => `${hop} ${direction} ${type}`)).toEqual(
      expect.arrayContaining([
        'client in request',
        'target out request',
        'target in response',
        'client out response',
      ]),
    )
    expect(detail.hops.every(({ offset, bytes }) => offset >= 0 && bytes > 0)).toBe(true)
    expect(JSON.stringify(detail)).not.toContain('hunter2')
    expect(detail.hops[0]!.message).toMatchObject({
      params: { arguments: { password: '[redacted]', note: 'x' } },
    })
  })

  it('cuts long messages', async () => {
    await client.call('old_touch', { long: 'y'.repeat(5000) })
    const [record] = await list('tool:touch')
    const { hops } = await gateway.api.call('wireDetail', { params: { id: record!.id } })
    expect(hops[0]).toMatchObject({ truncated: true, type: 'request', method: 'tools/call' })
    expect(hops[0]!.bytes).toBeGreaterThan(5000)
    const { length } = String(hops[0]!.message)
    expect(length).toBeGreaterThan(500)
    expect(length).toBeLessThanOrEqual(2000)
  })

  it('filters', async () => {
    await client.call('demo_delete_note', { id: 'none' })
    expect(new Set((await list('status:tool-error')).map(({ name }) => name))).toEqual(
      new Set(['demo_delete_note']),
    )
    expect(await list('target:nowhere')).toEqual([])
    expect((await list('-method:tools/call')).every(({ method }) => method !== 'tools/call')).toBe(true)
  })

  it('gives older ones page by page, without a gap', async () => {
    const { api } = gateway
    const all = (await api.call('wire', { query: { limit: 1000 } })).records.map(({ id }) => id)
    const paged: number[] = []
    let before: number | undefined
    do {
      const page = await api.call('wire', { query: { limit: 2, ...(before !== undefined && { before }) } })
      paged.push(...page.records.map(({ id }) => id))
      before = page.next
    } while (before !== undefined)
    expect(paged).toEqual(all)
  })

  it('exports JSON lines, oldest first, without secrets', async () => {
    const response = await gateway.fetch('/api/wire/export?filter=tool:touch')
    expect(response.headers.get('content-disposition')).toContain('attachment')
    const lines = (await response.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as WireDetail)
    expect(lines.length).toBe(2)
    expect(lines.map(({ id }) => id)).toEqual(lines.map(({ id }) => id).sort((a, b) => a - b))
    expect(JSON.stringify(lines)).not.toContain('hunter2')
  })

  it('sends a request again, as it was or changed', async () => {
    const [record] = await list('tool:delete_note')
    const { id } = await gateway.api.call('replayExchange', { params: { id: record!.id }, body: {} })
    const again = await until(async () => {
      const call = await gateway.api.call('playgroundCall', { params: { id } })
      return call.status !== 'running' && call
    })
    expect(again).toMatchObject({
      status: 'tool-error',
      params: { name: 'demo_delete_note', arguments: { id: 'none' } },
    })
    const changed = await gateway.api.call('replayExchange', {
      params: { id: record!.id },
      body: { params: { name: 'demo_list_notes' } },
    })
    await until(
      async () => (await gateway.api.call('playgroundCall', { params: { id: changed.id } })).status === 'ok',
    )
  })

  it('keeps no more than it was told to, and forgets on request', async () => {
    for (let count = 0; count < 60; count++) await client.ping()
    const { records, capacity } = await gateway.api.call('wire', { query: { limit: 1000 } })
    expect(capacity).toBe(50)
    expect(records.length).toBeGreaterThanOrEqual(50)
    // Those before the last fifty are there for a reason.
    const others = records.slice(50)
    expect(others.filter(({ status, duration = 1_000 }) => status === 'ok' && duration < 100)).toEqual([])
    const kept = new Set(records.map(({ id }) => id))
    const lost = [...Array(records[0]!.id).keys()].find((id) => id > 0 && !kept.has(id))!
    const gone = gateway.api.call('wireDetail', { params: { id: lost } })
    await expect(gone).rejects.toMatchObject({ status: 404 })
    await gateway.api.call('clearWire', {})
    expect((await gateway.api.call('wire', { query: {} })).records.length).toBeLessThan(5)
  })

  it('stops keeping messages when the last reader is gone', async () => {
    reading.abort()
    await until(() => !gateway.gateway.exchanges.watched)
  })
})
