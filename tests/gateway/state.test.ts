import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fileStorage } from '@gantry/mcp/auth/node'
import { writeOldFiles } from '../../packages/gateway/src/state/old-files.ts'
import { rawTarget } from '../support/raw-target.ts'
import { modernRequest } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const TASK_ONLY = fileURLToPath(new URL('../fixtures/task-only-server.mjs', import.meta.url))
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const MISSING = { command: '/nowhere/no-such-program' }

let stateDir: string
const running: TestGateway[] = []

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'gantry-state-'))
})
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.close()
  await rm(stateDir, { recursive: true, force: true })
})

async function start(config: object, options: object = {}): Promise<TestGateway> {
  const gateway = await testGateway({ stateDir, catalog: { deadline: 2000 }, ...config }, options)
  running.push(gateway)
  return gateway
}

async function stop(gateway: TestGateway): Promise<void> {
  running.splice(running.indexOf(gateway), 1)
  await gateway.close()
}

const toolsOf = async ({ endpoint }: TestGateway): Promise<string[]> =>
  (await modernRequest(endpoint, 'tools/list')).message.result.tools.map(({ name }: { name: string }) => name)

/** A snapshot as the first version wrote it. */
const LISTS = {
  discovery: { serverInfo: { name: 'old', version: '1' }, capabilities: { tools: {} } },
  fetchedAt: 1,
  tools: [{ name: 'from_the_file', inputSchema: { type: 'object' } }],
  prompts: [],
  resources: [],
  templates: [],
}
const CHANGE = {
  id: 7,
  at: 1,
  kind: 'tool',
  target: 'old',
  own: 'from_the_file',
  key: 'k',
  change: 'added',
}

async function writeOldState(): Promise<void> {
  const hash = createHash('sha256').update('old').digest('hex').slice(0, 8)
  await mkdir(join(stateDir, 'catalog'))
  await writeFile(join(stateDir, 'catalog', `old-${hash}.json`), JSON.stringify(LISTS))
  await writeFile(join(stateDir, 'catalog-changes.json'), JSON.stringify([CHANGE]))
  await fileStorage({ path: join(stateDir, 'tokens') }).write('tokens of old', { access_token: 'hush-hush' })
}

describe('files of the version before', () => {
  it('are in the store after the first start, under another name beside it, and can be written back', async () => {
    await writeOldState()
    const gateway = await start({ mcpServers: { old: MISSING } })
    expect(await toolsOf(gateway)).toEqual(['old_from_the_file'])
    const { changes } = await gateway.api.call('catalogChanges', { query: {} })
    expect(changes).toEqual([CHANGE])
    const tokens = gateway.gateway.store.rows({ name: 'tokens', secret: true })
    expect((await tokens.get('tokens of old'))?.value).toBe('{"access_token":"hush-hush"}')
    const files = await readdir(stateDir)
    expect(files).toEqual(expect.arrayContaining(['catalog.moved', 'catalog-changes.json.moved']))
    expect(files).toEqual(expect.arrayContaining(['tokens.moved', 'tokens.key.moved', 'store.mdb']))
    for (const old of ['catalog', 'catalog-changes.json', 'tokens']) expect(files).not.toContain(old)
    expect(await readFile(join(stateDir, 'store.mdb'), 'latin1')).not.toContain('hush-hush')

    await tokens.put('tokens of old', '{"access_token":"a newer one"}')
    const written = await writeOldFiles(gateway.gateway.model, gateway.gateway.store)
    expect(written).toEqual([expect.stringMatching(/^catalog\/old-/), 'catalog-changes.json', 'tokens'])
    expect(await fileStorage({ path: join(stateDir, 'tokens') }).read('tokens of old')).toEqual({
      access_token: 'a newer one',
    })
    await stop(gateway)
    // Taken over again by the next start.
    const again = await start({ mcpServers: { old: MISSING } })
    expect(await toolsOf(again)).toEqual(['old_from_the_file'])
    expect(await readdir(stateDir)).not.toContain('tokens')
  })

  it('that cannot be read stay where they are, and the gateway starts', async () => {
    await writeOldState()
    await writeFile(join(stateDir, 'tokens'), 'not a token file')
    const gateway = await start({ mcpServers: { old: MISSING } })
    expect(await toolsOf(gateway)).toEqual(['old_from_the_file'])
    expect(await readFile(join(stateDir, 'tokens'), 'utf8')).toBe('not a token file')
  })
})

it('a finished task of an older server is still there after a restart', async () => {
  const config = {
    mcpServers: { old: { command: process.execPath, args: [TASK_ONLY], env: { ERAS: 'legacy' } } },
  }
  const gateway = await start(config)
  const call = { name: 'old_must', arguments: {} }
  const { result } = (await modernRequest(gateway.endpoint, 'tools/call', call, { capabilities: TASKS }))
    .message
  const get = async ({ endpoint }: TestGateway) =>
    (await modernRequest(endpoint, 'tasks/get', { taskId: result.taskId }, { capabilities: TASKS })).message
  await expect.poll(async () => (await get(gateway)).result?.status).toBe('completed')
  await stop(gateway)
  const again = await start(config)
  expect((await get(again)).result).toMatchObject({
    status: 'completed',
    result: { content: [{ text: 'had to, nobody' }] },
  })
})

it('two gateways share a folder: what one learns the other keeps', async () => {
  const config = { mcpServers: { raw: rawTarget({}) } }
  const [one, two] = await Promise.all([start(config), start(config)])
  expect(await toolsOf(one)).toEqual(await toolsOf(two))
  await one.gateway.store.rows({ name: 'shared' }).put('k', 'from one')
  expect((await two.gateway.store.rows({ name: 'shared' }).get('k'))?.value).toBe('from one')
  await stop(one)
  expect((await two.gateway.store.rows({ name: 'shared' }).get('k'))?.value).toBe('from one')
})

describe('a state folder that cannot be used', () => {
  const warnings = (): string[] => {
    const calls = vi.mocked(process.stderr.write).mock.calls
    return calls.map(([line]) => String(line)).filter((line) => / (warn|error) /i.test(line))
  }
  afterEach(() => void vi.restoreAllMocks())

  const expectOneWarning = async (dir: string): Promise<void> => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const gateway = await start({ stateDir: dir, mcpServers: { raw: rawTarget({}) } }, { logLevel: 'warn' })
    expect(await toolsOf(gateway)).toContain('raw_pid')
    expect(gateway.gateway.store.kind).toBe('memory')
    await stop(gateway)
    expect(warnings()).toEqual([expect.stringContaining('State cannot be kept')])
  }

  it('is one warning, and the gateway works', async () => {
    await writeFile(join(stateDir, 'file'), '')
    await expectOneWarning(join(stateDir, 'file', 'state'))
  })

  it('so is one that is read-only', async () => {
    const dir = join(stateDir, 'read-only')
    await mkdir(dir)
    // Permissions mean nothing to root, which can mount instead.
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=64k', 'tmpfs', dir]).status === 0
    if (!mounted) spawnSync('chmod', ['500', dir])
    try {
      await expectOneWarning(dir)
    } finally {
      if (mounted) spawnSync('umount', [dir])
    }
  })
})
