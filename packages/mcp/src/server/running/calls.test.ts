import { runInNewContext } from 'node:vm'
import { type } from 'arktype'
import * as v from 'valibot'
import { Type } from 'typebox'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { LEGACY_REVISIONS } from '../../protocol/index.ts'
import { eras } from '../../testing/index.ts'
import { envelope, everywhere } from '../../testing/fixtures/both-eras.test.support.ts'
import { RawPeer } from '../../testing/fixtures/raw-peer.test.support.ts'
import {
  prompt,
  ProtocolError,
  resource,
  Server,
  template,
  text,
  tool,
  ToolError,
  ToolResult,
  user,
} from '../index.ts'

const callOf = (name: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, ...envelope() },
})
const failed = { content: [{ type: 'text', text: 'Internal error occurred' }], isError: true }

describe('what is not there', () => {
  const app = new Server({
    name: 's',
    tools: { real: tool({ run: () => '' }) },
    prompts: {
      real: prompt({
        arguments: { who: { required: true }, constructor: { required: true } },
        run: () => '',
      }),
    },
    resources: { r: resource({ uri: 'r://1', text: '' }) },
  }) as Server

  it('an unknown tool, prompt or argument → −32602 naming it', async () => {
    await everywhere(app, async ({ client }) => {
      await expect(client.call('ghost')).rejects.toMatchObject({
        code: -32602,
        message: 'Unknown tool: ghost',
      })
      await expect(client.getPrompt('ghost')).rejects.toMatchObject({
        code: -32602,
        message: 'Unknown prompt: ghost',
      })
      await expect(client.getPrompt('real')).rejects.toMatchObject({
        code: -32602,
        message: 'Missing required argument: who',
      })
      await expect(client.getPrompt('real', { who: 'me' })).rejects.toMatchObject({
        message: 'Missing required argument: constructor',
      })
    })
  })

  it('an unknown resource → −32002 on legacy, −32602 on modern, with its uri', async () => {
    const peer = new RawPeer(app)
    const params = { uri: 'r://2' }
    const expected = (code: number) => ({
      jsonrpc: '2.0',
      id: expect.anything(),
      error: { code, message: 'Resource not found: r://2', data: { uri: 'r://2' } },
    })
    expect(await peer.modern('resources/read', params)).toEqual(expected(-32602))
    for (const revision of LEGACY_REVISIONS) {
      await peer.handshake(revision)
      expect(await peer.request('resources/read', params)).toEqual(expected(-32002))
    }
  })

  it.each(['tools/call', 'prompts/get', 'resources/read'])('%s with wrong types → −32602', async (method) => {
    const peer = new RawPeer(app)
    for (const params of [{}, { name: 7, uri: 7 }, { name: null, uri: [] }, { name: {}, uri: {} }]) {
      expect(await peer.request(method, params)).toMatchObject({ error: { code: -32602 } })
      expect(await peer.modern(method, params)).toMatchObject({ error: { code: -32602 } })
    }
    for (const value of [7, null, {}, []]) {
      expect(
        await peer.request('prompts/get', { name: 'real', arguments: { who: value, constructor: 'x' } }),
      ).toMatchObject({ error: { code: -32602 } })
    }
  })
})

