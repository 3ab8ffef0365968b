import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../jsonrpc/index.ts'
import type { Revision } from '../../protocol/index.ts'
import { eras } from '../../testing/index.ts'
import { everywhere } from '../../testing/fixtures/both-eras.test.support.ts'
import { RawPeer } from '../../testing/fixtures/raw-peer.test.support.ts'
import { prompt, resource, Server, template, tool } from '../index.ts'

const empty = { type: 'object' }

describe('lists', () => {
  it('everything given to the constructor is listed in the order it was given', async () => {
    const names = ['zeta', 'alpha', 'constructor', 'mid', '__proto__', '10', '2']
    const app = new Server({
      name: 'ordered',
      tools: names.map((name) => ({ name, ...tool({ run: () => name }) })),
      prompts: names.map((name) => ({ name, ...prompt({ run: () => name }) })),
      resources: names.map((name) => resource({ name, uri: `r://${name}`, text: name })),
      templates: names.map((name) => template({ name, uriTemplate: `t://${name}/{x}`, read: () => name })),
    })
    await everywhere(app, async ({ client }) => {
      const lists = [
        await client.listTools().all(),
        await client.listPrompts().all(),
        await client.listResources().all(),
        await client.listResourceTemplates().all(),
      ]
      for (const list of lists) expect(list.map(({ name }) => name)).toEqual(names)
    })
  })

  it('pages cover everything once, and a cursor survives what happens in between', async () => {
    const app = new Server({ name: 'paged', pageSize: 3 })
    for (let i = 0; i < 8; i++) app.tool(`tool${i}`, { run: () => '' })
    await everywhere(app, async ({ client }) => {
      expect((await client.listTools().all()).map(({ name }) => name)).toEqual(
        Array.from({ length: 8 }, (_, i) => `tool${i}`),
      )
    })
    const peer = new RawPeer(app)
    const first = (await peer.request('tools/list')) as { result: { tools: unknown[]; nextCursor: string } }
    expect(first.result.tools).toHaveLength(3)
    app.tool('tool0').remove()
    app.tool('tool2').remove()
    app.tool('late', { run: () => '' })
    const names: string[] = []
    for (let cursor: string | undefined = first.result.nextCursor; cursor !== undefined; ) {
      const page = (await peer.request('tools/list', { cursor })) as {
        result: { tools: { name: string }[]; nextCursor?: string }
      }
      names.push(...page.result.tools.map(({ name }) => name))
      cursor = page.result.nextCursor
    }
    expect(names).toEqual(['tool3', 'tool4', 'tool5', 'tool6', 'tool7', 'late'])
  })

  it.each(['', 'x', 'YWZ0ZXI6', 'YWZ0ZXI6LTE', '%%%', 7, null, {}, 'a'.repeat(100_000)])(
    'the bad cursor %j → −32602',
    async (cursor) => {
      const app = new Server({ name: 'paged', pageSize: 1, tools: { a: tool({ run: () => '' }) } })
      const peer = new RawPeer(app)
      expect(await peer.request('tools/list', { cursor })).toMatchObject({ error: { code: -32602 } })
      expect(await peer.modern('tools/list', { cursor } as object)).toMatchObject({ error: { code: -32602 } })
    },
  )

  it('made-up cursors do not make the server grow', async () => {
    const app = new Server({ name: 'paged', pageSize: 1, tools: { a: tool({ run: () => '' }) } })
    for (let i = 0; i < 2000; i++) {
      const cursor = Buffer.from(`after:${i}`).toString('base64url')
      const answer = await app.handle({ jsonrpc: '2.0', id: i, method: 'tools/list', params: { cursor } })
      expect(answer).toHaveProperty('result')
    }
  })
})

