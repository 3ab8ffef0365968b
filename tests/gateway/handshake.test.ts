import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { rawTarget, readRecord } from '../support/raw-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

let dir: string
let gateway: TestGateway | undefined

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-handshake-'))
})
afterEach(async () => {
  await gateway?.close()
  await rm(dir, { recursive: true, force: true })
})

const record = (name = 'raw'): string => join(dir, `${name}.jsonl`)
const methods = async (name?: string): Promise<(string | undefined)[]> =>
  (await readRecord(record(name))).map(({ message }) => message.method)

describe('the handshake with an upstream', () => {
  it('initialized follows the response and precedes every other request', async () => {
    gateway = await testGateway({ mcpServers: { raw: rawTarget({ record: record(), initDelay: 200 }) } })
    await using client = await connect(gateway.endpoint, { era: 'modern' })
    await client.call('raw_pid')
    const received = await methods()
    expect(received.slice(0, 2)).toEqual(['initialize', 'notifications/initialized'])
    expect(received.slice(2)).toContain('tools/call')
  })

  it('requests that come while it initialises wait, and none is lost', async () => {
    const target = rawTarget({ record: record(), initDelay: 400 }, { start: 'lazy' })
    gateway = await testGateway({ mcpServers: { raw: target } })
    const legacy = await connect(gateway.endpoint, { era: 'legacy' })
    const modern = await connect(gateway.endpoint, { era: 'modern' })
    const calls = [legacy, modern].flatMap((client) =>
      Array.from({ length: 10 }, () => client.call('raw_pid')),
    )
    const pids = new Set((await Promise.all(calls)).map((result) => result.text()))
    expect(pids.size).toBe(1)
    const received = await methods()
    expect(received.slice(0, 2)).toEqual(['initialize', 'notifications/initialized'])
    expect(received.filter((method) => method === 'tools/call')).toHaveLength(20)
    await Promise.all([legacy.close(), modern.close()])
  })

  it('it is initialised once for each connection, however many clients connect', async () => {
    gateway = await testGateway({ mcpServers: { raw: rawTarget({ record: record() }) } })
    for (const era of ['legacy', 'modern', 'legacy'] as const) {
      await using client = await connect(gateway.endpoint, { era })
      await client.call('raw_pid')
    }
    const received = await methods()
    expect(received.filter((method) => method === 'initialize')).toHaveLength(1)
    expect(received.filter((method) => method === 'notifications/initialized')).toHaveLength(1)
  })

  it('a connection that was lost is initialised again, in the same order', async () => {
    gateway = await testGateway({ mcpServers: { raw: rawTarget({ record: record() }) } })
    await using client = await connect(gateway.endpoint, { era: 'modern' })
    await expect(client.call('raw_die')).rejects.toMatchObject({ data: { target: 'raw' } })
    await client.call('raw_pid')
    const all = await readRecord(record())
    for (const pid of new Set(all.map((one) => one.pid))) {
      const own = all.filter((one) => one.pid === pid).map(({ message }) => message.method)
      expect(own.slice(0, 2)).toEqual(['initialize', 'notifications/initialized'])
    }
    expect(new Set(all.map((one) => one.pid)).size).toBe(2)
  })

  it('the log shows the four steps, and a failed handshake shows how far it got', async () => {
    const lines: string[] = []
    const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
    try {
      gateway = await testGateway(
        {
          mcpServers: {
            good: rawTarget({}),
            future: rawTarget({ version: '2099-01-01' }, { restart: { policy: 'on-demand' } }),
          },
        },
        { logLevel: 'info' },
      )
      await expect.poll(() => gateway?.gateway.target('good')?.state).toBe('ready')
      await expect.poll(() => gateway?.gateway.target('future')?.state).toBe('backing-off')
    } finally {
      write.mockRestore()
    }
    const steps = lines.flatMap((line) => /good: (\w+)/.exec(line)?.[1] ?? [])
    expect(steps).toEqual(['queued', 'spawn', 'initialize', 'response', 'initialized', 'ready'])
    const { main } = gateway!.gateway.target('future')!
    expect(main.handshake?.steps.at(-1)?.name).toBe('response')
    expect(main.reason).toMatch(/2099-01-01/)
  })
})
