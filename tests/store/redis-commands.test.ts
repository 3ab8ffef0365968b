import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { Sealer } from '@gantry/mcp/exchange'
import { run, type CliRun } from '../../packages/gateway/src/cli/captured-io.test.support.ts'
import { openEmbeddedStore, openRedisStore } from '../../packages/gateway/src/store/index.ts'
import { startRedis, type RedisServer } from '../support/redis.ts'

const KEY = 'a key of the tests, long enough to be one'
let redis: RedisServer
let dir: string
let prefix = 0

beforeAll(async () => {
  redis = await startRedis()
}, 660_000)
afterAll(() => redis?.stop())

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-cli-redis-'))
  prefix += 1
  const url = `redis://127.0.0.1:${redis.port}`
  await writeFile(
    join(dir, 'gantry.json'),
    JSON.stringify({
      stateDir: './state',
      store: { redis: { url, prefix: `cli-${prefix}` } },
      server: { sealingKeys: [KEY] },
      mcpServers: {},
    }),
  )
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const gantry = (...args: string[]): Promise<CliRun> =>
  run({ platform: 'linux', home: dir, env: {}, cwd: dir }, ['store', ...args, '--config', 'gantry.json'])

const openFile = (keys = [KEY]) =>
  openEmbeddedStore({ path: join(dir, 'state', 'store.mdb'), sealing: new Sealer(keys) })

async function fillFile(): Promise<void> {
  const file = await openFile()
  await file.rows({ name: 'catalog' }).put('notes', '{"missing":"it was away"}')
  await file.rows({ name: 'tokens', secret: true }).put('k', '{"access_token":"hush-hush"}')
  await file.rows({ name: 'tasks', secret: true }).put('t', 'result', { ttl: 600_000 })
  await file.rows({ name: 'tasks', secret: true }).put('over', 'result', { ttl: 1 })
  await file.spend({ counted: { capacity: 10, perSecond: 0.001 } })
  await file.acquire('held', 600_000)
  await file.close()
  await writeFile(join(dir, 'state', 'vault.key'), `${'vault key 0123456789'.repeat(2)}\n`, { mode: 0o600 })
}

it('migrates to Redis and back, and check and dump look into both', async () => {
  await fillFile()
  const moved = await gantry('migrate', 'redis', '--json')
  expect([moved.code, moved.json()]).toEqual([0, { ok: true, to: 'redis', rows: 4 }])
  const checked = await gantry('check')
  expect(checked.code).toBe(0)
  expect(checked.out).toMatch(/catalog +1.*All is well/s)
  const { out } = await gantry('dump')
  expect(out).toContain('it was away')
  expect(out).not.toContain('hush-hush')
  expect((await gantry('dump', '--secrets')).out).toContain('hush-hush')
  const shared = await openRedisStore({
    ...redis.options,
    prefix: `cli-${prefix}`,
    sealing: new Sealer([KEY]),
  })
  const task = await shared.rows({ name: 'tasks', secret: true }).get('t')
  expect(task?.value).toBe('result')
  expect(task?.expires).toBeGreaterThan(Date.now() + 500_000)
  expect(Math.floor((await shared.spend({ counted: { capacity: 10, perSecond: 0.001 } })).left)).toBe(8)
  await shared.rows({ name: 'catalog' }).put('later', 'made in Redis')
  await shared.close()

  await rm(join(dir, 'state'), { recursive: true })
  expect((await gantry('migrate', 'embedded')).code).toBe(0)
  const file = await openFile()
  expect((await file.rows({ name: 'tokens', secret: true }).get('k'))?.value).toContain('hush-hush')
  expect((await file.rows({ name: 'catalog' }).list()).map(({ key }) => key)).toEqual(['later', 'notes'])
  expect((await file.inspect()).problems).toEqual([])
  await file.close()
  expect(await readFile(join(dir, 'state', 'vault.key'), 'utf8')).toContain('vault key')
})

it('copies nothing over what is there, nor what no key opens', async () => {
  await fillFile()
  expect((await gantry('migrate', 'redis')).code).toBe(0)
  const again = await gantry('migrate', 'redis')
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('There are 4 rows already')])
  expect((await gantry('migrate', 'redis', '--merge')).code).toBe(0)
  const file = await openFile(['another key that is long enough to be one'])
  await file.rows({ name: 'tokens', secret: true }).put('foreign', 'x')
  await file.close()
  const refused = await gantry('migrate', 'redis', '--merge')
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('tokens foreign')])
})

it('says what is missing: no file, no Redis, a wrong kind', async () => {
  expect((await gantry('migrate', 'redis')).err).toMatch(/There is no store at .*store\.mdb/)
  expect((await gantry('migrate', 'postgres')).err).toContain('no store of the kind "postgres"')
  const text = await readFile(join(dir, 'gantry.json'), 'utf8')
  await writeFile(join(dir, 'gantry.json'), text.replace(`127.0.0.1:${redis.port}`, '127.0.0.1:1'))
  for (const command of ['check', 'dump']) {
    const away = await gantry(command)
    expect([away.code, away.err]).toEqual([
      1,
      expect.stringMatching(/Redis cannot be reached: .*ECONNREFUSED/),
    ])
  }
  const wrong = text.replace('redis://', 'http://')
  await writeFile(join(dir, 'gantry.json'), wrong)
  expect((await gantry('check')).err).toContain('This is not the address of a Redis server')
})
