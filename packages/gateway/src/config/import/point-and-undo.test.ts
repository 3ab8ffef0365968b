import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeStateFile, writeStateFile } from '../state-file.ts'
import { stateDirFor } from '../user-places.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { createHousehold, type Household } from './household.test.support.ts'
import { applyChanges, undoLatest } from './import-journal.ts'
import type { ImportOptions, ImportPlan } from './import-plan.ts'
import { planImport } from './plan-import.ts'

let house: Household | undefined
afterEach(async () => {
  await house?.remove()
  house = undefined
})

async function run(options: ImportOptions = {}): Promise<ImportPlan & { folder: string }> {
  const result = await planImport(house!.places, options)
  if (!result.ok) throw new Error(result.reason)
  return { ...result.plan, folder: await applyChanges(result.plan.changes, house!.places) }
}

const parse = async (name: string) =>
  JSON.parse((await house!.read(house!.files[name]!)).replaceAll(/\/\/ .*|,(?=\s*})/g, ''))
const clientFiles = async () =>
  Object.fromEntries(
    await Promise.all(Object.values(house!.files).map(async (file) => [file, await house!.read(file)])),
  )

describe.each(['linux', 'darwin', 'win32'] as const)('pointing clients at the gateway on %s', (platform) => {
  it('puts one entry in the place of their servers, in the form each client wants', async () => {
    house = await createHousehold(platform)
    const { to, notes } = await run({ point: true, pointProjects: true })
    const url = 'http://127.0.0.1:7332/mcp'
    expect((await parse('claude-desktop')).mcpServers).toEqual({
      gantry: { command: 'npx', args: ['-y', 'gantry', 'serve', '--stdio', '--config', to] },
    })
    expect(await parse('claude-code')).toEqual({
      numStartups: 42,
      mcpServers: { gantry: { type: 'http', url } },
      projects: {
        [house.places.cwd]: { allowedTools: [], mcpServers: {} },
        '/elsewhere': { mcpServers: {} },
      },
    })
    expect((await parse('claude-code project')).mcpServers).toEqual({ gantry: { type: 'http', url } })
    expect((await parse('cursor')).mcpServers).toEqual({ gantry: { url } })
    const code = await parse('vscode')
    expect(code.servers).toEqual({ gantry: { type: 'http', url } })
    expect(code.inputs).toHaveLength(1)
    expect((await parse('vscode settings')).mcp).toEqual({ servers: {} })
    expect(await house.read(house.files['vscode settings']!)).toContain('// big')
    expect((await parse('windsurf')).mcpServers).toEqual({
      broken: { note: 'nothing here' },
      gantry: { serverUrl: url },
    })
    expect(notes).toEqual([])
  })

  it('is undone exactly', async () => {
    house = await createHousehold(platform)
    const before = await house.snapshot()
    const { to } = await run({ point: true, pointProjects: true })
    expect(await clientFiles()).not.toEqual(before)
    const undone = await undoLatest(house.places)
    expect(undone?.map((result) => result.outcome)).toEqual(['removed', ...Array(10).fill('restored')])
    const after = await house.snapshot()
    const journal = (file: string) => /imports|accepted/.test(file)
    expect(Object.fromEntries(Object.entries(after).filter(([file]) => !journal(file)))).toEqual(before)
    expect(undone?.[0]?.file).toBe(to)
    expect(await undoLatest(house.places)).toBeUndefined()
  })
})

