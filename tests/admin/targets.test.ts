import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import type { AdminEvent, TargetDetail } from '../../packages/gateway/src/admin/contract.ts'
import { ASKING_SERVER } from '../support/start-gateway.ts'
import { adminGateway, until, type AdminGateway } from '../support/admin-gateway.ts'

const CRASHING = fileURLToPath(new URL('../fixtures/crash-server.mjs', import.meta.url))
const BROKEN = fileURLToPath(new URL('../fixtures/broken-server.mjs', import.meta.url))
const node = (...args: string[]): object => ({ command: process.execPath, args })

let gateway: AdminGateway
const events: AdminEvent[] = []
const reading = new AbortController()

beforeAll(async () => {
  gateway = await adminGateway({
    mcpServers: {
      demo: { module: 'gantry:demo', title: 'Notes <script>alert(1)</script>' },
      old: { ...node(ASKING_SERVER), env: { REVISIONS: '2025-11-25' } },
      new: { ...node(ASKING_SERVER), env: { REVISIONS: '2026-07-28' } },
      crash: { ...node(CRASHING), restart: { minDelay: 50, maxDelay: 100 } },
      missing: { command: 'no-such-program', args: ['--token', 'very-secret-token-1'] },
      off: { command: 'x', enabled: false },
      unset: { command: 'x', env: { A: '${env:GANTRY_TEST_NOT_SET}' } },
      silent: {
        ...node(BROKEN, 'silent'),
        timeouts: { start: 300 },
        restart: { minDelay: 50, maxDelay: 100, quarantineAfter: 1000 },
      },
    },
  })
  void read()
  await until(async () => {
    const { targets } = await gateway.api.call('catalog', {})
    return targets.filter(({ fetchedAt }) => fetchedAt !== undefined).length === 4
  })
})
afterAll(async () => {
  reading.abort()
  await gateway.close()
})

async function read(): Promise<void> {
  try {
    for await (const { event } of gateway.api.stream('events', {}, { signal: reading.signal }))
      events.push(event)
  } catch {
    // The test is over.
  }
}

const detail = (name: string): Promise<TargetDetail> => gateway.api.call('target', { params: { name } })

describe('the log', () => {
  it('keeps what happened to a target, without its secrets, whatever is printed', async () => {
    const lines = await until(async () => {
      const found = (await gateway.api.call('log', { query: { target: 'missing' } })).lines
      return found.some(({ level }) => level !== 'info') && found
    })
    expect(lines.every(({ target }) => target === 'missing')).toBe(true)
    expect(JSON.stringify(lines)).toContain('no-such-program')
    expect(JSON.stringify(lines)).not.toContain('very-secret')
    const all = (await gateway.api.call('log', { query: {} })).lines
    expect(all.length).toBeGreaterThan(lines.length)
    expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).sort((a, b) => b - a))
    await until(() => events.some((event) => event.type === 'log'))
  })
})

describe('overview', () => {
  it('has a card for every target, with what is wrong and how to put it right', async () => {
    const { targets, endpoint, snippets, counts } = await gateway.api.call('overview', {})
    expect(targets.map(({ name, state }) => [name, state])).toEqual([
      ['demo', 'ready'],
      ['old', 'ready'],
      ['new', 'ready'],
      ['crash', 'ready'],
      ['missing', expect.stringMatching(/backing-off|quarantined|starting/)],
      ['off', 'disabled'],
      ['unset', 'disabled'],
      ['silent', expect.stringMatching(/backing-off|starting/)],
    ])
    const card = (name: string) => targets.find((target) => target.name === name)!
    expect(card('old')).toMatchObject({ era: 'legacy', revision: '2025-11-25', transport: 'stdio' })
    expect(card('new')).toMatchObject({ era: 'modern', revision: '2026-07-28' })
    expect(card('old').usage!.rss).toBeGreaterThan(1_000_000)
    expect(card('crash').usage!.processes).toBe(2)
    expect(card('demo')).toMatchObject({ transport: 'in process', title: 'Notes <script>alert(1)</script>' })
    expect(card('unset').problem).toMatchObject({ what: expect.stringContaining('GANTRY_TEST_NOT_SET') })
    expect(card('off').problem).toMatchObject({ code: 'disabled' })
    expect(counts.tools).toBeGreaterThan(15)
    expect(endpoint).toMatchObject({ mcp: `${gateway.url}/mcp`, auth: 'none' })
    expect(snippets.map(({ client }) => client)).toContain('claude-desktop')
    for (const { language, text } of snippets) if (language === 'json') JSON.parse(text)
  })
})

