import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { modernRequest } from '../support/raw-client.ts'
import { rawTarget } from '../support/raw-target.ts'
import { modelOf, testGateway, type TestGateway } from '../support/start-gateway.ts'

const MANY = fileURLToPath(new URL('../fixtures/many-tools-server.mjs', import.meta.url))
const GAPS = 'dev.gantry/gaps'

async function names(client: Client): Promise<string[]> {
  const found: string[] = []
  for await (const one of client.listTools()) found.push(one.name)
  return found
}

describe('50 targets of 20 tools, one dead and one hanging', () => {
  const DEADLINE = 4000
  let stateDir: string
  const mcpServers: Record<string, object> = {}
  for (let index = 0; index < 48; index++) {
    const args = [MANY, '20', `server-${index}`]
    mcpServers[`t${index}`] = { command: process.execPath, args, era: 'legacy' }
  }
  mcpServers.dead = { command: 'no-such-command-anywhere' }
  mcpServers.hanging = rawTarget({ initDelay: 120_000 }, { timeouts: { start: 60_000 } })

  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'gantry-many-'))
  })
  afterAll(() => rm(stateDir, { recursive: true, force: true }))

  it('answers within the deadline when cold, and names the two missing targets', async () => {
    const gateway = await testGateway({ mcpServers, stateDir, catalog: { deadline: DEADLINE } })
    const started = Date.now()
    const answer = await modernRequest(gateway.endpoint, 'tools/list')
    expect(Date.now() - started).toBeLessThan(DEADLINE + 20_000)
    const missing = (result: { _meta?: { [GAPS]?: { target: string }[] } }) =>
      (result._meta?.[GAPS] ?? []).map((gap) => gap.target)
    const { result } = answer.message
    expect(missing(result)).toEqual(expect.arrayContaining(['dead', 'hanging']))
    // On a slow machine some are still being started, four at a time.
    const list = async () => (await modernRequest(gateway.endpoint, 'tools/list')).message.result
    await expect.poll(async () => missing(await list()), { timeout: 40_000 }).toEqual(['dead', 'hanging'])
    const dead = (await list())._meta[GAPS].find((gap: { target: string }) => gap.target === 'dead')
    expect(dead.reason).toMatch(/could not be started.*gantry doctor dead/)
    await using client = await connect(gateway.endpoint, { era: 'legacy' })
    // The one that hangs has had its time: nobody waits for it again.
    const again = Date.now()
    const all = await names(client)
    expect(Date.now() - again).toBeLessThan(DEADLINE)
    expect(all).toHaveLength(48 * 20)
    expect(new Set(all).size).toBe(48 * 20)
    expect((await client.call('t7_tool_19')).text()).toBe('server-7 tool_19')
    await gateway.close()
  })

  it('answers at once after a restart, from what it knew', async () => {
    const gateway = await testGateway({ mcpServers, stateDir, catalog: { deadline: DEADLINE } })
    try {
      const started = Date.now()
      const answer = await modernRequest(gateway.endpoint, 'tools/list')
      expect(Date.now() - started).toBeLessThan(DEADLINE)
      const gaps = answer.message.result._meta[GAPS] as { target: string; state: string }[]
      expect(gaps.filter((gap) => gap.state === 'missing').map((gap) => gap.target)).toEqual([
        'dead',
        'hanging',
      ])
      expect(gaps.filter((gap) => gap.state === 'stale').length).toBeGreaterThan(0)
      await using client = await connect(gateway.endpoint, { era: 'modern' })
      expect(await names(client)).toHaveLength(48 * 20)
    } finally {
      await gateway.close()
    }
  })
})

describe('the catalog', () => {
  let gateway: TestGateway | undefined
  let client: Client | undefined
  afterEach(async () => {
    await client?.close()
    await gateway?.close()
  })

  it('lists again, and says so, when prefix or selection change', async () => {
    const config = (target: object): Record<string, unknown> => ({
      mcpServers: { raw: rawTarget({}, target) },
    })
    gateway = await testGateway(config({}))
    client = await connect(gateway.endpoint, { era: 'legacy' })
    let changes = 0
    client.on('toolsChanged', () => changes++)
    await client.listening()
    expect(await names(client)).toContain('raw_pid')
    const { pid } = gateway.gateway.target('raw')!.main.connection!.process!
    const apply = async (target: object): Promise<string[]> => {
      const before = changes
      const { stateDir } = gateway!
      await gateway!.gateway.apply(await modelOf({ ...config(target), stateDir }))
      await expect.poll(() => changes).toBeGreaterThan(before)
      return names(client!)
    }
    expect(await apply({ prefix: 'other' })).toContain('other_pid')
    expect(await apply({ prefix: false, tools: { include: ['pi*'] } })).toEqual(['pid'])
    expect(
      await apply({ prefix: 'x', tools: { include: ['pid', 'a*', 'e*'], rename: { pid: 'process' } } }),
    ).toEqual(['x_process', 'x_ask', 'x_echo'])
    expect(gateway.gateway.target('raw')!.main.connection!.process!.pid).toBe(pid)
  })

  it('keeps what a single target says about caching, and counts it down', async () => {
    const app = new Server({
      name: 'cached',
      tools: { one: tool({ run: () => 'x' }) },
      cache: { tools: { ttl: '1m', cacheScope: 'public' } },
    })
    gateway = await testGateway(
      { mcpServers: { app: { module: 'app' } } },
      { embedded: new Map([['app', app]]) },
    )
    const { result } = (await modernRequest(gateway.endpoint, 'tools/list')).message
    expect(result.cacheScope).toBe('public')
    expect(result.ttlMs).toBeLessThanOrEqual(60_000)
    expect(result.ttlMs).toBeGreaterThan(50_000)
  })

  it('does not start a lazy target for its lists when they are known', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'gantry-lazy-'))
    const config = { mcpServers: { raw: rawTarget({}, { start: 'lazy' }) }, stateDir }
    gateway = await testGateway(config)
    const { tools } = (await modernRequest(gateway.endpoint, 'tools/list')).message.result
    expect(tools).toContainEqual(expect.objectContaining({ name: 'raw_pid' }))
    await gateway.close()
    gateway = await testGateway(config)
    const { result } = (await modernRequest(gateway.endpoint, 'tools/list')).message
    expect(result.tools).toEqual(tools)
    expect(result._meta[GAPS]).toMatchObject([{ target: 'raw', state: 'stale' }])
    expect(gateway.gateway.target('raw')?.state).toBe('idle')
    const call = await modernRequest(gateway.endpoint, 'tools/call', { name: 'raw_pid' })
    expect(call.message.result.content[0].text).toMatch(/^\d+$/)
    await expect
      .poll(async () => (await modernRequest(gateway!.endpoint, 'tools/list')).message.result._meta?.[GAPS])
      .toBeUndefined()
    await rm(stateDir, { recursive: true, force: true })
  })

  it('promises older clients what comes later: they hear of a target that was not there when they connected', async () => {
    gateway = await testGateway({ mcpServers: {} })
    client = await connect(gateway.endpoint, { era: 'legacy' })
    let changes = 0
    client.on('toolsChanged', () => changes++)
    expect(await names(client)).toEqual([])
    await expect.poll(() => gateway!.gateway.endpoint()!.changes.size).toBe(1)
    const { stateDir } = gateway
    await gateway.gateway.apply(await modelOf({ mcpServers: { raw: rawTarget({}) }, stateDir }))
    await expect.poll(() => changes).toBeGreaterThan(0)
    expect(await names(client)).toContain('raw_pid')
  })
})
