import { expect, it } from 'vitest'
import { Client } from '../../client/index.ts'
import { envelope } from '../../testing/fixtures/both-eras.test.support.ts'
import { eras } from '../../testing/index.ts'
import { memory } from '../../transport/memory.ts'
import { MemoryStore, Server, tool } from '../index.ts'

const counter = tool({
  run: async (_args, ctx) => {
    const count = ((await ctx.state.get<number>('count')) ?? 0) + 1
    await ctx.state.set('count', count)
    return `${count}`
  },
})
const asking = tool({
  run: async (_args, ctx) => {
    const before = (await ctx.state.get<number>('count')) ?? 0
    await ctx.state.set('count', before + 1)
    if (!(await ctx.confirm(`The ${before + 1}th time?`))) return 'no'
    return `${before} ${await ctx.state.get('count')}`
  },
})
const forget = tool({ run: async (_args, ctx) => void (await ctx.state.delete('count')) })
const person = (subject: string) => ({
  auth: { principal: { kind: 'person' as const, subject }, scopes: [], claims: {} },
})

it('a caller finds its values again on its connection, and no other does', async () => {
  const app = () => new Server({ name: 's', tools: { counter, forget } })
  await eras(app, async ({ client }) => {
    expect((await client.call('counter')).text()).toBe('1')
    expect((await client.call('counter')).text()).toBe('2')
    await client.call('forget')
    expect((await client.call('counter')).text()).toBe('1')
  })
  const shared = app()
  for (const protocolVersion of ['2025-06-18', '2026-07-28'] as const) {
    await using client = new Client({ connector: memory(shared), protocolVersion })
    expect((await client.call('counter')).text()).toBe('1')
  }
})

it('a principal finds its values in every session, era and replica that shares the store', async () => {
  const store = new MemoryStore()
  const replica = () => new Server({ name: 's', store, tools: { counter } })
  const seen: string[] = []
  for (const [who, protocolVersion] of [
    ['ann', '2025-11-25'],
    ['ann', '2026-07-28'],
    ['bob', '2026-07-28'],
    ['ann', '2024-11-05'],
  ] as const) {
    const connector = memory(replica(), { context: person(who) })
    await using client = new Client({ connector, protocolVersion })
    seen.push(`${who} ${(await client.call('counter')).text()}`)
  }
  expect(seen).toEqual(['ann 1', 'ann 2', 'bob 1', 'ann 3'])
})

it('a handler that is run again for its answer reads the same, and writes once', async () => {
  await eras(
    () => new Server({ name: 's', tools: { asking, counter } }),
    async ({ client, answers }) => {
      answers.accept()
      answers.accept()
      expect((await client.call('asking')).text()).toBe('0 1')
      expect((await client.call('asking')).text()).toBe('1 2')
      expect((await client.call('counter')).text()).toBe('3')
    },
  )
})

it('works inside a step, and values end with their time', async () => {
  const timed = tool({
    run: async (_args, ctx) => {
      await ctx.step('write', () => ctx.state.set('a', { b: [1] }, { ttl: 20 }))
      const kept = await ctx.state.get('a')
      await new Promise((resolve) => setTimeout(resolve, 40))
      return [kept, (await ctx.state.get('a')) ?? 'gone']
    },
  })
  await eras(
    () => new Server({ name: 's', tools: { timed } }),
    async ({ client }) => {
      expect(JSON.parse((await client.call('timed')).text())).toEqual([{ b: [1] }, 'gone'])
    },
  )
})

it.each([
  ['nothing that JSON has a form for', undefined, 'JSON has no form'],
  ['a value that is too long', 'x'.repeat(1024 * 1024), 'keeps up to 1048576 characters'],
])('refuses %s', async (_, value, message) => {
  const heard: string[] = []
  const app = new Server({
    name: 's',
    configuration: { exceptionReporter: (thrown) => heard.push(String(thrown)) },
    tools: { keep: tool({ run: (_args, ctx) => ctx.state.set('k', value) }) },
  })
  await using client = new Client({ connector: memory(app) })
  expect((await client.call('keep')).isError).toBe(true)
  expect(heard[0]).toContain(message)
})

it('says why it has nothing for callers that nothing tells from others', async () => {
  const heard: string[] = []
  const app = new Server({
    name: 's',
    configuration: { exceptionReporter: (thrown) => heard.push(String(thrown)) },
    tools: { counter },
  })
  const params = { name: 'counter' }
  for (const meta of [envelope(), {}]) {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, ...meta } }
    expect(await app.handle(request)).toMatchObject({ result: { isError: true } })
    expect(heard.pop()).toContain('neither a principal nor a session')
    expect(await app.handle(request, person('ann'))).toMatchObject({
      result: { content: [{ text: expect.any(String) }] },
    })
  }
  expect(heard).toEqual([])
})