describe('a handler that fails', () => {
  const reports: unknown[] = []
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  const deep = (): unknown => JSON.parse('['.repeat(200_000) + ']'.repeat(200_000))
  const throws = (): never => {
    throw new Error('gone')
  }
  const app = new Server({
    name: 's',
    configuration: { exceptionReporter: (thrown) => reports.push(thrown) },
    tools: {
      secret: tool({ run: () => Promise.reject(new Error('password is 1234')) }),
      sync: tool({
        run: () => {
          throw new Error('password is 1234')
        },
      }),
      undefined: tool({ run: () => Promise.reject(undefined) }),
      text: tool({ run: () => Promise.reject('a string') }),
      nobody: tool({ run: () => Promise.reject(Object.create(null)) }),
      shown: tool({ run: () => Promise.reject(new ToolError('The disk is full')) }),
      protocol: tool({ run: () => Promise.reject(new ProtocolError(-32099, 'mine', { a: 1 })) }),
      bigint: tool({ run: async () => ({ n: 1n }) as unknown as string }),
      cyclic: tool({ run: async () => cycle as unknown as string }),
      cyclicSync: tool({ run: () => cycle as unknown as string }),
      hidden: tool({ run: () => new ToolResult({ content: [], structuredContent: { n: 1n } }) }),
      nested: tool({ run: async () => new ToolResult({ content: [], _meta: { deep: deep() } }) }),
    },
    prompts: {
      bad: prompt({ run: () => Promise.reject(new Error('password is 1234')) }),
      odd: prompt({ run: () => 7 as unknown as string }),
    },
    resources: {
      bad: resource({ uri: 'bad://1', read: () => Promise.reject(new Error('password is 1234')) }),
      odd: resource({ uri: 'odd://1', read: () => 7 as unknown as string }),
    },
  })

  it.each(['secret', 'sync', 'undefined', 'text', 'nobody', 'bigint', 'cyclic', 'cyclicSync'])(
    'the tool %s answers isError without a word of the exception',
    async (name) => {
      reports.length = 0
      await everywhere(app, async ({ client, traffic }) => {
        const { content, isError } = (await client.call(name)).raw
        expect({ content, isError }).toEqual(failed)
        expect(JSON.stringify(traffic)).not.toContain('1234')
      })
      expect(reports).toHaveLength(6)
    },
  )

  it('a ToolError shows its message, and is not reported', async () => {
    reports.length = 0
    await everywhere(app, async ({ client }) => {
      const { content, isError } = (await client.call('shown')).raw
      expect({ content, isError }).toEqual({
        content: [{ type: 'text', text: 'The disk is full' }],
        isError: true,
      })
    })
    expect(reports).toEqual([])
  })

  it('a whole result, as other SDKs take it, is an error that says what to return', async () => {
    const heard: unknown[] = []
    const block = { type: 'text', text: 'hello' } as const
    const mixed = new Server({
      name: 's',
      configuration: { exceptionReporter: (thrown) => heard.push(thrown) },
      tools: {
        whole: { run: () => ({ content: [block] }) },
        refused: { run: async () => ({ content: [block], isError: true }) },
        data: { run: () => ({ content: [block], total: 1 }) },
        rows: { run: () => ({ content: [{ type: 'row' }] }) },
        none: { run: () => ({ content: [] }) },
        promised: {
          output: z.object({ content: z.array(z.object({ type: z.literal('text'), text: z.string() })) }),
          run: () => ({ content: [block] }),
        },
        full: { run: () => new ToolResult({ content: [block] }) },
      },
    })
    await eras(mixed, async ({ client }) => {
      for (const name of ['whole', 'refused']) expect((await client.call(name)).raw).toMatchObject(failed)
      for (const name of ['data', 'rows', 'none', 'promised'])
        expect((await client.call(name)).structured).toHaveProperty('content')
      expect((await client.call('full')).text()).toBe('hello')
    })
    const advice = expect.stringMatching(/"(whole|refused)" returned a whole result.*new ToolResult/)
    expect(heard).toEqual(Array(6).fill(expect.objectContaining({ message: advice })))
  })

  it.each(['hidden', 'nested'])(
    'a result that cannot be written (%s) is an error of the tool',
    async (name) => {
      reports.length = 0
      await eras(app, async ({ client }) => {
        expect((await client.call(name)).raw).toMatchObject(failed)
        expect((await client.call('shown')).isError).toBe(true)
      })
      expect(reports).toHaveLength(3)
    },
  )

  it.each([
    ['a Map', { list: [{ by: new Map() }] }, 'result.list[0].by is a Map'],
    ['a function', { a: { f: () => 1 } }, 'result.a.f is a function'],
    ['bytes', { bytes: new Uint8Array(2) }, 'result.bytes is bytes'],
    ['a bigint', { n: 1n }, 'result.n is a bigint'],
    ['a number that JSON does not have', { n: [Number.NaN] }, 'result.n[0] is NaN'],
    ['a promise that nobody awaited', { later: Promise.resolve(1) }, 'result.later is a Promise'],
    ['a circle', cycle, 'result.self contains itself'],
    ['what toJSON makes', { a: { toJSON: () => ({ b: new Map() }) } }, 'result.a.b is a Map'],
    ['a bigint of toJSON', { a: { toJSON: () => 1n } }, 'result.a is a bigint'],
    ['a toJSON that throws', { a: { toJSON: throws } }, 'result.a cannot be read: gone'],
    [
      'a getter that throws',
      Object.defineProperty({}, 'a', { get: throws, enumerable: true }),
      'result.a cannot be read: gone',
    ],
    ['a date that is none', { at: new Date('x') }, 'result.at is an invalid Date'],
    [
      'what nests without end',
      { deep: JSON.parse(`${'['.repeat(600)}${']'.repeat(600)}`) },
      'nests more than 500 levels',
    ],
  ])('%s in a result is reported with its path', async (_, value, expected) => {
    const heard: string[] = []
    const configuration = { exceptionReporter: (thrown: unknown) => heard.push(String(thrown)) }
    for (const run of [
      () => value as never,
      () => new ToolResult({ structuredContent: { value } as never }),
    ]) {
      const odd = new Server({ name: 's', configuration, tools: { t: tool({ run }) } })
      expect(await odd.handle(callOf('t'))).toMatchObject({ result: { isError: true } })
    }
    expect(heard[0]).toContain(expected)
    expect(heard[1]).toContain(expected.replace('result.', 'result.structuredContent.value.'))
  })

  it('content that no client takes is an error that names its place', async () => {
    const heard: string[] = []
    const odd = new Server({
      name: 's',
      configuration: { exceptionReporter: (thrown) => heard.push(String(thrown)) },
      tools: {
        text: { run: () => [text('a'), { type: 'text' }] as never },
        number: { run: () => text(5 as never) },
        whole: { run: () => new ToolResult({ content: 'x' } as never) },
        hole: { run: () => new ToolResult({ content: new Array(1) as never }) },
      },
      prompts: {
        number: { run: () => [5] as never },
        role: { run: () => [{ content: text('x') }] as never },
        text: { run: () => [{ role: 'user', content: 'x' }] as never },
      },
      resources: {
        number: { uri: 'r://number', read: () => [5] as never },
        none: { uri: 'r://none', read: () => ({}) as never },
        text: { uri: 'r://text', read: () => ({ text: 5 }) as never },
      },
    })
    await eras(odd, async ({ client }) => {
      heard.length = 0
      for (const name of ['text', 'number', 'whole', 'hole'])
        expect((await client.call(name)).isError).toBe(true)
      for (const name of ['number', 'role', 'text'] as const)
        await expect(client.getPrompt(name)).rejects.toThrow()
      for (const name of ['number', 'none', 'text'])
        await expect(client.readResource(`r://${name}`)).rejects.toThrow()
      expect(heard.map((line) => /result\.\S+/.exec(line)?.[0])).toEqual([
        'result.content[1].text',
        'result.content[0].text',
        'result.content',
        'result.content[0]',
        'result.messages[0]',
        'result.messages[0]',
        'result.messages[0].content',
        'result.contents[0]',
        'result.contents[0]',
        'result.contents[0]',
      ])
    })
  })

  it.each(['task', 'input_required', 'complete', 'error'])(
    'a value whose type is %s is a value',
    async (type) => {
      const value = { type, title: 'Buy milk' }
      const output = z.object({ type: z.string(), title: z.string() })
      const odd = new Server({
        name: 's',
        tools: { plain: { run: () => value }, checked: { output, run: () => value } },
        prompts: { p: { run: () => ({ ...value, messages: [] }) } },
        resources: { r: { uri: 'r://1', read: () => ({ ...value, text: '' }) } },
      })
      await eras(odd, async ({ client }) => {
        for (const name of ['plain', 'checked']) expect((await client.call(name)).structured).toEqual(value)
        expect(await client.getPrompt('p')).toMatchObject({ messages: [] })
        expect(await client.readResource('r://1')).toMatchObject({ contents: [{ text: '' }] })
      })
    },
  )

  it.each([
    ['a Map', new Map(), 'is a Map'],
    ['a function', () => 1, 'is a function'],
    ['a bigint', 1n, 'is a bigint'],
    ['headers', new Headers({ a: 'b' }), 'is a Headers'],
    ['an iterator', [1].values(), 'is a Array Iterator'],
    ['a circle', cycle, 'contains itself'],
  ])('so is %s in a prompt, in a resource and in what a template reads', async (_, value, what) => {
    const heard: string[] = []
    const read = () => ({ text: '', _meta: { value } })
    const odd = new Server({
      name: 's',
      configuration: { exceptionReporter: (thrown) => heard.push(String(thrown)) },
      prompts: {
        meta: prompt({ run: () => ({ messages: [], _meta: { value } }) }),
        text: prompt({ run: () => user({ type: 'text', text: value as never }) }),
      },
      resources: { r: resource({ uri: 'r://1', read }) },
      templates: {
        t: template({ uriTemplate: 't://{x}', read: () => ({ contents: [{ uri: 't://1', ...read() }] }) }),
      },
    })
    await eras(odd, async ({ client }) => {
      heard.length = 0
      for (const ask of [
        client.getPrompt('meta'),
        client.getPrompt('text'),
        client.readResource('r://1'),
        client.readResource('t://1'),
      ]) {
        await expect(ask).rejects.toMatchObject({ code: -32603, message: 'Internal error' })
      }
      expect(heard).toHaveLength(4)
      for (const [index, path] of [
        'result._meta.value',
        'result.messages[0].content.text',
        'result.contents[0]._meta.value',
        'result.contents[0]._meta.value',
      ].entries()) {
        expect(heard[index]).toContain(path)
        expect(heard[index]).toContain(what)
      }
    })
  })

  it('is printed with the name of the tool and the stack when no reporter is set, once', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {})
    try {
      const quiet = new Server({
        name: 's',
        tools: { t: tool({ run: () => Promise.reject(new Error('why')) }) },
      })
      await quiet.handle(callOf('t'))
      await quiet.handle(callOf('t'))
      expect(print.mock.calls).toEqual([
        ['tools/call "t" failed:', expect.objectContaining({ message: 'why' })],
      ])
    } finally {
      print.mockRestore()
    }
  })

  it.each([
    ['text', () => 'done'],
    ['content', () => text('done')],
    ['a list of content', () => [text('done')]],
    ['nothing', () => undefined],
    ['a result without the output', () => new ToolResult({ content: [text('done')] })],
    ['a result with another output', () => new ToolResult({ structuredContent: { url: 7 } })],
  ])('%s is refused where an output is promised', async (_, run) => {
    const heard: string[] = []
    const configuration = { exceptionReporter: (thrown: unknown) => heard.push(String(thrown)) }
    const output = z.object({ url: z.string() })
    const promised = new Server({
      name: 's',
      configuration,
      tools: { t: tool({ output, run: run as never }) },
    })
    expect(await promised.handle(callOf('t'))).toMatchObject({ result: { isError: true } })
    expect(heard[0]).toContain('The tool "t" returned an invalid output')
  })

  it('a ProtocolError is meant for the wire', async () => {
    await eras(app, async ({ client }) => {
      await expect(client.call('protocol')).rejects.toMatchObject({
        code: -32099,
        message: 'mine',
        data: { a: 1 },
      })
    })
  })

  it('other handlers answer −32603 without text', async () => {
    await everywhere(app, async ({ client, traffic }) => {
      for (const ask of [
        client.getPrompt('bad'),
        client.getPrompt('odd'),
        client.readResource('bad://1'),
        client.readResource('odd://1'),
      ]) {
        await expect(ask).rejects.toMatchObject({ code: -32603, message: 'Internal error' })
      }
      expect(JSON.stringify(traffic)).not.toContain('1234')
    })
  })
})

