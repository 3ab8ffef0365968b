import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import type { Target } from '../../packages/gateway/src/targets/target.ts'
import { modernRequest } from '../support/raw-client.ts'
import { isAlive, rawTarget } from '../support/raw-target.ts'
import { scriptedTarget } from '../support/scripted-target.ts'
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
    const states = new Set<string>()
    gateway!.gateway.observers.add({ targetChanged: () => states.add(target().state) })
    const before = Number((await to.call('raw_pid')).text())
    await to.call('raw_freeze')
    await expect.poll(() => isAlive(before)).toBe(false)
    expect(states).toContain('degraded')
    await expect.poll(() => target().state).toBe('ready')
    expect(Number((await to.call('raw_pid')).text())).not.toBe(before)
  })

  it('asks modern servers as well, and leaves those that answer alone', async () => {
    await start({ ...modern, health: { ...health, timeout: 2000 } })
    await expect.poll(() => target().state).toBe('ready')
    const { connection, starts } = target().main
    await expect(connection!.ping!(AbortSignal.timeout(2000))).resolves.toMatchObject({ type: 'complete' })
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(target().main.starts).toBe(starts)
    expect(target().state).toBe('ready')
  })

  it('does not give up a server that is busy with a call', async () => {
    const to = await start(rawTarget({}, { health, timeouts: { idle: 1500 } }))
    await to.call('raw_pid')
    const { pid } = target().main.connection!.process!
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
    await expect.poll(() => isAlive(before)).toBe(false)
    await expect.poll(() => target().state).toBe('idle')
    const after = Number((await to.call('raw_pid')).text())
    expect(after).not.toBe(before)
  })

  it('is not idle while a call is under way', async () => {
    const to = await start(rawTarget({}, { idleStop: 150 }))
    expect((await to.call('raw_slow')).text()).toMatch(/^\d+$/)
  })
})

describe('leases', () => {
  it('keep a connection that is listened on, however quiet it is', async () => {
    const entry = { ...modern, idleStop: 200 }
    const to = await start(entry)
    const updated: string[] = []
    to.on('resourceUpdated', ({ uri }) => updated.push(uri))
    await using subscription = await to.subscribe('raw+test://thing')
    await to.call('raw_touch')
    await expect.poll(() => updated.length).toBe(1)
    const { pid } = target().main.connection!.process!
    await new Promise((resolve) => setTimeout(resolve, 800))
    expect(isAlive(pid!)).toBe(true)
    await to.call('raw_touch')
    await expect.poll(() => updated.length).toBe(2)
    await subscription.close()
    await expect.poll(() => isAlive(pid!)).toBe(false)
  })

  it('keep the connection of a parked call until it is answered', async () => {
    await start(rawTarget({}, { idleStop: 200 }))
    const params = { name: 'raw_ask', arguments: {} }
    const { result } = (await modernRequest(gateway!.endpoint, 'tools/call', params)).message
    expect(result.resultType).toBe('input_required')
    const { pid } = target().main.connection!.process!
    await new Promise((resolve) => setTimeout(resolve, 800))
    const [key] = Object.keys(result.inputRequests)
    const inputResponses = { [key!]: { action: 'accept', content: { name: 'Ada' } } }
    const again = { ...params, inputResponses, requestState: result.requestState }
    const { message } = await modernRequest(gateway!.endpoint, 'tools/call', again)
    expect(message.result.content[0].text).toBe(`${pid} Ada`)
    await expect.poll(() => isAlive(pid!)).toBe(false)
  })
})

describe('starts', () => {
  it('are bounded: so many at a time, and the rest in turn', async () => {
    const servers = Object.fromEntries(
      Array.from({ length: 6 }, (_, index) => [`t${index}`, rawTarget({ initDelay: 150 })]),
    )
    gateway = await testGateway({ mcpServers: servers, server: { limits: { startingTargets: 2 } } })
    const isAtWork = ({ state, main }: Target): boolean =>
      state === 'starting' && main.handshake?.current?.name !== 'queued'
    const seen = new Set<number>()
    const look = (): unknown => seen.add(gateway!.gateway.targets.filter(isAtWork).length)
    gateway.gateway.observers.add({ targetChanged: look })
    await expect.poll(() => gateway!.gateway.targets.every(({ state }) => state === 'ready')).toBe(true)
    expect(Math.max(...seen)).toBe(2)
  })
})

describe('time', () => {
  it('is limited for a request in all, however much progress it reports', async () => {
    const web = await scriptedTarget({
      'tools/call': ({ params, response }) => {
        const { progressToken } = params._meta
        let progress = 0
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const timer = setInterval(() => {
          const message = {
            method: 'notifications/progress',
            params: { progressToken, progress: ++progress },
          }
          response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
        }, 50)
        response.on('close', () => clearInterval(timer))
        return undefined
      },
    })
    const to = await start({ url: web.url, timeouts: { idle: 500, request: 1500 } })
    const seen: number[] = []
    const began = Date.now()
    const call = to.call('raw_echo', {}, { onProgress: ({ progress }) => seen.push(progress) })
    await expect(call).rejects.toThrow(/did not answer within 1500 ms/)
    expect(Date.now() - began).toBeGreaterThan(1400)
    expect(seen.length).toBeGreaterThan(10)
    await web.close()
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
    await expect(to.call('raw_pid')).rejects.toThrow(/it is stopped/)
    await target().start()
    expect((await to.call('raw_pid')).text()).toMatch(/^\d+$/)
  })

  it('quarantines what keeps failing', async () => {
    await start({
      command: 'no-such-command-anywhere',
      restart: { minDelay: 10, maxDelay: 20, quarantineAfter: 3, quarantineFor: '1h' },
    })
    await expect.poll(() => target().state).toBe('quarantined')
    expect(target().main.failures).toBe(3)
  })
})

describe('a server that starts and dies', () => {
  const restart = { minDelay: 20, maxDelay: 40, quarantineAfter: 4, quarantineFor: '1h' }

  it('is not started for ever: it counts as failed until it has done something', async () => {
    await start(rawTarget({ exitAfter: 'tools/list' }, { restart }))
    await expect.poll(() => target().state).toBe('quarantined')
    expect(target().main.starts).toBe(4)
    await expect(client!.call('raw_pid')).rejects.toThrow(
      /Target "raw": it failed too often \(its process exited with code 1\); the next try is in \d+ s/,
    )
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
  expect(Date.now() - began).toBeLessThan(30_000)
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
    process.kill(target().main.connection!.process!.pid!, 'SIGKILL')
    // What changed while nobody listened is not known: the client is told to look.
    await expect.poll(() => updated.length).toBe(2)
    await to.call('raw_touch')
    await expect.poll(() => updated.length).toBe(3)
    expect(new Set(updated)).toEqual(new Set(['raw+test://thing']))
  })
})
