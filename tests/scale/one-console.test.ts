import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Server } from '@gantry/mcp/server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type AdminClient,
  type AdminEvent,
  createAdminClient,
  type Topic,
  type WireRecord,
} from '../../packages/gateway/src/admin/contract.ts'
import { serveHttp, type HttpTarget } from '../support/http-targets.ts'
import { legacyRequest, modernRequest, openSession } from '../support/raw-client.ts'
import { serveFrom } from '../support/source-process.ts'
import { startReplicas } from './replicas.ts'

const COUNTER = fileURLToPath(new URL('./fixtures/counter-server.mjs', import.meta.url))
const KEY = 'a key for operators, long enough for anybody'

interface Together {
  /** Where requests go, one after another, so that each process gets some. */
  readonly endpoints: readonly string[]
  /** Where the console may be opened. */
  readonly consoles: readonly string[]
  /** The ports between them, where they are known. */
  readonly hops: readonly number[]
  close(): Promise<void>
}

const CONFIG = {
  auth: { apiKeys: [{ name: 'ops', key: KEY, scopes: ['gantry:admin'] }] },
  telemetry: { logLevel: 'error' },
}

async function startWorkers(mcpServers: object): Promise<Together> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-one-console-'))
  const file = join(folder, 'gantry.json')
  const server = { workers: 2 }
  await writeFile(file, JSON.stringify({ ...CONFIG, mcpServers, server, stateDir: join(folder, 'state') }))
  const gateway = await serveFrom(file)
  return {
    endpoints: [gateway.url],
    consoles: [gateway.url],
    hops: [],
    async close() {
      await gateway.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startMachines(mcpServers: object): Promise<Together> {
  const replicas = await startReplicas(2, { ...CONFIG, mcpServers })
  const urls = replicas.all.map(({ url }) => url)
  return { endpoints: urls, consoles: urls, hops: replicas.ports, close: () => replicas.close() }
}

describe.each([
  ['two workers', startWorkers],
  ['two gateways', startMachines],
])('the console of %s', (_, start) => {
  let target: HttpTarget
  let together: Together
  let turn = 0
  beforeAll(async () => {
    const tools = {
      hello: { run: () => 'hello' },
      fail: {
        run: () => {
          throw new Error('broken')
        },
      },
    }
    target = await serveHttp(new Server({ name: 'words', version: '1.0.0', tools }))
    together = await start({
      words: { url: target.url },
      counter: { command: process.execPath, args: [COUNTER], env: { REVISIONS: '2025-11-25' } },
    })
    // A worker that does not serve yet is not asked.
    const asTwo = async (): Promise<void> => {
      for (const api of apis()) expect((await overview(api)).gateway.processes).toBe(2)
    }
    await vi.waitFor(asTwo, { timeout: 60_000 })
  })
  afterAll(async () => {
    await together?.close()
    await target?.close()
  })

  const headers = { authorization: `Bearer ${KEY}`, connection: 'close' }
  const apis = (): AdminClient[] => together.consoles.map((url) => createAdminClient({ url, token: KEY }))
  const overview = (api: AdminClient) => api.call('overview', {})
  const endpoint = (): string => `${together.endpoints[turn++ % together.endpoints.length]}/mcp`
  const call = (name: string) => modernRequest(endpoint(), 'tools/call', { name, arguments: {} }, { headers })
  const names = (records: readonly WireRecord[]): string[] => records.map(({ name }) => name ?? '').sort()

  it('lists the exchanges of all, with their messages, page by page', async () => {
    for (let at = 0; at < 8; at++) await call('words_hello')
    for (let at = 0; at < 2; at++) await call('words_fail')
    for (const api of apis()) {
      const { records, kept } = await api.call('wire', { query: { filter: 'method:tools/call' } })
      expect(names(records)).toEqual([...Array(2).fill('words_fail'), ...Array(8).fill('words_hello')])
      expect(kept).toBeGreaterThanOrEqual(10)
      expect(records.map(({ at }) => at)).toEqual(records.map(({ at }) => at).sort((a, b) => b - a))
      expect(new Set(records.map(({ id }) => Math.floor(id / 1e10))).size).toBe(2)
      const paged: WireRecord[] = []
      let before: number | undefined
      do {
        const query = { filter: 'method:tools/call', limit: 3, ...(before !== undefined && { before }) }
        const page = await api.call('wire', { query })
        paged.push(...page.records)
        before = page.next
      } while (before !== undefined)
      expect(paged).toEqual(records)
      for (const failed of records.filter(({ name }) => name === 'words_fail')) {
        const { hops } = await api.call('wireDetail', { params: { id: failed.id } })
        expect(hops.length).toBeGreaterThan(1)
      }
      const exported = await (
        await api.request('wireExport', { query: { filter: 'name:words_fail' } })
      ).text()
      expect(exported.trim().split('\n')).toHaveLength(2)
    }
  })

  it('counts the calls, failures and clients of all', async () => {
    const [api] = apis() as [AdminClient]
    const before = await overview(api)
    for (let at = 0; at < 6; at++) await call('words_hello')
    for (const each of apis()) {
      const { total, targets } = await overview(each)
      expect(total.calls - before.total.calls).toBeGreaterThanOrEqual(6)
      expect(targets.find(({ name }) => name === 'words')!.stats.calls).toBe(total.calls)
      const { buckets } = await each.call('load', { query: { range: '1h' } })
      expect(buckets.reduce((sum, { calls }) => sum + calls, 0)).toBe(total.calls)
    }
    const { clients } = await api.call('clients', {})
    const modern = clients.filter(({ era }) => era === 'modern')
    expect(modern).toHaveLength(1)
    expect(modern[0]!.requests).toBe((await overview(api)).total.calls)
    const { callers } = await api.call('access', {})
    expect(callers.find(({ as }) => as === 'key:ops')!.requests).toBe(modern[0]!.requests)
  })

  it('shows the program, wherever it runs, and stops it there', async () => {
    await call('counter_count')
    for (const api of apis()) {
      const card = await api.call('target', { params: { name: 'counter' } })
      expect(card).toMatchObject({ transport: 'stdio', state: 'ready', usage: { processes: 1 } })
    }
    const [api] = apis() as [AdminClient]
    await api.call('targetAction', { params: { name: 'counter' }, body: { action: 'stop' } })
    for (let at = 0; at < 4; at++) {
      expect((await call('counter_count')).text).toContain('counter')
      const { targets } = await api.call('targets', {})
      expect(targets.find(({ name }) => name === 'counter')!.state).toBe('stopped')
    }
    await api.call('targetAction', { params: { name: 'counter' }, body: { action: 'start' } })
    await expect.poll(async () => (await call('counter_count')).message?.result?.content?.[0]?.text).toBe('1')
  })

  it('shows who is in the middle of a call, and what calls wait for, and ends both', async () => {
    const session = await openSession(endpoint(), { elicitation: { form: {} } }, headers)
    const params = { name: 'counter_greet', arguments: {} }
    const asked = legacyRequest(endpoint(), 'tools/call', params, { session, headers }).catch(
      (error: unknown) => error,
    )
    for (const api of apis()) {
      await expect
        .poll(async () => (await api.call('waiting', {})).calls.map(({ name }) => name))
        .toEqual(['counter_greet'])
      const { clients } = await api.call('clients', {})
      expect(clients.flatMap(({ inFlight }) => inFlight.map(({ name }) => name))).toEqual(['counter_greet'])
    }
    const api = apis().at(-1)!
    const { calls } = await api.call('waiting', {})
    await api.call('cancelExchange', { params: { id: calls[0]!.id } })
    await asked
    await expect.poll(async () => (await api.call('waiting', {})).calls).toEqual([])
    const { clients } = await api.call('clients', {})
    const row = clients.find(({ kind }) => kind === 'session')!
    await api.call('disconnectClient', { params: { id: row.id } })
    expect((await legacyRequest(endpoint(), 'ping', {}, { session, headers })).status).toBe(404)
  })

  it('tells of the exchanges and figures of all while it is open', async () => {
    const [api] = apis() as [AdminClient]
    const closed = new AbortController()
    const topics: Topic[] = ['wire', 'stats', 'targets']
    const events: AdminEvent[] = []
    const open = async (): Promise<void> => {
      const query = { topics: topics.join(',') }
      for await (const { event } of api.stream('events', { query }, { signal: closed.signal }))
        events.push(event)
    }
    const reading = open().catch(() => {})
    await expect.poll(() => events.map(({ type }) => type)).toContain('hello')
    const seen = (): Set<number> =>
      new Set(
        events
          .flatMap((event) => (event.type === 'wire' ? event.records : []))
          .map(({ id }) => Math.floor(id / 1e10)),
      )
    const callAndLook = async (): Promise<number> => {
      await call('words_hello')
      return seen().size
    }
    await expect.poll(callAndLook).toBe(2)
    const told = () => events.flatMap((event) => (event.type === 'stats' ? [event.total.calls] : []))
    await expect.poll(async () => told().at(-1) === (await overview(api)).total.calls).toBe(true)
    // Messages were kept everywhere while somebody looked.
    const { records } = await api.call('wire', { query: { filter: 'name:words_hello', limit: 2 } })
    for (const { id } of records) {
      const { hops } = await api.call('wireDetail', { params: { id } })
      expect(hops.length).toBeGreaterThan(0)
    }
    closed.abort()
    await reading
  })

  it('finds what was begun in the playground of another', async () => {
    const started = await apis()[0]!.call('startCall', {
      body: {
        method: 'tools/call',
        params: { name: 'words_hello', arguments: {} },
        client: { era: 'modern', capabilities: {} },
      },
    })
    for (const api of apis()) {
      await expect.poll(async () => (await api.call('playgroundCall', { params: started })).status).toBe('ok')
      const { calls } = await api.call('playgroundCalls', {})
      expect(calls.map(({ id }) => id)).toContain(started.id)
      const told: string[] = []
      for await (const { event } of api.stream('playgroundEvents', { params: started })) told.push(event.type)
      expect(told.length).toBeGreaterThan(0)
      await expect(api.call('playgroundCall', { params: { id: 'nobody' } })).rejects.toThrow('no such call')
    }
  })

  it('forgets the exchanges of all', async () => {
    const api = apis().at(-1)!
    await api.call('clearWire', {})
    for (const each of apis()) {
      const { records } = await each.call('wire', {})
      expect(records.filter(({ status }) => status !== 'running')).toEqual([])
    }
  })

  it('says nothing to those who bring no passport', async () => {
    for (const port of together.hops) {
      const body = JSON.stringify({ name: 'wire', caller: { principal: 'nobody', role: 'admin' } })
      for (const passport of ['', 'e30.AAAA']) {
        const asked = await fetch(`http://127.0.0.1:${port}/questions`, {
          method: 'POST',
          headers: { 'x-gantry-hop': passport },
          body,
        })
        expect(asked.status).toBe(401)
        expect(await asked.text()).toBe('')
      }
    }
  })
})
