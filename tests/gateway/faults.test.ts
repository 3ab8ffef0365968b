import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { ASKING_SERVER, testGateway, type TestGateway } from '../support/start-gateway.ts'

const FAULTY = fileURLToPath(new URL('../fixtures/faulty-server.mjs', import.meta.url))
const faulty = (fault: string, more: object = {}): object => ({
  command: process.execPath,
  args: [FAULTY, fault],
  era: 'legacy',
  ...more,
})
const healthy = { command: process.execPath, args: [ASKING_SERVER] }

let gateway: TestGateway | undefined
let client: Client | undefined

afterEach(async () => {
  await client?.close()
  await gateway?.close()
})

async function start(mcpServers: object, catalog: object = {}): Promise<Client> {
  gateway = await testGateway({ mcpServers, catalog })
  client = await connect(gateway.endpoint, { name: 'fault-test', version: '1', era: 'modern' })
  return client
}

async function toolNames(of: Client): Promise<string[]> {
  const names: string[] = []
  for await (const tool of of.listTools()) names.push(tool.name)
  return names
}

describe('a target that cannot be used', () => {
  it('costs the others nothing, and the list says who is missing and why', async () => {
    const to = await start(
      {
        missing: { command: 'no-such-command-anywhere' },
        dead: faulty('exit-at-once'),
        hanging: faulty('never-lists'),
        good: healthy,
      },
      { deadline: 1500 },
    )
    const started = Date.now()
    expect(await toolNames(to)).toContain('good_greet')
    expect(Date.now() - started).toBeLessThan(30_000)
    const { merged } = gateway!.gateway.catalog
    const gaps = merged.gaps(merged.catalogs)
    expect(gaps.map((gap) => gap.target).sort()).toEqual(['dead', 'hanging', 'missing'])
    const reasonOf = (name: string) => gaps.find((gap) => gap.target === name)?.reason
    expect(reasonOf('missing')).toMatch(/could not be started/)
    expect(reasonOf('dead')).toMatch(/exited with code/)
    // The details are for operators.
    const { catalog } = gateway!.gateway
    const problemOf = (name: string) => catalog.of(gateway!.gateway.target(name)!)?.problem
    expect(problemOf('missing')).toMatch(/no-such-command-anywhere/)
    expect(problemOf('dead')).toMatch(/no configuration/)
  })

  it('gives up a handshake that is never answered', async () => {
    const to = await start({ mute: faulty('never-initializes', { timeouts: { start: 700 } }), good: healthy })
    await expect.poll(() => toolNames(to)).toContain('good_greet')
    await expect.poll(() => gateway!.gateway.target('mute')?.main.reason ?? '').toMatch(/700 ms/)
  })
})

describe('a target that fails in a call', () => {
  it('says that the call may have happened, and is back for the next one', async () => {
    const to = await start({ bad: faulty('none') })
    const before = (await to.call('bad_pid', {})).text()
    await expect(to.call('bad_die', {})).rejects.toMatchObject({
      message: expect.stringMatching(/Target "bad"[\s\S]*may have taken effect/),
      data: { target: 'bad', mayHaveHappened: true },
    })
    const after = (await to.call('bad_pid', {})).text()
    expect(after).not.toBe(before)
  })

  it('is asked once more when the tool only reads', async () => {
    const to = await start({ bad: faulty('none') })
    // It dies on the second try as well; what counts is that there was one.
    await expect(to.call('bad_die_reading', {})).rejects.toMatchObject({
      message: expect.not.stringContaining('check before you repeat it'),
      data: { mayHaveHappened: true },
    })
    expect(gateway!.gateway.target('bad')?.main.starts).toBe(2)
  })

  it('is cancelled when nothing is heard of it for too long', async () => {
    const to = await start({ bad: faulty('none', { timeouts: { idle: 600 } }) })
    await expect(to.call('bad_hang', {})).rejects.toMatchObject({
      message: expect.stringMatching(/Target "bad".*600 ms/),
    })
    expect((await to.call('bad_pid', {})).isError).toBeFalsy()
  })

  it('may write garbage between its answers', async () => {
    const to = await start({ bad: faulty('none') })
    expect((await to.call('bad_garbage', {})).isError).toBeFalsy()
  })
})

describe('a configuration that changes', () => {
  it('leaves untouched targets their process and tells clients what is new', async () => {
    const to = await start({ keep: faulty('none'), drop: healthy })
    const pid = (await to.call('keep_pid', {})).text()
    let changes = 0
    to.on('toolsChanged', () => changes++)
    const { gateway: core } = gateway!
    await expect.poll(() => core.endpoint()?.changes.size).toBe(1)
    expect(await toolNames(to)).toContain('drop_greet')
    const without = core.model.targets.filter((target) => target.name === 'keep')
    await core.apply({ ...core.model, targets: without })
    await expect.poll(() => changes).toBeGreaterThan(0)
    expect(await toolNames(to)).not.toContain('drop_greet')
    expect((await to.call('keep_pid', {})).text()).toBe(pid)
  })
})
