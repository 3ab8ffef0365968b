import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { run, type CliRun } from '../captured-io.test.support.ts'
import { testAccounts } from '../vault.test.support.ts'

let dir: string
const credentials = { kind: 'user', env: { TOKEN: 'Your token' } }
const config = { stateDir: './state', mcpServers: { box: { command: 'box', credentials } } }
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-cli-vault-'))
  await writeFile(join(dir, 'gantry.json'), JSON.stringify(config))
  await testAccounts(join(dir, 'gantry.json'), async (accounts, { targets: [box] }) => {
    for (const issuer of ['https://a.example', 'https://b.example']) {
      await accounts.paste(box!, { kind: 'person', issuer, subject: 'ann' }, { TOKEN: 'secret-of-ann' })
    }
  })
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const gantry = (...args: string[]): Promise<CliRun> =>
  run({ platform: 'linux', home: dir, env: {}, cwd: dir }, [...args, '--config', 'gantry.json'])

it('lists accounts without their secrets, and removes those of one person', async () => {
  const { out } = await gantry('connections', 'list')
  expect(out).toMatch(/person:ann \(https:\/\/a\.example\) +box +key +20\d\d-.* never +never/)
  expect(out + (await gantry('connections', 'list', '--json')).out).not.toContain('secret-of-ann')
  const both = await gantry('connections', 'remove', 'ann')
  expect([both.code, both.err]).toEqual([1, expect.stringContaining('several people called "ann"')])
  expect((await gantry('connections', 'remove', 'person:ann (https://a.example)')).out).toContain(
    '1 account is gone',
  )
  expect((await gantry('connections', 'remove', 'ann', '--target', 'other')).code).toBe(1)
  expect((await gantry('connections', 'remove', 'ann')).code).toBe(0)
  expect((await gantry('connections', 'list', '--json')).json()).toEqual({ connections: [] })
})

it('changes the key of the vault, and keeps what is in it', async () => {
  const before = await readFile(join(dir, 'state', 'vault.key'), 'utf8')
  expect((await gantry('vault', 'rotate')).out).toMatch(/^2 accounts are under the key [0-9a-f]{8} now\n$/)
  const after = await readFile(join(dir, 'state', 'vault.key'), 'utf8')
  expect(after.split('\n').filter(Boolean)).toEqual([expect.any(String), before.trim()])
  const { keys } = (await gantry('vault', 'list', '--json')).json() as { keys: { rows: number }[] }
  expect(keys.map(({ rows }) => rows)).toEqual([2, 0])
})
