import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Client, type ConnectOptions } from '@gantry/mcp/client'
import { isAlive, rawTarget } from '../support/raw-target.ts'
import { modelOf, testGateway, type TestGateway } from '../support/start-gateway.ts'

let gateway: TestGateway
let client: Client

afterEach(async () => {
  await client?.close()
  await gateway?.close()
})

async function start(target: object, options: ConnectOptions = { era: 'modern' }): Promise<void> {
  gateway = await testGateway({ mcpServers: { raw: target }, catalog: { deadline: 2000 } })
  client = await connect(gateway.endpoint, options)
  expect(await pid()).toBeGreaterThan(0)
}

async function edit(mcpServers: object): Promise<void> {
  const { stateDir } = gateway
  await gateway.gateway.apply(await modelOf({ mcpServers, stateDir, catalog: { deadline: 2000 } }))
}

/** A program that cannot run twice: it takes a port. */
function onlyOne(port: number, number: number): object {
  const { args } = rawTarget()
  const [file, options] = args as [string, string]
  const script = `const server = require('net').createServer().listen(${port}, '127.0.0.1').unref()
    server.on('error', () => process.exit(3)).on('listening', () => import(${JSON.stringify(file)}))`
  const restart = { minDelay: '1h', maxDelay: '1h' }
  return {
    ...rawTarget(),
    args: ['-e', script, '--', 'x', options],
    restart,
    env: { VERSION: String(number) },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

const pid = async (): Promise<number> => Number((await client.call('raw_pid')).text())
const target = () => gateway.gateway.target('raw')!
const version = (number: number): object => rawTarget({}, { env: { VERSION: String(number) } })

describe('a target whose entry is edited', () => {
  it('fails no call, however often that happens', async () => {
    await start(version(0))
    const pids = new Set<number>()
    const failures: unknown[] = []
    let isOver = false
    let calls = 0
    const work = async (): Promise<void> => {
      while (!isOver) {
        await pid().then(
          (one) => pids.add(one),
          (error) => failures.push(error),
        )
        calls++
      }
    }
    const workers = Array.from({ length: 8 }, work)
    for (let number = 1; number <= 5; number++) {
      const before = await pid()
      await edit({ raw: version(number) })
      await expect.poll(pid).not.toBe(before)
    }
    isOver = true
    await Promise.all(workers)
    expect(failures).toEqual([])
    expect(calls).toBeGreaterThan(50)
    expect(pids.size).toBe(6)
    // The processes of earlier settings are gone.
    const current = await pid()
    await expect.poll(() => [...pids].filter((one) => one !== current && isAlive(one))).toEqual([])
  })

  it('answers a call that was under way, and takes new ones meanwhile', async () => {
    await start(version(0))
    const before = await pid()
    const slow = client.call('raw_slow')
    await expect.poll(() => target().main.calls).toBe(1)
    await edit({ raw: version(1) })
    await expect.poll(pid).not.toBe(before)
    expect((await slow).text()).toBe(String(before))
    await expect.poll(() => isAlive(before)).toBe(false)
  })

  it('answers new calls by the connection that it has until the new one is there', async () => {
    await start(version(0))
    const before = await pid()
    await edit({ raw: rawTarget({ initDelay: 2000 }) })
    await expect.poll(() => target().instances.map(({ state }) => state)).toEqual(['ready', 'starting'])
    expect(await pid()).toBe(before)
    await expect.poll(pid).not.toBe(before)
  })

  it.each(
    (['legacy', 'modern'] as const).flatMap((era) =>
      ['auto', 'shared', 'user', 'session', 'call'].map((isolation) => [era, isolation] as const),
    ),
  )(
    'answers a call of a %s client that waits for its connection meanwhile (isolation: %s)',
    async (era, isolation) => {
      const slow = (number: number): object => ({
        ...rawTarget({ initDelay: 300 }),
        env: { VERSION: String(number) },
        ...(isolation !== 'auto' && { isolation }),
      })
      await start(slow(0), { era, elicit: () => ({ action: 'decline' }) })
      const isStarting = () => target().instances.some(({ state }) => state === 'starting')
      for (const round of [1, 2]) {
        await edit({ raw: slow(round * 2) })
        const waiting = pid()
        await expect.poll(isStarting).toBe(true)
        await edit({ raw: slow(round * 2 + 1) })
        expect(await waiting).toBeGreaterThan(0)
      }
    },
  )

  it('is what the new entry says, also when that does not work, and says since when', async () => {
    await start(version(0))
    const before = await pid()
    await edit({ raw: { command: 'no-such-command-anywhere' } })
    await expect.poll(() => isAlive(before)).toBe(false)
    await expect(client.call('raw_pid')).rejects.toThrow()
    await expect.poll(() => target().main.reason ?? '').toMatch(/since its configuration was changed/)
    await edit({ raw: version(2) })
    await expect.poll(() => pid().catch(() => 0)).toBeGreaterThan(0)
  })

  it('is tried again when the one before it has ended, which may have been in its way', async () => {
    const port = await freePort()
    const only = (number: number): object => onlyOne(port, number)
    await start(only(0))
    const before = await pid()
    await edit({ raw: only(1) })
    await expect.poll(() => pid().catch(() => before)).not.toBe(before)
  })

  it('that is switched off or removed ends its calls under way first', async () => {
    await start(version(0))
    for (const next of [{ raw: { ...version(0), enabled: false } }, {}]) {
      const before = await pid()
      const slow = client.call('raw_slow')
      await expect.poll(() => target().main.calls).toBe(1)
      await edit(next)
      expect((await slow).text()).toBe(String(before))
      await expect(client.call('raw_pid')).rejects.toThrow()
      await expect.poll(() => isAlive(before)).toBe(false)
      if (next.raw) {
        await edit({ raw: version(0) })
        await expect.poll(() => pid().catch(() => 0)).toBeGreaterThan(0)
      }
    }
  })
})
