import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import type { CatalogEntry } from '../../packages/gateway/src/admin/contract.ts'
import { adminGateway, until, type AdminGateway } from '../support/admin-gateway.ts'

const CRASHING = fileURLToPath(new URL('../fixtures/crash-server.mjs', import.meta.url))
const crash = { command: process.execPath, args: [CRASHING] }
let gateway: AdminGateway

beforeAll(async () => {
  gateway = await adminGateway({
    mcpServers: {
      demo: {
        module: 'gantry:demo',
        tools: {
          exclude: ['delete_*'],
          rename: { add_note: 'write' },
          describe: { list_notes: 'All of them' },
        },
      },
      'a-very-long-name-for-a-target-that-nobody-would-type-by-hand': { ...crash, title: 'Long' },
      one: { ...crash, prefix: false, tools: { include: ['say', 'change'] } },
      two: { ...crash, prefix: false, tools: { include: ['say'] } },
      dead: { command: 'no-such-program' },
    },
    policy: { rules: [{ name: 'no counting', deny: ['tools:demo/count_down'] }] },
  })
  await gateway.api.call('catalog', { query: { refresh: true } })
})
afterAll(() => gateway.close())

const entries = async (): Promise<readonly CatalogEntry[]> => (await gateway.api.call('catalog', {})).entries
const entry = async (target: string, own: string): Promise<CatalogEntry> =>
  (await entries()).find((one) => one.target === target && one.own === own)!

describe('the catalog', () => {
  it('has everything that targets offer, also what clients do not see', async () => {
    expect(await entry('demo', 'add_note')).toMatchObject({ key: 'demo_write', renamed: true, visible: true })
    expect(await entry('demo', 'delete_note')).toMatchObject({ visible: false, hiddenBy: 'exclude' })
    expect(await entry('demo', 'count_down')).toMatchObject({ visible: false, hiddenBy: 'policy' })
    expect(await entry('demo', 'list_notes')).toMatchObject({ description: 'All of them' })
    expect(await entry('one', 'crash')).toMatchObject({ visible: false, hiddenBy: 'include' })
    expect(await entry('two', 'say')).toMatchObject({
      collidesWith: 'one',
      key: expect.stringMatching(/^say_\w{6}$/),
    })
    const long = (await entries()).filter(({ target }) => target.startsWith('a-very-long'))
    expect(long.every(({ key }) => key.length <= 64)).toBe(true)
    expect(long.some(({ shortened }) => shortened)).toBe(true)
    expect(await entry('demo', 'note:///welcome')).toMatchObject({
      kind: 'resource',
      key: 'demo+note:///welcome',
    })
  })

  it('says what each target costs, and who is missing', async () => {
    const { targets } = await gateway.api.call('catalog', {})
    const demo = targets.find(({ name }) => name === 'demo')!
    expect(demo.counts.tokens).toBeGreaterThan(100)
    expect(targets.find(({ name }) => name === 'dead')).toMatchObject({ gap: { state: 'missing' } })
  })

  it('gives one definition in full, as clients get it and as the target has it', async () => {
    const query = { kind: 'tool', key: 'demo_write' } as const
    const detail = await gateway.api.call('catalogEntry', { query })
    expect(detail.definition).toMatchObject({ name: 'demo_write', inputSchema: { type: 'object' } })
    expect(detail.ownDefinition).toMatchObject({ name: 'add_note' })
    const missing = gateway.api.call('catalogEntry', { query: { kind: 'tool', key: 'nope' } })
    await expect(missing).rejects.toMatchObject({
      status: 404,
      problem: { fix: expect.stringContaining('/api/why') },
    })
  })

  it('passes hostile descriptions through as the data that they are', async () => {
    const { description } = await entry('one', 'change')
    expect(description).toBe('<img src=x onerror=alert(1)> "quoted" </script>')
  })

  it('tells what became different, readably', async () => {
    const before = await gateway.api.call('catalogChanges', { query: {} })
    await using client = await connect(`${gateway.url}/mcp`, { name: 'test', version: '1' })
    await client.call('change')
    const { changes } = await until(async () => {
      const now = await gateway.api.call('catalogChanges', { query: { since: before.newest, target: 'one' } })
      return now.changes.length >= 2 && now
    })
    const changed = Object.fromEntries(changes.map((change) => [change.own, change]))
    expect(changed.crash!.parts).toMatchObject([{ member: 'description' }])
    expect(changed.crash!.parts[0]!.diff[0]!.lines.map(({ type, text }) => `${type} ${text}`)).toEqual([
      'removed Crashes',
      'added Crashes the whole server',
    ])
    expect(changed.change!.parts[0]).toMatchObject({
      member: 'inputSchema',
      summary: ['"limit" is new', '"path" became required'],
    })
    expect((await entry('one', 'change')).change).toMatchObject({ type: 'changed' })
    const { changes: own } = await gateway.api.call('catalogEntry', {
      query: { kind: 'tool', key: 'change' },
    })
    expect(own).toHaveLength(1)
  })
})
