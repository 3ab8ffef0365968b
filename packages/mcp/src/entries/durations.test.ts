import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { memory } from '../transport/memory.ts'
import { createNodeFetch, stdio } from './client.node.ts'
import { connect, EraCache, http, MemoryContinuations } from './client.ts'
import { serveSocket, toNodeHandler } from './server.node.ts'
import { HttpMeter, Server, toFetchHandler } from './server.ts'

const src = fileURLToPath(new URL('..', import.meta.url))

it('every option that is a time takes milliseconds and text', async () => {
  const app = new Server({
    name: 'times',
    tools: { a: { run: () => 'a' } },
    resources: { r: { uri: 'r://1', text: 'r', ttl: '5s' } },
    cache: { tools: { ttl: '1m' }, discover: { ttl: 7 } },
    requestStateTtl: '10m',
    answerTimeout: '1m',
  })
  const client = await connect(memory(app), {
    eras: new EraCache({ maxAge: '1d' }),
    continuations: new MemoryContinuations({ ttl: '10m' }),
    probeTimeout: '5s',
    reconnect: { initialDelay: '1s', maxDelay: '2s' },
  })
  expect(await client.request('tools/list')).toMatchObject({ ttlMs: 60_000 })
  expect(await client.readResource('r://1')).toMatchObject({ ttlMs: 5_000 })
  expect(await client.discover()).toMatchObject({ ttlMs: 7 })
  await client.close()
  const limits = { bodyTimeout: '10s', stallTimeout: '10s' } as const
  const handler = toFetchHandler(app, { keepAlive: '15s', sessions: { idleTimeout: '5m' }, limits })
  const native = toNodeHandler(app, { meter: new HttpMeter(limits), keepAlive: 0 })
  await Promise.all([handler.close(), native.close()])
  stdio({ command: 'x', shutdown: { end: '1s', term: '1s' } })
  http('http://127.0.0.1/', { connectTimeout: '1s', fetch: createNodeFetch({ connectTimeout: '1s' }) })
  expect(serveSocket).toBeTypeOf('function')
})

it('a time that cannot be read is refused', () => {
  const wrong = '1 minute' as unknown as number
  expect(() => new EraCache({ maxAge: wrong })).toThrow('Not a duration')
  expect(() => new HttpMeter({ stallTimeout: wrong })).toThrow('Not a duration')
  expect(() => new Server({ name: 's', requestStateTtl: wrong })).toThrow('Not a duration')
})

/** Members of messages are named by the specification; these files hold them. */
const OF_THE_PROTOCOL = ['protocol/types.ts', 'extensions/tasks/task.ts']

it('no option has its unit in its name', () => {
  const files = readdirSync(src, { recursive: true }).map((file) => String(file).replaceAll('\\', '/'))
  const named = files
    .filter((file) => file.endsWith('.ts') && !file.includes('.test.') && !OF_THE_PROTOCOL.includes(file))
    .flatMap((file) => (/^ +\w+Ms\?:/m.test(readFileSync(join(src, file), 'utf8')) ? [file] : []))
  expect(named).toEqual([])
})
