import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { openRedisStore, type RedisOptions, type Store } from '../../packages/gateway/src/store/index.ts'
import { startRedis, type RedisServer, type RedisSettings } from '../support/redis.ts'

const servers: RedisServer[] = []
const stores: Store[] = []
const folders: string[] = []
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
  for (const server of servers.splice(0)) await server.stop()
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

async function start(settings?: RedisSettings): Promise<RedisServer> {
  const server = await startRedis(settings)
  servers.push(server)
  return server
}

async function open(options: RedisOptions): Promise<Store> {
  const store = await openRedisStore({ ...options, prefix: 'gantry' })
  stores.push(store)
  return store
}

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-redis-place-'))
  folders.push(folder)
  return folder
}

const hostOf = ({ port }: RedisServer) => ({ host: '127.0.0.1', port })

/** Everything that a store is for, once. */
async function expectToWork(store: Store): Promise<void> {
  expect(store.away).toBeUndefined()
  const rows = store.rows({ name: 'things' })
  await rows.put('a', 'bytes 🦊')
  expect((await rows.take('a'))?.value).toBe('bytes 🦊')
  const lease = (await store.acquire('l', 60_000))!
  await rows.put('fenced', '1', { lease })
  expect(await store.release(lease)).toBe(true)
  const heard: string[] = []
  const stop = await store.subscribe('c', { message: (text) => void heard.push(text), missed: () => {} })
  await store.publish('c', 'hello')
  await expect.poll(() => heard).toEqual(['hello'])
  stop()
}

it('finds the server that writes by Sentinels, and the next one when it is gone', {
  timeout: 120_000,
}, async () => {
  const main = await start()
  const replica = await start({ args: ['--replicaof', '127.0.0.1', String(main.port)] })
  const file = join(await scratch(), 'sentinel.conf')
  await writeFile(
    file,
    [
      `sentinel monitor main 127.0.0.1 ${main.port} 1`,
      'sentinel down-after-milliseconds main 500',
      'sentinel failover-timeout main 3000',
    ].join('\n'),
  )
  const sentinel = await start({ sentinel: true, file })
  const store = await open({
    ...main.options,
    place: { kind: 'sentinels', sentinels: [hostOf(sentinel)], name: 'main', account: {} },
  })
  await expectToWork(store)
  const before = (await store.acquire('kept', 60_000))!
  await store.rows({ name: 'things' }).put('kept', 'over the failover')
  await expect.poll(() => main.ask('WAIT 1 1000')).toContain(':1')
  // The Sentinel has to know the replica before it can promote it.
  await expect.poll(() => sentinel.ask('SENTINEL replicas main')).toContain('*1')
  await main.kill()
  await expect
    .poll(() => replica.ask('ROLE').then((role) => role.slice(0, 4)), { timeout: 60_000 })
    .toBe('*3\r\n')
  const read = () =>
    store
      .rows({ name: 'things' })
      .get('kept')
      .then(
        (row) => row?.value,
        () => 'away',
      )
  await expect.poll(read, { timeout: 60_000 }).toBe('over the failover')
  expect((await store.acquire('next', 1000))!.token).toBeGreaterThan(before.token)
  expect(await store.holds(before)).toBe(true)
})

it('answers each request by Sentinels, also when there is always another one under way', async () => {
  const main = await start()
  const file = join(await scratch(), 'sentinel.conf')
  await writeFile(file, `sentinel monitor main 127.0.0.1 ${main.port} 1\n`)
  const sentinel = await start({ sentinel: true, file })
  const store = await open({
    ...main.options,
    place: { kind: 'sentinels', sentinels: [hostOf(sentinel)], name: 'main', account: {} },
  })
  const rows = store.rows({ name: 'things' })
  let isAnswered = false
  // In one turn: neither finds the connection in use.
  const both = Promise.all([rows.get('a'), rows.get('b')]).finally(() => {
    isAnswered = true
  })
  let underWay = 0
  let asked = 0
  while (!isAnswered && asked < 20_000) {
    await new Promise((resolve) => setImmediate(resolve))
    if (underWay >= 50) continue
    underWay++
    asked++
    void rows.get('c').finally(() => underWay--)
  }
  expect(isAnswered).toBe(true)
  await both
  await expect.poll(() => underWay).toBe(0)
})

