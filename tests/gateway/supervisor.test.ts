import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { isAlive, rawTarget } from '../support/raw-target.ts'
import { ASKING_SERVER, testGateway, type TestGateway } from '../support/start-gateway.ts'

let gateway: TestGateway | undefined
let client: Client | undefined

afterEach(async () => {
  await client?.close()
  await gateway?.close()
})

async function start(target: object, era: 'legacy' | 'modern' = 'modern'): Promise<Client> {
  gateway = await testGateway({ mcpServers: { raw: target }, catalog: { deadline: 1000 } })
  client = await connect(gateway.endpoint, { era })
  return client
}

const target = () => gateway!.gateway.target('raw')!
const modern = { command: process.execPath, args: [ASKING_SERVER], env: { REVISIONS: '2026-07-28' } }

describe('health', () => {
  const health = { interval: 100, timeout: 200, failures: 2 }

  it('notices that a server no longer answers, degrades it, replaces it and recovers', async () => {
    const to = await start(rawTarget({}, { health, restart: { minDelay: 50 } }))
    const before = Number((await to.call('raw_pid')).text())
    const states = new Set<string>()
    gateway!.gateway.observers.add({ targetChanged: () => states.add(target().state) })
    await to.call('raw_freeze')
    await expect.poll(() => isAlive(before), { timeout: 8000 }).toBe(false)
    expect(states).toContain('degraded')
    await expect.poll(() => target().state).toBe('ready')
    expect(Number((await to.call('raw_pid')).text())).not.toBe(before)
  })

  it('asks modern servers as well, and leaves those that answer alone', async () => {
    await start({ ...modern, health: { ...health, timeout: 2000 } })
    await expect.poll(() => target().state).toBe('ready')
    const { link, starts } = target().main
    await expect(link!.ping!(AbortSignal.timeout(2000))).resolves.toMatchObject({ type: 'complete' })
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(target().main.starts).toBe(starts)
    expect(target().state).toBe('ready')
  })

  it('does not give up a server that is busy with a call', async () => {
    const to = await start(rawTarget({}, { health, timeouts: { idle: 1500 } }))
    await to.call('raw_pid')
    const { pid } = target().main.link!.process!
    const hanging = to.call('raw_hang').catch((error) => error)
    await to.call('raw_freeze')
    await expect.poll(() => target().state).toBe('degraded')
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(isAlive(pid!)).toBe(true)
    expect(String(await hanging)).toMatch(/1500 ms/)
  })
})

describe('idle-stop', () => {
  it('ends a connection that nobody uses and makes it again for the next call', async () => {
    const to = await start(rawTarget({}, { idleStop: 300 }))
    const before = Number((await to.call('raw_pid')).text())
    await expect.poll(() => isAlive(before), { timeout: 5000 }).toBe(false)
    await expect.poll(() => target().state).toBe('idle')
    const after = Number((await to.call('raw_pid')).text())
    expect(after).not.toBe(before)
  })

  it('is not idle while a call is under way', async () => {
    const to = await start(rawTarget({}, { idleStop: 150 }))
    expect((await to.call('raw_slow')).text()).toMatch(/^\d+$/)
  })
})

describe('restart policy', () => {
  it('always: is back by itself', async () => {
    const to = await start(rawTarget({}, { restart: { policy: 'always', minDelay: 50 } }))
    await to.call('raw_die').catch(() => {})
    await expect.poll(() => target().state).toBe('ready')
    expect(target().main.starts).toBe(2)
  })

  it('on-demand: waits for the next call', async () => {
    const to = await start(rawTarget({}, { restart: { policy: 'on-demand', minDelay: 50 } }))
    await to.call('raw_die').catch(() => {})
    await expect.poll(() => target().state).toBe('idle')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(target().main.starts).toBe(1)
    expect((await to.call('raw_pid')).text()).toMatch(/^\d+$/)
  })

  it('never: stays down, says so, and can be started by hand', async () => {
    const to = await start(rawTarget({}, { restart: { policy: 'never' } }))
    await to.call('raw_die').catch(() => {})
    await expect.poll(() => target().state).toBe('stopped')
    await expect(to.call('raw_pid')).rejects.toThrow(/never started again by itself/)
    await target().start()
    expect((await to.call('raw_pid')).text()).toMatch(/^\d+$/)
  })

  it('quarantines what keeps failing', async () => {
    await start({
      command: 'no-such-command-anywhere',
      restart: { minDelay: 10, maxDelay: 20, quarantineAfter: 3, quarantineFor: '1h' },
    })
    await expect.poll(() => target().state, { timeout: 5000 }).toBe('quarantined')
    expect(target().main.failures).toBe(3)
  })
})

describe('a server that starts and dies', () => {
  const restart = { minDelay: 20, maxDelay: 40, quarantineAfter: 4, quarantineFor: '1h' }

  it('is not started for ever: it counts as failed until it has done something', async () => {
    await start(rawTarget({ exitAfter: 'tools/list' }, { restart }))
    await expect.poll(() => target().state, { timeout: 8000 }).toBe('quarantined')
    expect(target().main.starts).toBe(4)
    await expect(client!.call('raw_pid')).rejects.toThrow(/Target "raw" is not available.*exited with code 1/)
  })

  it('only when one tool is called is kept for the other tools', async () => {
    const to = await start(rawTarget({}, { restart }))
    for (let attempt = 0; attempt < 8; attempt++) {
      await expect.poll(() => target().state).toBe('ready')
      await to.call('raw_die').catch(() => {})
    }
    await expect.poll(() => target().state).toBe('ready')
    expect((await to.call('raw_pid')).text()).toMatch(/^\d+$/)
    expect(target().main.failures).toBe(0)
  })
})

it('stops at once while a target hangs in its start', async () => {
  await start(rawTarget({ initDelay: 60_000 }))
  await expect.poll(() => target().state).toBe('starting')
  const began = Date.now()
  await gateway!.close()
  expect(Date.now() - began).toBeLessThan(6000)
})

describe.each(['legacy', 'modern'] as const)('a resource that a %s client follows', (era) => {
  it.each(['2025-11-25', '2026-07-28'])('is followed again when its %s server is back', async (revision) => {
    const env = { REVISIONS: revision }
    const entry = { command: process.execPath, args: [ASKING_SERVER], env, restart: { minDelay: 50 } }
    const to = await start(entry, era)
    const updated: string[] = []
    to.on('resourceUpdated', ({ uri }) => updated.push(uri))
    await using _subscription = await to.subscribe('raw+test://thing')
    await to.call('raw_touch')
    await expect.poll(() => updated.length).toBe(1)
    process.kill(target().main.link!.process!.pid!, 'SIGKILL')
    // What changed while nobody listened is not known: the client is told to look.
    await expect.poll(() => updated.length).toBe(2)
    await to.call('raw_touch')
    await expect.poll(() => updated.length).toBe(3)
    expect(new Set(updated)).toEqual(new Set(['raw+test://thing']))
  })
})
