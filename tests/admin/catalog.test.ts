import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import type { CatalogEntry, EditEntry, EntryEdit } from '../../packages/gateway/src/admin/contract.ts'
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
      problem: { fix: expect.stringContaining('gantry why') },
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

  it('counts what known clients refuse, and says it in full for one entry', async () => {
    const long = (await entries()).find(({ target, own }) => target.startsWith('a-very') && own === 'say')!
    expect(long.findings).toBeGreaterThan(0)
    const { portability } = await gateway.api.call('catalogEntry', { query: { kind: 'tool', key: long.key } })
    expect(portability).toHaveLength(long.findings!)
    expect(portability[0]).toMatchObject({ code: 'name-long', where: 'name', clients: ['Cursor'] })
  })

  describe('an edit of an entry', () => {
    const plan = (edit: Partial<EditEntry>): Promise<EntryEdit> =>
      gateway.api.call('editEntry', { body: { kind: 'tool', target: 'demo', own: 'add_note', ...edit } })
    const save = async ({ text, revision }: EntryEdit): Promise<void> =>
      void (await gateway.api.call('saveConfig', { body: { text, revision } }))
    const linesOf = ({ check }: EntryEdit, type: 'added' | 'removed'): string =>
      check.diff
        .flatMap(({ lines }) => lines.filter((line) => line.type === type).map((line) => line.text.trim()))
        .join(' ')

    it('hides, renames and describes in the file, after a look at the difference', async () => {
      const renamed = await plan({ name: 'note_down', description: 'Writes a note' })
      expect(linesOf(renamed, 'added')).toContain('"add_note": "note_down"')
      expect(renamed.check).toMatchObject({ ok: true, effects: { changed: [{ name: 'demo' }] } })
      expect(await entry('demo', 'add_note')).toMatchObject({ key: 'demo_write' })
      await save(renamed)
      const shown = await until(async () => {
        const now = await entry('demo', 'add_note')
        return now.key === 'demo_note_down' && now
      })
      expect(shown).toMatchObject({ description: 'Writes a note', visible: true })
      await save(await plan({ enabled: false }))
      await until(async () => (await entry('demo', 'add_note')).hiddenBy === 'exclude')
      await save(await plan({ enabled: true, name: '', description: '' }))
      await until(async () => (await entry('demo', 'add_note')).key === 'demo_add_note')
      expect(await gateway.readConfig()).not.toContain('note_down')
    })

    it('shows what an include list leaves out, and leaves a pattern that hides more to people', async () => {
      const shown = await plan({ target: 'one', own: 'crash', enabled: true })
      expect(linesOf(shown, 'added')).toContain('crash')
      await expect(plan({ own: 'delete_note', enabled: true })).rejects.toMatchObject({
        status: 409,
        message: expect.stringContaining('delete_*'),
      })
      await expect(plan({ target: 'nobody', enabled: false })).rejects.toMatchObject({ status: 404 })
    })
  })
})
