import { afterEach, describe, expect, it } from 'vitest'
import { eras } from '../testing/index.ts'
import { everywhere } from '../testing/fixtures/both-eras.test.support.ts'
import { RawPeer } from '../testing/fixtures/raw-peer.test.support.ts'
import {
  configure,
  Configuration,
  type Context,
  type InstrumentationData,
  prompt,
  resource,
  Server,
  template,
  tool,
  ToolError,
} from './index.ts'

afterEach(() => {
  configure((c) => {
    c.exceptionReporter = undefined
    c.instrumentationCallback = undefined
    c.aroundRequest = undefined
    c.protocolVersion = null
  })
})

const tools = {
  fine: tool({ run: () => 'fine' }),
  slow: tool({
    run: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return 'slow'
    },
  }),
  bad: tool({ run: () => Promise.reject(new Error('secret')) }),
  told: tool({ run: () => Promise.reject(new ToolError('told')) }),
}
const call = (name: string, args = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})

describe('configuration', () => {
  it('what a server leaves unset falls back to the global value, also when that is set later', async () => {
    const seen: string[] = []
    const own = new Server({
      name: 'own',
      tools,
      configuration: { exceptionReporter: () => seen.push('own') },
    })
    const plain = new Server({ name: 'plain', tools, configuration: new Configuration() })
    configure((c) => {
      c.exceptionReporter = () => seen.push('global')
      c.instrumentationCallback = ({ method }) => seen.push(method)
    })
    await own.handle(call('bad'))
    await plain.handle(call('bad'))
    expect(seen).toEqual(['own', 'tools/call', 'global', 'tools/call'])
  })

  it('a global protocol version pins, and a server’s own wins over it', async () => {
    configure((c) => {
      c.protocolVersion = '2025-03-26'
    })
    const pinned = new Server({ name: 'a' })
    const own = new Server({ name: 'b', configuration: { protocolVersion: '2025-06-18' } })
    expect([pinned.revisions, own.revisions]).toEqual([['2025-03-26'], ['2025-06-18']])
  })
})

describe('the context', () => {
  it('every kind of handler gets the same second argument, made for its request', async () => {
    const seen: Record<string, Context> = {}
    const app = new Server({
      name: 's',
      tools: {
        t: tool({
          run: (_args, ctx) => {
            seen.tool = ctx
            return ''
          },
        }),
      },
      prompts: {
        p: prompt({
          arguments: {
            a: {
              complete: (_value, ctx) => {
                seen.completion = ctx
                return []
              },
            },
          },
          run: (_args, ctx) => {
            seen.prompt = ctx
            return ''
          },
        }),
      },
      resources: {
        r: resource({
          uri: 'r://1',
          read: (_uri, ctx) => {
            seen.resource = ctx
            return ''
          },
        }),
      },
      templates: {
        t: template({
          uriTemplate: 't://{x}',
          read: (_variables, ctx) => {
            seen.template = ctx
            return ''
          },
        }),
      },
      resourcesReadHandler: (_params, ctx) => {
        seen.fallback = ctx
        return ''
      },
    })
    const auth = {
      principal: { kind: 'person' as const, subject: 'ada' },
      scopes: ['read'],
      claims: { sub: 'ada' },
    }
    await everywhere(
      app,
      async ({ client, revision }) => {
        const requestMeta = { meta: { 'com.example/trace': 'x' } }
        await client.request('tools/call', { name: 't', _meta: requestMeta.meta })
        await client.request('prompts/get', { name: 'p', _meta: requestMeta.meta })
        for (const uri of ['r://1', 't://1', 'f://1']) {
          await client.request('resources/read', { uri, _meta: requestMeta.meta })
        }
        await client.request('completion/complete', {
          ref: { type: 'ref/prompt', name: 'p' },
          argument: { name: 'a', value: '' },
          _meta: requestMeta.meta,
        })
        expect(Object.keys(seen).sort()).toEqual([
          'completion',
          'fallback',
          'prompt',
          'resource',
          'template',
          'tool',
        ])
        for (const ctx of Object.values(seen)) {
          expect(ctx.serverContext).toEqual({ user: 7 })
          expect(ctx.auth).toEqual(auth)
          expect(ctx.protocolVersion).toBe(revision)
          expect(ctx.client.info?.name).toBe('tester')
          expect(ctx.client.capabilities).toHaveProperty('elicitation')
          expect(ctx.meta['com.example/trace']).toBe('x')
          expect(ctx.signal.aborted).toBe(false)
        }
      },
      { context: { auth, serverContext: { user: 7 } }, client: { name: 'tester', version: '1' } },
    )
  })

  it('contexts of concurrent requests do not mix', async () => {
    const app = new Server({
      name: 's',
      tools: {
        who: tool({
          run: async (_args, ctx) => {
            await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
            return String(ctx.serverContext)
          },
        }),
      },
    })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => app.handle(call('who'), { serverContext: `user${i}` })),
    )
    for (const [i, answer] of answers.entries()) {
      expect(answer).toMatchObject({ result: { content: [{ text: `user${i}` }] } })
    }
  })
})

