import { expect, it } from 'vitest'
import type { RedisModel } from '../../model/index.ts'
import { configFromValue } from '../load-config.ts'
import type { RawRedis } from '../../model/index.ts'

const places = {
  platform: 'linux' as const,
  home: '/home/me',
  env: { PASSWORD: 's3cret!!', EMPTY: '' },
  cwd: '/here',
}

async function compile(redis: RawRedis, more: object = {}) {
  const result = await configFromValue({ mcpServers: {}, store: { redis, ...more } }, { places })
  const said = result.ok ? [] : result.problems.map(({ path, message }) => `${path}: ${message}`)
  return { said, redis: result.ok ? (result.model.store as RedisModel) : undefined }
}

it('reads a server from a URL, with its account, database and TLS', async () => {
  const { redis } = await compile({ url: 'rediss://me:${env:PASSWORD}@[::1]/3' })
  expect(redis).toMatchObject({
    kind: 'redis',
    place: { kind: 'server', server: { host: '::1', port: 6379 } },
    database: 3,
    tls: { ca: undefined },
    prefix: 'gantry',
    timeout: 2000,
  })
  expect(redis!.account.username).toBe('me')
  expect(redis!.account.password!.reveal()).toBe('s3cret!!')
  expect(JSON.stringify(redis)).not.toContain('s3cret')
})

it('reads Sentinels and clusters, with their own ports', async () => {
  const password = '${env:PASSWORD}'
  const { redis } = await compile({
    sentinels: ['one', 'two:5000'],
    masterName: 'main',
    sentinelPassword: password,
    password,
    tls: { ca: 'ca.pem' },
  })
  expect(redis).toMatchObject({
    place: {
      kind: 'sentinels',
      name: 'main',
      sentinels: [
        { host: 'one', port: 26379 },
        { host: 'two', port: 5000 },
      ],
    },
    tls: { ca: '/here/ca.pem' },
  })
  const cluster = await compile({ nodes: ['a', 'b:7000'] })
  expect(cluster.redis!.place).toMatchObject({ kind: 'cluster', nodes: [{ port: 6379 }, { port: 7000 }] })
})

it('says what is wrong without showing what may be secret', async () => {
  expect((await compile({})).said).toEqual(['store.redis: Nothing says where Redis is'])
  expect((await compile({ url: 'redis://a', nodes: ['b'] })).said).toEqual([
    'store.redis: "url" and "nodes" name different servers',
  ])
  expect((await compile({ sentinels: ['a'] })).said[0]).toMatch(/told which server is meant/)
  expect((await compile({ nodes: ['a'], database: 1 })).said[0]).toMatch(/^store\.redis\.database: /)
  expect((await compile({ nodes: ['http://a'] })).said).toEqual([
    'store.redis.nodes[0]: This is not the address of a server',
  ])
  expect((await compile({ url: 'https://:${env:PASSWORD}@a' })).said).toEqual([
    'store.redis.url: This is not the address of a Redis server',
  ])
  expect((await compile({ url: 'redis://a', password: '${env:EMPTY}' })).said).toEqual([
    'store.redis.password: The secret is empty',
  ])
  expect((await compile({ url: 'redis://a' }, { kind: 'memory' })).said[0]).toMatch(/^store\.kind: /)
})
