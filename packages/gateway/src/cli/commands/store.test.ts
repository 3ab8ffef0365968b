import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Sealer } from '@gantry/mcp/exchange'
import { openEmbeddedStore } from '../../store/index.ts'
import { run, type CliRun } from '../captured-io.test.support.ts'

const KEY = 'a key of the tests, long enough to be one'
let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-cli-store-'))
  await writeFile(join(dir, 'gantry.json'), JSON.stringify({ stateDir: './state', mcpServers: {} }))
  const path = join(dir, 'state', 'store.mdb')
  const store = await openEmbeddedStore({ path, sealing: new Sealer([KEY]) })
  await writeFile(join(dir, 'state', 'sealing.key'), KEY, { mode: 0o600 })
  await store.rows({ name: 'catalog' }).put('notes', '{"missing":"it was away"}')
  await store.rows({ name: 'tokens', secret: true }).put('k', '{"access_token":"hush-hush"}')
  await store.rows({ name: 'tasks', secret: true }).put('old', 'result', { ttl: 1 })
  await store.close()
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const gantry = (...args: string[]): Promise<CliRun> =>
  run({ platform: 'linux', home: dir, env: {}, cwd: dir }, ['store', ...args, '--config', 'gantry.json'])

it('check says what is in it, and that all is well', async () => {
  const { code, out } = await gantry('check')
  expect(code).toBe(0)
  expect(out).toMatch(/catalog +1/)
  expect(out).toMatch(/tasks +1 +1/)
  expect(out).toMatch(/All is well/)
})

it('check finds rows that no key opens', async () => {
  await writeFile(join(dir, 'state', 'sealing.key'), 'another key that is long enough to be one')
  const report = await gantry('check', '--json')
  expect(report.code).toBe(1)
  expect(report.json()).toMatchObject({ ok: false, format: 1, unreadable: ['tasks old', 'tokens k'] })
})

it('dump prints a line for each row and masks secrets, unless they are asked for', async () => {
  const { out } = await gantry('dump')
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ table, key }) => `${table} ${key}`)).toEqual(['catalog notes', 'tasks old', 'tokens k'])
  expect(lines[0]).toMatchObject({ value: '{"missing":"it was away"}', version: 1 })
  expect(lines[2]).toMatchObject({ secret: true, value: '••••••' })
  expect(out).not.toContain('hush-hush')
  expect((await gantry('dump', '--secrets')).out).toContain('hush-hush')
})

it('write-back writes the files of earlier versions', async () => {
  expect((await gantry('write-back')).code).toBe(0)
  expect(await readdir(join(dir, 'state'))).toEqual(
    expect.arrayContaining(['catalog', 'tokens', 'tokens.key']),
  )
  const [file] = await readdir(join(dir, 'state', 'catalog'))
  expect(await readFile(join(dir, 'state', 'catalog', file!), 'utf8')).toBe('{"missing":"it was away"}')
})

it('a store that is damaged or not there is an error that says so, and nothing is made', async () => {
  await writeFile(join(dir, 'state', 'store.mdb'), 'something else '.repeat(1000))
  const damaged = await gantry('check')
  expect(damaged.code).toBe(1)
  expect(damaged.err).toMatch(/is not a store, or is damaged/)
  await rm(join(dir, 'state'), { recursive: true })
  const missing = await gantry('check')
  expect(missing.code).toBe(1)
  expect(missing.err).toMatch(/There is no store/)
  expect(await readdir(dir)).not.toContain('state')
})

it('a configuration that keeps nothing has nothing to show', async () => {
  await writeFile(join(dir, 'gantry.json'), JSON.stringify({ store: { kind: 'memory' }, mcpServers: {} }))
  const { code, err } = await gantry('dump')
  expect(code).toBe(1)
  expect(err).toMatch(/memory/)
})
