import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { run, type CliRun } from '../captured-io.test.support.ts'

let dir: string
const write = (config: object): Promise<void> =>
  writeFile(join(dir, 'gantry.json'), JSON.stringify({ stateDir: './state', mcpServers: {}, ...config }))

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-cli-keys-'))
  await write({ auth: { keys: true, apiKeys: [{ name: 'ops', sha256: 'a'.repeat(64) }] } })
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const gantry = (...args: string[]): Promise<CliRun> =>
  run({ platform: 'linux', home: dir, env: {}, cwd: dir }, ['keys', ...args, '--config', 'gantry.json'])

it('makes a key, lists it without its secret, and revokes it', async () => {
  const added = await gantry('add', 'ci', '--scope', 'read', 'write', '--expires', '90d')
  expect(added.code).toBe(0)
  expect(added.out).toMatch(/^gk_ci_[0-9A-Za-z]{43}\n$/)
  const { out } = await gantry('list')
  expect(out).toMatch(/ops +active .* configuration/)
  expect(out).toMatch(/ci +active +read write +all +20\d\d-.* store/)
  expect(out).not.toContain(added.out.trim())
  const { keys } = (await gantry('list', '--json')).json() as { keys: { name: string; expiresAt: number }[] }
  const left = keys.find(({ name }) => name === 'ci')!.expiresAt - Date.now()
  expect(Math.round(left / 86_400_000)).toBe(90)
  expect((await gantry('revoke', 'ci')).code).toBe(0)
  expect((await gantry('list')).out).not.toMatch(/\bci\b/)
})

it('says when the configuration does not accept keys', async () => {
  await write({})
  const { code, err } = await gantry('add', 'ci')
  expect([code, err]).toEqual([0, expect.stringContaining('"auth": { "keys": true }')])
  expect((await gantry('list', '--json')).json()).toMatchObject({
    accepting: false,
    keys: [{ name: 'ci', state: 'not-accepted' }],
  })
})

it.each([
  [['add', 'a b'], /cannot be the name/],
  [['add', 'ops'], /There is a key "ops" already/],
  [['add', 'ci', '--view', 'nowhere'], /No view or target is called "nowhere"/],
  [['add', 'ci', '--scope', 'a"b'], /A scope is a word/],
  [['add', 'ci', '--expires', 'soon'], /is not a duration/],
  [['revoke', 'nobody'], /There is no key "nobody"/],
  [['revoke', 'ops'], /a key of the configuration/],
])('%j is refused', async (args, reason) => {
  const { code, err } = await gantry(...args)
  expect(code).toBeGreaterThan(0)
  expect(err).toMatch(reason)
})

it('a name is taken once', async () => {
  expect((await gantry('add', 'ci')).code).toBe(0)
  const { code, err } = await gantry('add', 'ci')
  expect([code, err]).toEqual([1, expect.stringContaining('There is a key "ci" already')])
})

it('state in memory needs a running gateway', async () => {
  await write({ store: { kind: 'memory' } })
  const { code, err } = await gantry('add', 'ci')
  expect([code, err]).toEqual([1, expect.stringContaining('no gateway runs')])
})