describe('the exception reporter', () => {
  it('gets the thrown value and its circumstances, once per failure', async () => {
    const reports: [unknown, unknown][] = []
    const app = new Server({
      name: 's',
      tools,
      prompts: { p: prompt({ run: () => Promise.reject('not an Error') }) },
      configuration: { exceptionReporter: (...report) => reports.push(report) },
    })
    await eras(app, async ({ client }) => {
      reports.length = 0
      await client.call('bad', { a: 1 })
      await client.call('told')
      await expect(client.getPrompt('p')).rejects.toThrow()
      await expect(client.call('none')).rejects.toThrow()
      expect(reports).toHaveLength(2)
      expect(reports[0]).toEqual([
        new Error('secret'),
        {
          toolName: 'bad',
          arguments: { a: 1 },
          request: { method: 'tools/call', params: expect.objectContaining({ name: 'bad' }) },
        },
      ])
      expect(reports[1]).toMatchObject(['not an Error', { request: { method: 'prompts/get' } }])
    })
  })

  it('a reporter that throws changes nothing, also when it does so later', async () => {
    for (const exceptionReporter of [
      () => {
        throw new Error('reporter')
      },
      // An unhandled rejection would end this process, and the test with it.
      () => Promise.reject(new Error('reporter')),
    ]) {
      const app = new Server({ name: 's', tools, configuration: { exceptionReporter } })
      expect(await app.handle(call('bad'))).toMatchObject({ result: { isError: true } })
      await new Promise((resolve) => setImmediate(resolve))
    }
  })

  it('knows the request that middleware, or what wraps requests, failed in', async () => {
    const reports: unknown[] = []
    const exceptionReporter = (...[, context]: [unknown, unknown]) => reports.push(context)
    const broken = (method: string) => {
      if (method === 'tools/call') throw new Error('broken')
    }
    const apps = [
      { middleware: [async (exchange, next) => broken(exchange.method) ?? next()] },
      { middleware: [async (exchange, next) => (exchange.method === 'tools/call' ? undefined : next())] },
      { configuration: { aroundRequest: async (data, next) => broken(data.method) ?? next() } },
    ] as Partial<ConstructorParameters<typeof Server>[0]>[]
    for (const options of apps) {
      const configuration = { exceptionReporter, ...(options.configuration as object) }
      await eras(new Server({ name: 's', tools, ...options, configuration }), async ({ client }) => {
        reports.length = 0
        await expect(client.call('fine', { a: 1 })).rejects.toMatchObject({ code: -32603 })
        expect(reports).toEqual([
          {
            toolName: 'fine',
            arguments: { a: 1 },
            request: { method: 'tools/call', params: expect.objectContaining({ name: 'fine' }) },
          },
        ])
      })
    }
  })
})

