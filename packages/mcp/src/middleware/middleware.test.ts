import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../jsonrpc/index.ts'
import { image, Server, text, tool, ToolError } from '../server/index.ts'
import { eras, FakeClock } from '../testing/index.ts'
import { caching, limitResults, logging, rateLimit, timing, type Timing } from './index.ts'

let runs = 0
const app = () => {
  runs = 0
  return new Server({
    name: 's',
    tools: {
      count: { run: () => `run ${++runs}` },
      fail: {
        run: () => {
          runs++
          throw new ToolError('no')
        },
      },
      ask: tool({ run: async (_args, ctx) => String(await ctx.confirm('Sure?')) }),
      long: { run: () => [text(`${'x'.repeat(9)}😀${'y'.repeat(20)}`), image('A'.repeat(400), 'image/png')] },
      structured: tool({
        output: { type: 'object' },
        run: () => ({ list: Array.from({ length: 50 }, () => 'item') }),
      }),
    },
  })
}

const call = async (
  server: ReturnType<typeof app>,
  name: string,
  args: JsonObject = {},
  context = {},
): Promise<JsonObject> =>
  (await server.handle(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    context,
  )) as unknown as JsonObject

const principal = (subject: string) => ({
  auth: { principal: { kind: 'key' as const, subject }, scopes: [], claims: {} },
})

describe('caching', () => {
  it('answers equal calls of one caller again, and nobody else', async () => {
    const server = app()
    server.use(caching({ tools: ['count'], ttl: '1m' }))
    const ada = principal('ada')
    const texts = [
      await call(server, 'count', { a: 1, b: 2 }, ada),
      await call(server, 'count', { b: 2, a: 1 }, ada),
      await call(server, 'count', { a: 2 }, ada),
      await call(server, 'count', { a: 1, b: 2 }, principal('bob')),
    ].map(({ result }) => (result as { content: { text: string }[] }).content[0]!.text)
    expect(texts).toEqual(['run 1', 'run 1', 'run 2', 'run 3'])
  })

  it('keeps no failures, no other tools and nothing for longer than it is good', async () => {
    const server = app()
    server.use(caching({ tools: ['count', 'fail'], ttl: '1m' }))
    await call(server, 'fail')
    await call(server, 'fail')
    expect(runs).toBe(2)
    const clock = new FakeClock()
    try {
      await call(server, 'count', {}, principal('ada'))
      await call(server, 'count', {}, principal('ada'))
      expect(runs).toBe(3)
      await clock.advance('2m')
      await call(server, 'count', {}, principal('ada'))
      expect(runs).toBe(4)
    } finally {
      clock.restore()
    }
  })

  it('keeps nothing that depends on answers of a user, in every era', () =>
    eras(
      () => app().use(caching({ tools: ['ask'], ttl: '1m' })) as Server,
      async ({ client, answers }) => {
        answers.accept({}).decline()
        expect((await client.call('ask')).text()).toMatch(/true$/)
        expect((await client.call('ask')).text()).toMatch(/false$/)
      },
    ))
})

describe('rateLimit', () => {
  it('refuses the call that is too many, for its caller alone, until time has passed', async () => {
    const server = app()
    server.use(rateLimit({ requests: 2, per: '1m' }))
    const clock = new FakeClock()
    try {
      for (const _ of [1, 2])
        expect(await call(server, 'count', {}, principal('ada'))).toHaveProperty('result')
      const refused = await call(server, 'count', {}, principal('ada'))
      expect(refused.error).toMatchObject({
        message: expect.stringContaining('at most 2 in 60 s'),
        data: { reason: 'rate', retryAfter: 30 },
      })
      expect(await call(server, 'count', {}, principal('bob'))).toHaveProperty('result')
      expect(
        await server.handle({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, principal('ada')),
      ).toHaveProperty('result')
      await clock.advance('31s')
      expect(await call(server, 'count', {}, principal('ada'))).toHaveProperty('result')
    } finally {
      clock.restore()
    }
    expect(() => rateLimit({ requests: 0, per: '1m' })).toThrow(RangeError)
  })

  it('is a readable error in every era', () =>
    eras(
      () => app().use(rateLimit({ requests: 1, per: '1h' })) as Server,
      async ({ client }) => {
        await client.call('count')
        await expect(client.call('count')).rejects.toThrow(/Too many requests/)
      },
    ))
})

describe('limitResults', () => {
  const contentOf = async (maxCharacters: number, name: string) => {
    const { result } = await call(app().use(limitResults({ maxCharacters })) as ReturnType<typeof app>, name)
    return result as { content: { type: string; text?: string }[]; isError?: boolean }
  }

  it('cuts text at a whole character and says how much is missing', async () => {
    const { content } = await contentOf(10, 'long')
    expect(content[0]).toEqual({ type: 'text', text: 'xxxxxxxxx' })
    expect(content[1]!.text).toMatch(/^\[\d+ of \d+ characters are left out/)
    expect(content).toHaveLength(2)
  })

  it('leaves out other content that does not fit, and changes nothing that does', async () => {
    expect((await contentOf(100, 'long')).content.map(({ type }) => type)).toEqual(['text', 'text'])
    expect((await contentOf(10_000, 'long')).content.map(({ type }) => type)).toEqual(['text', 'image'])
  })

  it('refuses structured content that is too long, with advice', async () => {
    const { isError, content } = await contentOf(100, 'structured')
    expect([isError, content[0]!.text]).toEqual([true, expect.stringContaining('Ask for less')])
  })
})

describe('timing and logging', () => {
  it('tell what was asked, how it ended and how long it took', async () => {
    const seen: Timing[] = []
    const lines: string[] = []
    const server = app()
    server.use(timing((one) => seen.push(one)))
    server.use(logging({ write: (line) => lines.push(line) }))
    await call(server, 'count', { password: 'hunter2' })
    await call(server, 'fail')
    await call(server, 'no\u001b[31m\nsuch tool')
    await server.handle({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect(seen.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['count', 'ok'],
      ['fail', 'failed'],
      ['no\u001b[31m\nsuch tool', 'error'],
      [undefined, 'ok'],
    ])
    expect(lines.map((line) => line.replace(/\d+ ms$/, '… ms'))).toEqual([
      'tools/call count ok … ms',
      'tools/call fail failed … ms',
      'tools/call "no\\u001b[31m\\nsuch tool" error … ms',
      'tools/list ok … ms',
    ])
  })
})
