import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { sse } from '@gantry/mcp/client'
import type { ClientRow } from '../../packages/gateway/src/admin/contract.ts'
import { adminGateway, until, type AdminGateway } from '../support/admin-gateway.ts'

const CRASHING = fileURLToPath(new URL('../fixtures/crash-server.mjs', import.meta.url))
let gateway: AdminGateway

beforeAll(async () => {
  gateway = await adminGateway({ mcpServers: { crash: { command: process.execPath, args: [CRASHING] } } })
})
afterAll(() => gateway.close())

const rows = async (): Promise<readonly ClientRow[]> => (await gateway.api.call('clients', {})).clients
const find = (name: string): Promise<ClientRow> =>
  until(async () => (await rows()).find(({ info }) => info?.name === name), name)

describe('clients', () => {
  it('are listed with era, identity, capabilities and what they wait for', async () => {
    const endpoint = `${gateway.url}/mcp`
    await using legacy = await connect(endpoint, {
      name: 'legacy one',
      version: '2',
      era: 'legacy',
      roots: [],
    })
    await using modern = await connect(endpoint, { name: 'modern one', version: '3', era: 'modern' })
    await using old = await connect(sse(`${gateway.url}/sse`), { name: 'sse one', version: '1' })
    for (const client of [legacy, modern, old]) await client.call('crash_say', { text: 'hello' })

    expect(await find('legacy one')).toMatchObject({
      kind: 'session',
      era: 'legacy',
      revision: '2025-11-25',
      info: { version: '2' },
      capabilities: { roots: {} },
      canDisconnect: true,
    })
    expect((await rows()).every(({ connected }) => connected)).toBe(true)
    expect(await find('modern one')).toMatchObject({ kind: 'stateless', era: 'modern', canDisconnect: false })
    expect(await find('sse one')).toMatchObject({ kind: 'sse', era: 'legacy', canDisconnect: true })

    const waiting = modern.call('crash_hang').catch((error: Error) => error)
    const { inFlight } = await until(async () => {
      const row = await find('modern one')
      return row.inFlight.length > 0 && row
    })
    expect(inFlight[0]).toMatchObject({ method: 'tools/call', name: 'crash_hang', target: 'crash' })
    await gateway.api.call('cancelExchange', { params: { id: inFlight[0]!.id } })
    expect(String(await waiting)).toMatch(/cancelled at the gateway/)
    expect((await find('modern one')).inFlight).toEqual([])
    const over = gateway.api.call('cancelExchange', { params: { id: inFlight[0]!.id } })
    await expect(over).rejects.toMatchObject({ status: 410 })

    const gone = { params: { id: (await find('modern one')).id } }
    await expect(gateway.api.call('disconnectClient', gone)).rejects.toMatchObject({ status: 404 })
  })

  it('are away when their session has no connection and was not heard of for a minute', async () => {
    const client = await connect(`${gateway.url}/mcp`, { name: 'gone one', era: 'legacy' })
    expect(await find('gone one')).toMatchObject({ connected: true })
    const before = (await gateway.api.call('overview', {})).clients
    // As a client that is killed: it says no farewell.
    const kept = [...gateway.front.handlers.get('')!.service.sessions.all.values()].at(-1)!
    kept.lastSeen -= 120_000
    const known = gateway.gateway.exchanges.clients.get(kept.session.id)
    if (known) (known as { lastSeen: number }).lastSeen -= 120_000
    Object.defineProperty(kept, 'busy', { get: () => false })
    expect(await find('gone one')).toMatchObject({ connected: false, canDisconnect: true })
    expect((await gateway.api.call('overview', {})).clients).toBe(before - 1)
    Reflect.deleteProperty(kept, 'busy')
    await client.close()
  })

  it('are disconnected: a legacy client has to begin anew', async () => {
    await using client = await connect(`${gateway.url}/mcp`, {
      name: 'to be cut',
      version: '1',
      era: 'legacy',
    })
    await client.call('crash_say', { text: 'x' })
    const { id } = await find('to be cut')
    await gateway.api.call('disconnectClient', { params: { id } })
    expect((await rows()).map((row) => row.id)).not.toContain(id)
    // Our own client notices, and comes back with a session of its own making.
    await client.call('crash_say', { text: 'x' })
    expect((await rows()).map((row) => row.id)).not.toContain(id)
  })

  it('have names instead of session ids, which are as good as keys', async () => {
    await using client = await connect(`${gateway.url}/mcp`, { name: 'careful', version: '1', era: 'legacy' })
    await client.call('crash_say', { text: 'x' })
    const ids = [...gateway.front.handlers.values()].flatMap(({ service }) =>
      [...service.sessions.all.values()].map((session) => session.id),
    )
    expect(ids.length).toBeGreaterThan(0)
    const text = JSON.stringify([await rows(), (await gateway.api.call('wire', { query: {} })).records])
    for (const id of ids) expect(text).not.toContain(id)
  })
})