it('works with a cluster, with all keys on one node', async () => {
  const nodes = [
    await start({ args: ['--cluster-enabled', 'yes'] }),
    await start({ args: ['--cluster-enabled', 'yes'] }),
  ]
  await nodes[0]!.ask('CLUSTER ADDSLOTSRANGE 0 8191')
  await nodes[1]!.ask('CLUSTER ADDSLOTSRANGE 8192 16383')
  await nodes[0]!.ask(`CLUSTER MEET 127.0.0.1 ${nodes[1]!.port}`)
  const isWhole = async () =>
    (await Promise.all(nodes.map((node) => node.ask('CLUSTER KEYSLOT {gantry}:meta')))).length === 2 &&
    (await Promise.all(nodes.map((node) => node.ask('SET {whole}x 1')))).every((said) =>
      /OK|MOVED/.test(said),
    )
  await expect.poll(isWhole, { timeout: 60_000 }).toBe(true)
  const store = await open({ ...nodes[0]!.options, place: { kind: 'cluster', nodes: nodes.map(hostOf) } })
  await expectToWork(store)
  const sizes = await Promise.all(nodes.map((node) => node.ask('DBSIZE')))
  expect(sizes.filter((size) => size !== ':0\r\n').length).toBeLessThanOrEqual(2)
  expect((await store.inspect()).problems).toEqual([])
  for (const node of nodes) await node.kill()
  await expect.poll(() => store.away).toBeDefined()
  for (const node of nodes) await node.start()
  await expect
    .poll(() =>
      store
        .rows({ name: 'things' })
        .get('fenced')
        .then(
          (row) => row?.value,
          () => 'away',
        ),
    )
    .toBe('1')
})

it('encrypts connections, and trusts no other authority than the one it was given', async () => {
  const folder = await scratch()
  const file = (name: string): string => join(folder, name)
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=redis',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-keyout',
      file('key.pem'),
      '-out',
      file('cert.pem'),
    ],
    { stdio: 'ignore' },
  )
  const plain = await start()
  const tlsPort = plain.port + 1 > 65_535 ? plain.port - 1 : plain.port + 1
  const secure = await start({
    args: [
      '--tls-port',
      String(tlsPort),
      '--tls-cert-file',
      file('cert.pem'),
      '--tls-key-file',
      file('key.pem'),
      '--tls-ca-cert-file',
      file('cert.pem'),
      '--tls-auth-clients',
      'yes',
    ],
  })
  const ca = await readFile(file('cert.pem'), 'utf8')
  const key = await readFile(file('key.pem'), 'utf8')
  const place = { kind: 'server' as const, server: { host: '127.0.0.1', port: tlsPort } }
  await expectToWork(await open({ ...secure.options, place, tls: { ca, cert: ca, key } }))
  const strange = await open({ ...secure.options, place, tls: {} })
  expect(strange.away?.reason).toMatch(/self-signed certificate/)
})

it('comes in as a user that may do only what the documentation says, and says so when it may not', async () => {
  const allowed = /^```text\nuser gantry (.*)\n```/m.exec(
    await readFile(new URL('../../docs/store.md', import.meta.url), 'utf8'),
  )![1]!
  const redis = await start()
  await redis.ask('ACL SETUSER default off')
  const account = { username: 'gantry', password: 'a password' }
  expect(
    await openRedisStore({ ...redis.options, account, prefix: 'gantry' }).catch((error) => error),
  ).toMatchObject({
    code: 'unusable',
    message: expect.stringMatching(/^Redis at 127\.0\.0\.1:\d+ refuses this gateway: .*WRONGPASS/),
  })
  await redis.stop()
  const other = await start({
    args: [
      '--user',
      'default',
      'off',
      '--user',
      'gantry',
      ...allowed.replace('PASSWORD', 'secret').split(' '),
    ],
  })
  await expectToWork(await open({ ...other.options, account: { username: 'gantry', password: 'secret' } }))
  await expect(
    openRedisStore({
      ...other.options,
      account: { username: 'gantry', password: 'wrong' },
      prefix: 'gantry',
    }),
  ).rejects.toMatchObject({ code: 'unusable' })
  await expect(
    openRedisStore({
      ...other.options,
      account: { username: 'gantry', password: 'secret' },
      prefix: 'other',
    }),
  ).rejects.toMatchObject({ code: 'unusable' })
})

it('refuses what a newer version has written, and a full server without a loss', async () => {
  const redis = await start({ args: ['--maxmemory', '3mb', '--maxmemory-policy', 'noeviction'] })
  const store = await open(redis.options)
  const rows = store.rows({ name: 'large' })
  let refused: unknown
  let written = 0
  for (; refused === undefined; written += 1) {
    await rows.put(`k${written}`, 'x'.repeat(50_000)).catch((error) => {
      refused = error
    })
  }
  expect(refused).toMatchObject({ code: 'full', message: expect.stringContaining('memory of Redis') })
  expect((await rows.list()).length).toBe(written - 1)
  expect((await store.inspect()).problems).toEqual([])
  for (let index = 0; index < 5; index += 1) await rows.remove(`k${index}`)
  await rows.put('again', '1')
  await redis.ask('HSET {gantry}:meta format 2')
  await expect(openRedisStore({ ...redis.options, prefix: 'gantry' })).rejects.toMatchObject({
    code: 'unusable',
    message: expect.stringContaining('newer version'),
  })
})

it('refuses a server that would throw rows away when its memory is full', async () => {
  const redis = await start({ args: ['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'] })
  await expect(openRedisStore({ ...redis.options, prefix: 'gantry' })).rejects.toMatchObject({
    code: 'unusable',
    message: expect.stringContaining('allkeys-lru'),
  })
})