describe('names', () => {
  it('a duplicate name throws and leaves the server as it was', async () => {
    const app = new Server({ name: 's', tools: { a: tool({ description: 'first', run: () => 'first' }) } })
    expect(() => app.tool('a', { run: () => 'second' })).toThrow(/already a tool called "a"/)
    expect(() => app.tool('b', { input: { type: 'nonsense' }, run: () => '' })).toThrow()
    expect(() => app.tool('', { run: () => '' })).toThrow()
    await eras(app, async ({ client }) => {
      expect(await client.listTools().all()).toEqual([
        { name: 'a', description: 'first', inputSchema: empty },
      ])
      expect((await client.call('a')).text()).toBe('first')
    })
    const prompts = { a: prompt({ run: () => '' }) }
    expect(() => new Server({ name: 's', prompts }).prompt('a', prompts.a)).toThrow(/already a prompt/)
    const note = resource({ uri: 'n://1', text: '' })
    expect(() => new Server({ name: 's', resources: [note, note] })).toThrow(/already a resource/)
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])(
    '%s is an ordinary name',
    async (name) => {
      const bare = new Server({ name: 's', tools: { other: tool({ run: () => '' }) } })
      bare.prompt('other', { run: () => '' })
      const named = new Server({ name: 's' })
      named.tool(name, { run: () => `tool ${name}` })
      named.prompt(name, { run: () => `prompt ${name}` })
      await everywhere(bare, async ({ client }) => {
        await expect(client.call(name)).rejects.toMatchObject({ code: -32602 })
        await expect(client.getPrompt(name)).rejects.toMatchObject({ code: -32602 })
      })
      await everywhere(named, async ({ client }) => {
        expect((await client.call(name)).text()).toBe(`tool ${name}`)
        expect((await client.getPrompt(name)).messages[0]?.content).toMatchObject({ text: `prompt ${name}` })
      })
    },
  )

  it('a handle that lost its name to another changes nothing any more', async () => {
    const app = new Server({ name: 's' })
    const old = app.tool('a', { run: () => 'old' }).tool('a')
    old.remove()
    app.tool('a', { run: () => 'new' })
    old.remove()
    old.disable()
    old.update({ description: 'x' })
    expect(await app.handle({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).toMatchObject({
      result: { tools: [{ name: 'a', inputSchema: empty }] },
    })
  })
})

describe('what an entry says', () => {
  const icon = { src: 'https://example.com/i.png', mimeType: 'image/png', sizes: ['48x48'] }
  const app = new Server({
    name: 'facts',
    title: 'Facts',
    websiteUrl: 'https://example.com',
    icons: [icon],
    tools: {
      all: tool({
        title: 'All',
        description: 'Everything',
        icons: [icon],
        _meta: { 'com.example/x': 1 },
        output: z.object({ n: z.number() }),
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
        run: () => ({ n: 1 }),
      }),
      list: tool({ output: z.array(z.number()), run: () => [1] }),
    },
    prompts: {
      p: prompt({
        title: 'P',
        icons: [icon],
        arguments: { a: { title: 'A', description: 'An a' } },
        run: () => '',
      }),
    },
    resources: {
      r: resource({
        uri: 'r://1',
        title: 'R',
        size: 3,
        annotations: { priority: 1 },
        icons: [icon],
        text: 'abc',
      }),
    },
  })

  const since = (revision: Revision, first: Revision, facts: JsonObject): JsonObject =>
    revision >= first ? facts : {}

  it('facts appear exactly as set, and only in revisions that know them', async () => {
    await everywhere(app, async ({ client, revision }) => {
      const [all, list] = await client.listTools().all()
      const { outputSchema, ...rest } = all!
      expect(rest).toEqual({
        name: 'all',
        description: 'Everything',
        inputSchema: empty,
        ...since(revision, '2025-03-26', {
          annotations: {
            readOnlyHint: true,
            destructiveHint: false,
            idempotentHint: true,
            openWorldHint: false,
          },
        }),
        ...since(revision, '2025-06-18', { title: 'All', _meta: { 'com.example/x': 1 } }),
        ...since(revision, '2025-11-25', { icons: [icon] }),
      })
      expect(outputSchema !== undefined).toBe(revision >= '2025-06-18')
      // Until 2026-07-28 an output schema described an object.
      expect(list!.outputSchema !== undefined).toBe(revision >= '2026-07-28')
      expect(await client.listPrompts().all()).toEqual([
        {
          name: 'p',
          arguments: [{ name: 'a', description: 'An a', ...since(revision, '2025-06-18', { title: 'A' }) }],
          ...since(revision, '2025-06-18', { title: 'P' }),
          ...since(revision, '2025-11-25', { icons: [icon] }),
        },
      ])
      expect(await client.listResources().all()).toEqual([
        {
          uri: 'r://1',
          name: 'r',
          size: 3,
          annotations: { priority: 1 },
          ...since(revision, '2025-06-18', { title: 'R' }),
          ...since(revision, '2025-11-25', { icons: [icon] }),
        },
      ])
      expect(client.serverInfo).toEqual({
        name: 'facts',
        version: '0.0.0',
        ...since(revision, '2025-06-18', { title: 'Facts' }),
        ...since(revision, '2025-11-25', { icons: [icon], websiteUrl: 'https://example.com' }),
      })
    })
  })

  it('structured results appear in revisions that know them; the text is always there', async () => {
    await everywhere(app, async ({ client, revision }) => {
      const { _meta, resultType: _type, ...all } = (await client.call('all')).raw
      expect(all).toEqual({
        content: [{ type: 'text', text: '{"n":1}' }],
        ...since(revision, '2025-06-18', { structuredContent: { n: 1 } }),
      })
      const list = (await client.call('list')).raw
      expect(list.content).toEqual([{ type: 'text', text: '[1]' }])
      expect(list.structuredContent).toEqual(revision >= '2026-07-28' ? [1] : undefined)
    })
  })
})