describe('a target', () => {
  it('shows the steps of a legacy handshake, with times and messages', async () => {
    const { instances } = await detail('old')
    const { steps } = instances[0]!
    expect(steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'spawn done',
      'probe done',
      'initialize done',
      'response done',
      'initialized done',
      'ready done',
      'list done',
    ])
    expect(steps[2]!.messages[0]).toMatchObject({ direction: 'out', message: { method: 'initialize' } })
    expect(steps[3]!.messages[0]).toMatchObject({
      direction: 'in',
      message: { result: { protocolVersion: '2025-11-25' } },
    })
    expect(steps[4]!.messages[0]).toMatchObject({ message: { method: 'notifications/initialized' } })
    for (const step of steps) expect(step.duration).toBeGreaterThanOrEqual(0)
  })

  it('has no handshake when it is modern', async () => {
    const { instances, capabilities } = await detail('new')
    const states = instances[0]!.steps.map(({ name, status }) => `${name} ${status}`)
    expect(states).toEqual([
      'spawn done',
      'probe done',
      'initialize skipped',
      'response skipped',
      'initialized skipped',
      'ready done',
      'list done',
    ])
    expect(capabilities).toHaveProperty('tools')
  })

  it('says how far it got, why it failed and what to do', async () => {
    const { problem, instances } = await detail('missing')
    expect(problem).toMatchObject({
      code: 'command_not_found',
      fix: expect.stringContaining('no-such-program'),
    })
    // On a busy machine it may have waited for the others, and says so.
    const [spawn, ...rest] = instances[0]!.steps.filter(({ name }) => name !== 'queued')
    expect(spawn).toMatchObject({ name: 'spawn', status: 'failed', problem: { code: 'command_not_found' } })
    expect(new Set(rest.map(({ status }) => status))).toEqual(new Set(['pending']))
  })

  it('that is started again still says what was wrong with it, until it runs', async () => {
    const again = await until(async () => {
      const silent = await detail('silent')
      return silent.state === 'starting' && silent.restarts > 0 && silent
    })
    expect(again.problem).toMatchObject({ what: expect.stringContaining('300 ms') })
  })

  it('keeps credentials on its command line to itself', async () => {
    const text = JSON.stringify([await detail('missing'), await gateway.api.call('overview', {})])
    expect(text).not.toContain('very-secret-token-1')
  })

  it('shows its process tree, parents before children', async () => {
    const { instances } = await detail('crash')
    const { pid, processes } = instances[0]!
    expect(processes.map(({ depth }) => depth)).toEqual([0, 1])
    expect(processes[0]!.pid).toBe(pid)
    expect(processes[1]!.ppid).toBe(pid)
  })

  it('shows stderr, and tells of new lines as they come', async () => {
    const before = (await gateway.api.call('stderr', { params: { name: 'crash' }, query: {} })).lines
    expect(before[0]!.text).toMatch(/^started with a child/)
    await using client = await connect(`${gateway.url}/mcp`, { name: 'test', version: '1' })
    await client.call('crash_say', { text: '<b>hello</b>' })
    await until(() =>
      events.some(
        (event) => event.type === 'stderr' && event.lines.some(({ text }) => text === '<b>hello</b>'),
      ),
    )
    const query = { after: before.at(-1)!.seq }
    const { lines } = await gateway.api.call('stderr', { params: { name: 'crash' }, query })
    expect(lines.map(({ text }) => text)).toEqual(['<b>hello</b>'])
  })

  it('is seen to crash and to come back', async () => {
    const pid = (await detail('crash')).instances[0]!.pid
    await using client = await connect(`${gateway.url}/mcp`, { name: 'test', version: '1' })
    await expect(client.call('crash_crash')).rejects.toThrow(/exited with code 7/)
    const after = await until(async () => {
      const now = await detail('crash')
      return now.state === 'ready' && now.instances[0]!.pid !== pid && now
    })
    expect(after.restarts).toBeGreaterThan(0)
    expect(after.stderr.map(({ text }) => text)).toContain('Error: out of luck')
    const states = events.flatMap((event) =>
      event.type === 'target' && event.target.name === 'crash' ? [event.target.state] : [],
    )
    expect(states).toContain('ready')
    expect(events.some((event) => event.type === 'target-steps' && event.name === 'crash')).toBe(true)
  })
})