describe('a handler that returns something to be awaited', () => {
  // As query builders do, and promises that were made in another realm.
  // biome-ignore lint/suspicious/noThenProperty: it is meant to be awaited
  const thenable = { then: (resolve: (value: string) => void) => resolve('from afar') }
  const foreign = runInNewContext('Promise.resolve("from afar")') as Promise<string>

  it.each([['a thenable', thenable] as const, ['a foreign promise', foreign] as const])(
    '%s is awaited in both eras',
    async (_, value) => {
      const app = new Server({ name: 's', tools: { a: tool({ run: () => value as unknown as string }) } })
      await everywhere(app, async ({ client }) => {
        expect((await client.call('a')).text()).toBe('from afar')
      })
    },
  )

  it('what a thenable throws is hidden', async () => {
    // biome-ignore lint/suspicious/noThenProperty: it is meant to be awaited
    const broken = { then: (_: unknown, reject: (thrown: Error) => void) => reject(new Error('secret')) }
    const app = new Server({ name: 's', tools: { a: tool({ run: () => broken as unknown as string }) } })
    expect(await new RawPeer(app).modern('tools/call', { name: 'a' })).toMatchObject({ result: failed })
  })

  it('a validation of another realm counts', async () => {
    const issues = runInNewContext('Promise.resolve({ issues: [{ message: "no good" }] })') as Promise<never>
    const standard = {
      version: 1,
      vendor: 'far',
      validate: () => issues,
      jsonSchema: z.object({})['~standard'].jsonSchema,
    }
    const input = { '~standard': standard } as unknown as z.ZodObject
    const app = new Server({ name: 's', tools: { a: tool({ input, run: () => 'ran' }) } })
    const answer = await new RawPeer(app).modern('tools/call', { name: 'a' })
    expect(answer).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('no good') }] },
    })
  })
})

