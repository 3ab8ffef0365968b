import { afterAll, beforeAll } from 'vitest'
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