describe('actions', () => {
  const act = (name: string, action: 'start' | 'stop' | 'restart' | 'refresh') =>
    gateway.api.call('targetAction', { params: { name }, body: { action } })

  it('stop a target until it is started again', async () => {
    await using client = await connect(`${gateway.url}/mcp`, { name: 'test', version: '1' })
    const stopped = await act('crash', 'stop')
    expect(stopped).toMatchObject({ state: 'stopped', connections: 0, problem: { code: 'stopped' } })
    await expect(client.call('crash_say', { text: 'x' })).rejects.toThrow(/it is stopped/)
    const started = await act('crash', 'start')
    expect(started).toMatchObject({ state: 'ready', connections: 1 })
    expect((await client.call('crash_say', { text: 'x' })).text()).toBe('done')
  })

  it('restart a target in a new process', async () => {
    const before = await detail('crash')
    const { restarts } = await act('crash', 'restart')
    const after = await detail('crash')
    expect(after.instances[0]!.pid).not.toBe(before.instances[0]!.pid)
    expect(restarts).toBe(before.restarts + 1)
  })

  it('report a start that fails as the state that it leads to', async () => {
    expect((await act('missing', 'start')).problem).toMatchObject({ code: 'command_not_found' })
  })

  it('are refused for a target that is off', async () => {
    await expect(act('off', 'start')).rejects.toMatchObject({ status: 409 })
  })
})

describe('events', () => {
  it('go on where a reader stopped, and begin anew after a restart', async () => {
    const controller = new AbortController()
    const seen: { id: string | undefined; event: AdminEvent }[] = []
    const stop = async (): Promise<void> => {
      for await (const item of gateway.api.stream(
        'events',
        { query: { topics: 'targets' } },
        { signal: controller.signal },
      )) {
        seen.push(item)
        if (item.event.type === 'target') return
      }
    }
    const first = stop()
    await gateway.api.call('targetAction', { params: { name: 'crash' }, body: { action: 'restart' } })
    await first
    const lastEventId = seen.at(-1)!.id
    await gateway.api.call('targetAction', { params: { name: 'crash' }, body: { action: 'restart' } })
    await until(() => events.filter(({ type }) => type === 'target-steps').length > 1)
    for await (const { event } of gateway.api.stream(
      'events',
      { query: { topics: 'targets' } },
      { lastEventId },
    )) {
      if (event.type === 'hello') continue
      expect(event.type).not.toBe('reset')
      expect(['target', 'target-steps']).toContain(event.type)
      break
    }
    const types: string[] = []
    for await (const { event } of gateway.api.stream('events', {}, { lastEventId: 'earlier-1' })) {
      types.push(event.type)
      if (types.length === 2) break
    }
    expect(types).toEqual(['hello', 'reset'])
  })
})