describe('instrumentation', () => {
  const run = async (messages: object[]): Promise<InstrumentationData[]> => {
    const seen: InstrumentationData[] = []
    const app = new Server({
      name: 's',
      tools,
      prompts: { p: prompt({ run: () => '' }) },
      resources: { r: resource({ uri: 'r://1', text: '' }) },
      configuration: { instrumentationCallback: (data) => seen.push(data) },
    })
    await Promise.all(messages.map((message) => app.handle(message)))
    return seen
  }
  const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })

  it.each([
    ['ping', {}, {}],
    ['tools/list', {}, {}],
    ['logging/setLevel', { level: 'error' }, {}],
    ['tools/call', { name: 'fine' }, { toolName: 'fine' }],
    ['tools/call', { name: 'none' }, { error: 'tool_not_found' }],
    ['tools/call', { name: 'bad' }, { toolName: 'bad', error: 'internal_error' }],
    ['prompts/get', { name: 'p' }, { promptName: 'p' }],
    ['prompts/get', { name: 'none' }, { error: 'prompt_not_found' }],
    ['resources/read', { uri: 'r://1' }, { resourceUri: 'r://1' }],
    ['resources/read', { uri: 'r://2' }, { error: 'resource_not_found' }],
    ['nothing/known', {}, { error: 'method_not_found' }],
    [
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
      {},
    ],
  ])('%s %j is reported once, with what matched', async (method, params, expected) => {
    const seen = await run([request(method, params)])
    expect(seen).toHaveLength(1)
    const { duration, toolArguments: _arguments, clientName: _client, ...rest } = seen[0]!
    expect(rest).toEqual({ method, ...expected })
    expect(duration).toBeGreaterThanOrEqual(0)
    expect(duration).toBeLessThan(60)
  })

  it('durations are seconds, and concurrent requests have separate data', async () => {
    const names = ['slow', 'fine', 'slow', 'none', 'bad']
    const seen = await run(names.map((name) => request('tools/call', { name })))
    expect(seen).toHaveLength(5)
    expect(new Set(seen).size).toBe(5)
    const slow = seen.filter(({ toolName }) => toolName === 'slow')
    expect(slow).toHaveLength(2)
    for (const { duration } of slow) expect(duration).toBeGreaterThan(0.015)
    expect(seen.find(({ toolName }) => toolName === 'fine')).not.toHaveProperty('error')
  })

  it('a callback that throws changes nothing, also when it does so later', async () => {
    for (const instrumentationCallback of [
      () => {
        throw new Error('callback')
      },
      () => Promise.reject(new Error('callback')),
    ]) {
      const app = new Server({ name: 's', tools, configuration: { instrumentationCallback } })
      expect(await app.handle(call('fine'))).toMatchObject({ result: { content: [{ text: 'fine' }] } })
      await new Promise((resolve) => setImmediate(resolve))
    }
  })

  it('a session says nothing of what it asks on its own behalf', async () => {
    const seen: string[] = []
    const app = new Server({
      name: 's',
      tools,
      configuration: { instrumentationCallback: ({ method }) => seen.push(method) },
    })
    const peer = new RawPeer(app)
    await peer.handshake()
    await peer.request('tools/call', { name: 'fine' })
    peer.close()
    expect(seen).toEqual(['initialize', 'tools/call'])
  })

  it('aroundRequest encloses the handler, and can add to the data', async () => {
    const order: string[] = []
    const seen: InstrumentationData[] = []
    const app = new Server({
      name: 's',
      tools: { t: tool({ run: () => void order.push('handler') }) },
      configuration: {
        aroundRequest: async (data, next) => {
          order.push(`before ${data.method}`)
          const result = await next()
          data.extra = true
          order.push('after')
          return result
        },
        instrumentationCallback: (data) => seen.push(data),
      },
    })
    await everywhere(app, async ({ client }) => {
      await client.connect()
      order.length = 0
      seen.length = 0
      await client.call('t')
      expect(order).toEqual(['before tools/call', 'handler', 'after'])
      expect(seen[0]).toMatchObject({ toolName: 't', extra: true })
    })
  })

  it('an aroundRequest that fails, or forgets its result, is an internal error', async () => {
    for (const aroundRequest of [
      () => Promise.reject(new Error('around')),
      () => Promise.resolve(undefined as never),
    ]) {
      const app = new Server({ name: 's', tools, configuration: { aroundRequest } })
      expect(await app.handle(call('fine'))).toMatchObject({
        error: { code: -32603, message: 'Internal error' },
      })
    }
  })
})