describe('arguments', () => {
  const libraries = {
    zod: z.object({ name: z.string(), age: z.number().int().min(0), tags: z.array(z.string()).optional() }),
    valibot: v.object({
      name: v.string(),
      age: v.pipe(v.number(), v.integer(), v.minValue(0)),
      tags: v.optional(v.array(v.string())),
    }),
    arktype: type({ name: 'string', age: 'number.integer>=0', 'tags?': 'string[]' }),
    typebox: Type.Object({
      name: Type.String(),
      age: Type.Integer({ minimum: 0 }),
      tags: Type.Optional(Type.Array(Type.String())),
    }),
    json: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        age: { type: 'integer', minimum: 0 },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['name', 'age'],
    },
  }

  it.each(Object.keys(libraries) as (keyof typeof libraries)[])(
    'bad arguments checked with %s answer isError with a message that names each field',
    async (library) => {
      const app = new Server({
        name: 's',
        tools: { t: tool({ input: libraries[library] as never, run: (args) => JSON.stringify(args) }) },
      })
      await eras(app, async ({ client }) => {
        const good = await client.call('t', { name: 'Ada', age: 36 })
        expect(JSON.parse(good.text())).toEqual({ name: 'Ada', age: 36 })
        const bad = await client.call('t', { name: 7, age: -1 })
        expect(bad.isError).toBe(true)
        expect(bad.text()).toContain('name')
        expect(bad.text()).toContain('age')
        const missing = await client.call('t', { age: 1 })
        expect(missing.isError).toBe(true)
        expect(missing.text()).toContain('name')
        const nested = await client.call('t', { name: 'x', age: 1, tags: ['a', 7] })
        expect(nested.isError).toBe(true)
        expect(nested.text()).toContain('tags')
        expect((await client.call('t')).isError).toBe(true)
      })
    },
  )

  it.each([null, 7, 'x', [], true])('arguments of the wrong kind, %j, are no crash', async (args) => {
    const app = new Server({
      name: 's',
      tools: { t: tool({ input: z.object({ a: z.string() }), run: () => '' }) },
    })
    const peer = new RawPeer(app)
    for (const answer of [
      await peer.request('tools/call', { name: 't', arguments: args }),
      await peer.modern('tools/call', { name: 't', arguments: args }),
    ]) {
      expect(answer).toMatchObject({ result: { isError: true } })
    }
  })

  it('10,000 levels of nesting are refused with the id of the request, without a crash', async () => {
    const app = new Server({
      name: 's',
      tools: {
        open: tool({ run: () => 'fine' }),
        ask: tool({ run: async (_args, ctx) => String(await ctx.confirm('Sure?')) }),
        back: tool({ run: (args) => args as unknown as string }),
      },
    })
    const nested = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
    for (const name of ['open', 'ask', 'back']) {
      for (const meta of ['', `,"_meta":${JSON.stringify(metaWithElicitation)}`]) {
        const params = `{"name":"${name}","arguments":${nested}${meta}}`
        const answer = await app.handleJson(
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
        )
        expect(JSON.parse(answer!)).toMatchObject({
          id: 1,
          error: { code: -32600, message: expect.stringContaining('512 levels') },
        })
      }
    }
  })

  const metaWithElicitation = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  }

  it('a schema without a type gets one; a bad schema throws when it is defined, and names the tool', async () => {
    const app = new Server({
      name: 's',
      tools: { t: tool({ input: { properties: { a: { type: 'string' } } }, run: () => '' }) },
    })
    await eras(app, async ({ client }) => {
      const [first] = await client.listTools().all()
      expect(first!.inputSchema).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
    })
    const define = (input: object) => () =>
      new Server({ name: 's' }).tool('bad', { input, run: () => '' } as never)
    expect(define({ type: 'string' })).toThrow(/"bad"/)
    expect(define({ type: 'object', properties: { a: { type: 'nothing' } } })).toThrow(/"bad"/)
    expect(define({ type: 'object', properties: { a: { $ref: 'https://example.com/x' } } })).toThrow(/"bad"/)
    expect(define({ type: 'object', properties: { a: { $ref: '#/$defs/none' } } })).toThrow(/"bad"/)
    const local = {
      type: 'object',
      $defs: { s: { type: 'string' } },
      properties: { a: { $ref: '#/$defs/s' } },
    }
    expect(define(local)).not.toThrow()
    const deep = JSON.parse(`${'{"properties":{"a":'.repeat(200)}{}${'}}'.repeat(200)}`)
    expect(define({ type: 'object', ...deep })).toThrow(/"bad"/)
  })

  it('a tool without arguments works when the client omits them', async () => {
    const seen: unknown[] = []
    const app = new Server({
      name: 's',
      tools: {
        plain: tool({ run: (args) => void seen.push(args) }),
        typed: tool({ input: z.object({ n: z.number().default(3) }), run: ({ n }) => String(n + 1) }),
      },
    })
    await everywhere(app, async ({ client }) => {
      expect((await client.call('plain')).raw.content).toEqual([])
      expect((await client.call('typed')).text()).toBe('4')
    })
    expect(seen.every((args) => JSON.stringify(args) === '{}')).toBe(true)
  })

  it("handlers get the schema's output, and callers are told about bad output", async () => {
    const reports: unknown[] = []
    const app = new Server({
      name: 's',
      configuration: { exceptionReporter: (thrown) => reports.push(thrown) },
      tools: {
        upper: tool({
          input: z.object({ t: z.string().transform((t) => t.toUpperCase()) }),
          output: z.object({ t: z.string() }),
          run: ({ t }) => ({ t }),
        }),
        wrong: tool({ output: z.object({ t: z.string() }), run: () => ({ t: 7 as unknown as string }) }),
      },
    })
    await eras(app, async ({ client }) => {
      expect((await client.call('upper', { t: 'x' })).json()).toEqual({ t: 'X' })
      const wrong = await client.call('wrong')
      expect(wrong.isError).toBe(true)
      expect(wrong.raw.structuredContent).toBeUndefined()
    })
    expect(reports[0]).toMatchObject({ code: 'invalid_output' })
  })
})
