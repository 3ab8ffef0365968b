import { afterAll, beforeAll, expect, it } from 'vitest'
import { openRedisStore } from '../../packages/gateway/src/store/index.ts'
import { describeStore } from '../../packages/gateway/src/store/store-suite.test.support.ts'
import { startRedis, type RedisServer } from '../support/redis.ts'

let redis: RedisServer
let places = 0
beforeAll(async () => {
  redis = await startRedis()
}, 660_000)
afterAll(() => redis?.stop())

describeStore('the Redis store', async () => {
  const prefix = `suite-${++places}`
  return {
    open: (options) => openRedisStore({ ...redis.options, prefix, ...options }),
    clear: async () => {},
  }
})

it('is not taken for away by a process that stood still', async () => {
  const store = await openRedisStore({ ...redis.options, prefix: 'stood-still', timeout: 1000 })
  const rows = store.rows({ name: 'a' })
  const written = rows.put('x', '1')
  const until = Date.now() + 2000
  while (Date.now() < until);
  await written
  expect((await rows.get('x'))?.value).toBe('1')
  await store.close()
})