describe('pointing', () => {
  it('leaves files of a project alone unless it is told otherwise', async () => {
    house = await createHousehold('linux')
    const before = await clientFiles()
    const { notes } = await run({ point: true })
    const after = await clientFiles()
    const untouched = Object.keys(before).filter((file) => before[file] === after[file])
    expect(untouched).toEqual(
      ['claude-code project', 'cursor project', 'vscode project', 'mcp-json'].map(
        (name) => house!.files[name],
      ),
    )
    expect(notes[0]).toContain('--point-projects')
  })

  it('does it once', async () => {
    house = await createHousehold('linux')
    await run({ point: true, pointProjects: true })
    const result = await planImport(house.places, { point: true, pointProjects: true })
    expect(result.ok && result.plan.changes).toEqual([])
  })

  it('uses the address of the configuration, and spawns when there is none', async () => {
    house = await createHousehold('linux')
    const to = join(house.places.cwd, 'gantry.json')
    const key = { name: 'k', sha256: 'a'.repeat(64) }
    await house.write(
      to,
      JSON.stringify({ server: { host: '0.0.0.0', port: 9000 }, auth: { apiKeys: [key] } }),
    )
    const { notes } = await run({ clients: ['cursor'], point: true })
    expect((await parse('cursor')).mcpServers.gantry).toEqual({ url: 'http://127.0.0.1:9000/mcp' })
    expect(notes).toContainEqual(expect.stringContaining('Authorization: Bearer KEY'))
    await undoLatest(house.places)
    await house.write(to, '{ "server": { "port": 0 } }')
    await run({ clients: ['cursor'], point: true })
    expect((await parse('cursor')).mcpServers.gantry).toMatchObject({ command: 'npx' })
  })

  it('uses the port that a running gateway really has, and the program that runs', async () => {
    house = await createHousehold('linux')
    const to = join(house.places.cwd, 'gantry.json')
    await house.write(to, '{ "server": { "port": 9000 } }')
    const stateDir = stateDirFor(to, house.places)
    const state = { url: 'http://127.0.0.1:9123', pid: process.pid, version: '1', startedAt: 1 }
    await writeStateFile(stateDir, state)
    const launcher = ['/usr/bin/node', '/opt/gantry/dist/cli/gantry.js'] as const
    await run({ clients: ['cursor', 'claude-desktop'], point: true, launcher })
    expect((await parse('cursor')).mcpServers.gantry).toEqual({ url: 'http://127.0.0.1:9123/mcp' })
    expect((await parse('claude-desktop')).mcpServers.gantry).toEqual({
      command: launcher[0],
      args: [launcher[1], 'serve', '--stdio', '--config', to],
    })
    const again = await planImport(house.places, { clients: ['cursor', 'claude-desktop'], launcher })
    expect(again.ok && again.plan.items.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['it is this gateway']),
    )
    await removeStateFile(stateDir, process.pid)
  })
})

describe('undoing', () => {
  it('keeps what a client wrote meanwhile', async () => {
    house = await createHousehold('linux')
    const file = house.files['claude-code']!
    const before = await parse('claude-code')
    await run({ clients: ['claude-code'], point: true })
    const now = JSON.parse(await house.read(file))
    now.numStartups = 43
    now.mcpServers.later = { command: 'later' }
    await house.write(file, JSON.stringify(now, undefined, 2))
    const undone = await undoLatest(house.places)
    expect(undone?.find((result) => result.file === file)?.outcome).toBe('merged')
    expect(await parse('claude-code')).toEqual({
      ...before,
      numStartups: 43,
      mcpServers: { ...before.mcpServers, later: { command: 'later' } },
    })
  })

  it('brings a deleted file back and keeps an edited configuration', async () => {
    house = await createHousehold('linux')
    const file = house.files.cursor!
    const before = await house.read(file)
    const { to } = await run({ clients: ['cursor'], point: true })
    await rm(file)
    await house.write(to, '{}')
    expect(await undoLatest(house.places)).toEqual([
      { file: to, outcome: 'kept' },
      { file, outcome: 'restored' },
    ])
    expect(await house.read(file)).toBe(before)
    expect(await house.read(to)).toBe('{}')
  })

  it('goes back one import at a time', async () => {
    house = await createHousehold('linux')
    const before = await clientFiles()
    await run({ clients: ['cursor'], point: true })
    await run({ clients: ['windsurf'], point: true })
    expect(await undoLatest(house.places)).toContainEqual({ file: house.files.windsurf, outcome: 'restored' })
    expect(await undoLatest(house.places)).toContainEqual({ file: house.files.cursor, outcome: 'restored' })
    expect(await clientFiles()).toEqual(before)
  })

  it('keeps copies that only the user can read', async () => {
    house = await createHousehold('linux')
    const { folder } = await run({ clients: ['cursor'], point: true })
    const names = await readdir(folder)
    expect(names.sort()).toEqual(['2-mcp.json', 'journal.json'])
    for (const name of names) expect((await stat(join(folder, name))).mode & 0o077).toBe(0)
    expect((await stat(folder)).mode & 0o077).toBe(0)
    expect(await readFile(join(folder, '2-mcp.json'), 'utf8')).toContain('// mine')
  })

  it('refuses to write over a file that changed since it was read', async () => {
    house = await createHousehold('linux')
    const result = await planImport(house.places, { clients: ['cursor'], point: true })
    if (!result.ok) throw new Error(result.reason)
    await house.write(house.files.cursor!, '{}')
    await expect(applyChanges(result.plan.changes, house.places)).rejects.toThrow('changed in the meantime')
    expect(await undoLatest(house.places)).toBeUndefined()
  })
})
