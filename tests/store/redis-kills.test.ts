import { afterAll, beforeAll, expect, it } from 'vitest'
import { openRedisStore, type Store } from '../../packages/gateway/src/store/index.ts'
import { describeKills } from '../../packages/gateway/src/store/killed-processes.test.support.ts'
import { startProcess } from '../../packages/gateway/src/store/start-process.test.support.ts'
import { startRedis, type RedisServer } from '../support/redis.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
}, 660_000)
afterAll(() => redis?.stop())

describeKills(
  'the Redis store',
  async () => {
    const options = { ...redis.options, prefix: 'kills' }
    return { argument: JSON.stringify(options), open: () => openRedisStore(options), clear: async () => {} }
  },
  { rounds: 3 },
)

it('keeps what was acknowledged when Redis itself is killed while it works, and goes on by itself', async () => {
  const store: Store = await openRedisStore({ ...redis.options, prefix: 'restarts' })
  const rows = store.rows({ name: 'written' })
  const tokens: number[] = []
  const acknowledged: string[] = []
  const refused = new Set<string>()
  let isOver = false
  const write = async (side: number): Promise<void> => {
    for (let index = 0; !isOver; index += 1) {
      const key = `${side}-${index}`
      await rows.put(key, 'v'.repeat(500)).then(
        () => acknowledged.push(key),
        ({ code }: { code: string }) => refused.add(code),
      )
      // Refusals come at once: what else runs here needs its turn.
      if (acknowledged.at(-1) !== key) await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const writing = Promise.all([write(1), write(2)])
  for (let round = 0; round < 3; round += 1) {
    const before = acknowledged.length
    await expect.poll(() => acknowledged.length, { interval: 5 }).toBeGreaterThan(before + 50)
    tokens.push((await store.acquire(`lease-${round}`, 60_000))!.token)
    await redis.kill()
    await expect.poll(() => store.away, { interval: 5 }).toBeDefined()
    await redis.start()
    await expect.poll(() => store.away, { interval: 5 }).toBeUndefined()
  }
  isOver = true
  await writing
  expect([...refused]).toEqual(['unavailable'])
  const found = new Set<string>()
  for (let after = ''; ; ) {
    const page = await rows.list(after === '' ? {} : { after })
    for (const { key } of page) found.add(key)
    if (page.length === 0) break
    after = page.at(-1)!.key
  }
  expect(acknowledged.filter((key) => !found.has(key))).toEqual([])
  expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
  expect((await store.inspect()).problems).toEqual([])
  await store.close()
})

it('keeps what was acknowledged when the disk of Redis is full, and goes on when it has room again', async () => {
  await redis.kill()
  await redis.start(4096)
  const stores = await Promise.all(
    [1, 2].map(() => openRedisStore({ ...redis.options, prefix: 'full-disk' })),
  )
  const acknowledged: string[] = []
  const refused = new Set<string>()
  const write = async (store: Store, side: number): Promise<void> => {
    const rows = store.rows({ name: 'written' })
    for (let index = 0; refused.size === 0; index += 1) {
      await rows.put(`${side}-${index}`, 'v'.repeat(20_000)).then(
        () => acknowledged.push(`${side}-${index}`),
        ({ code }: { code: string }) => refused.add(code),
      )
    }
  }
  await Promise.all(stores.map(write))
  expect(acknowledged.length).toBeGreaterThan(20)
  expect([...refused]).toEqual(['unavailable'])
  await redis.kill()
  await redis.start()
  for (const store of stores) {
    await expect.poll(() => store.away, { interval: 5 }).toBeUndefined()
    const found = (await store.rows({ name: 'written' }).list({ limit: 1000 })).map(({ key }) => key)
    expect(acknowledged.filter((key) => !found.includes(key))).toEqual([])
    expect((await store.inspect()).problems).toEqual([])
    await store.rows({ name: 'written' }).put('after', 'all is well')
    await store.close()
  }
})

it('tells those who listen that they missed something, and gives out no number twice, when Redis lost its data', async () => {
  const store = await openRedisStore({ ...redis.options, prefix: 'lost' })
  const heard: string[] = []
  await store.subscribe('c', {
    message: (text) => void heard.push(text),
    missed: () => void heard.push('missed'),
  })
  await store.publish('c', 'one')
  await expect.poll(() => heard).toEqual(['one'])
  const before = (await store.acquire('l', 60_000))!
  expect(await redis.ask('FLUSHALL')).toContain('OK')
  const after = (await store.acquire('l', 60_000))!
  expect(after.token).toBeGreaterThan(before.token)
  await redis.kill()
  await redis.start()
  await expect.poll(() => store.away).toBeUndefined()
  await store.publish('c', 'two')
  await expect.poll(() => heard.at(-1)).toBe('two')
  await store.close()
})

it('keeps a process that waits for nothing but Redis, as a gateway may while it starts', async () => {
  await redis.kill()
  const waiting = startProcess([JSON.stringify({ ...redis.options, prefix: 'late' }), 'wait'])
  await expect.poll(() => waiting.reports.length).toBe(1)
  // It tries again several times meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(waiting.child.exitCode).toBeNull()
  await redis.start()
  expect(await waiting.exit).toEqual({ code: 0, signal: null })
  expect(waiting.reports.at(-1)).toEqual({ did: 'done' })
})

it('does not say that Redis is away when it is closed', async () => {
  const told: unknown[] = []
  const options = { ...redis.options, prefix: 'closed', onAway: (away: unknown) => void told.push(away) }
  const store = await openRedisStore(options)
  await store.rows({ name: 'things' }).put('a', '1')
  await store.close()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(told).toEqual([])
})
