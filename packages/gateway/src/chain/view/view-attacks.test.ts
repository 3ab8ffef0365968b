import { describe, expect, it } from 'vitest'
import { jsonReader, type AuthInfo, type JsonObject, type Outcome } from '@gantry/mcp/exchange'
import { prompt, Server, tool } from '@gantry/mcp/server'
import { chainBench, liveExchange } from '../chain.test.support.ts'

/** What the servers were given. They read names and values as generously as any server. */
let seen: unknown[] = []
const open = { type: 'object', properties: {}, additionalProperties: true } as const
const files = new Server({
  name: 'files',
  tools: {
    find: tool({
      input: {
        ...open,
        properties: {
          path: { type: 'string' },
          depth: { type: 'number' },
          text: { type: 'string' },
          Text: {},
        },
      },
      run: (args) => {
        seen.push(args)
        return 'found'
      },
    }),
  },
  prompts: {
    review: prompt({
      arguments: {
        folder: { description: 'A folder', complete: () => ['/secret', '/public'] },
        style: { complete: (_value, context) => [`with ${JSON.stringify(context)}`] },
      },
      run: (args) => JSON.stringify(args),
    }),
    orders: prompt({
      arguments: {
        customer: { complete: () => ['ours', 'theirs'] },
        order: { complete: (_value, context) => [`of ${JSON.stringify(context)}`] },
      },
      run: (args) => JSON.stringify(args),
    }),
  },
})
/** Which arguments the server was asked to complete. */
let completed: unknown[] = []
files.use((exchange, next) => {
  if (exchange.method === 'completion/complete') {
    completed.push((exchange.params.argument as JsonObject).name)
  }
  return next()
})
/** Its names are those that the view gives to tools of others. */
const look = new Server({ name: 'look', tools: { up: tool({ run: () => 'caught' }) } })

const { gateway } = await chainBench(
  { look, files },
  {
    views: {
      desk: {
        use: ['files/*', 'look/*'],
        tools: {
          'files/find': {
            name: 'look_up',
            parameters: {
              path: { fixed: '/public' },
              depth: { maximum: 3 },
              text: { rename: 'words', maxLength: 5 },
            },
          },
        },
        prompts: {
          'files/review': {
            name: 'check',
            parameters: { folder: { fixed: '/public' }, style: { rename: 'manner' } },
          },
          'files/orders': { name: 'orders', parameters: { customer: { enum: ['ours'], rename: 'who' } } },
        },
      },
    },
  },
)
const ann = { principal: { kind: 'key', subject: 'ann' }, scopes: [], claims: {} } as unknown as AuthInfo
/** Arguments come as they were written: numbers keep their text. */
const ask = async (method: string, params: string | JsonObject): Promise<Outcome> => {
  const read = typeof params === 'string' ? (jsonReader('source')(params) as JsonObject) : params
  return gateway.endpoint('desk')!.respond(liveExchange(method, read, { auth: ann }))
}
const find = async (args: string): Promise<unknown> => {
  seen = []
  await ask('tools/call', `{"name":"look_up","arguments":${args}}`)
  return seen[0]
}

describe('a fixed parameter of a view', () => {
  it.each([
    '{"path":"/secret"}',
    '{"PATH":"/secret"}',
    '{"Path":"/secret","path":"/secret"}',
    '{"path":"/public","path":"/secret"}',
    '{"path ":"/secret"}',
    '{"p\\u200bath":"/secret"}',
    '{"\\uff50ath":"/secret"}',
    '{"pat%68":"/secret"}',
    '{"__proto__":{"path":"/secret"}}',
    '{"constructor":{"prototype":{"path":"/secret"}}}',
  ])('is what the view says with %s', async (args) => {
    const given = (await find(args)) as JsonObject
    expect(Object.keys(given).filter((name) => /^p.?at/iu.test(name.normalize('NFKC')))).toEqual(['path'])
    expect(given.path).toBe('/public')
    expect(({} as JsonObject).path).toBeUndefined()
  })

  it.each(['null', '[]', '"{\\"path\\":\\"/secret\\"}"', '[{"path":"/secret"}]', '7', '1.0', 'true'])(
    'is not left out with arguments that are %s',
    async (args) => {
      expect(await find(args)).toBeUndefined()
    },
  )
})

describe('a narrowed parameter of a view', () => {
  it.each(['4', '4.0', '40e-1', '1e400', '99999999999999999999', '3.0000000000000000001e1'])(
    'refuses %s where 3 is the most',
    async (depth) => {
      expect(await find(`{"depth":${depth}}`)).toBeUndefined()
      expect(await find(`{"Depth":${depth}}`)).not.toHaveProperty('Depth')
    },
  )

  it.each(['"900"', '[900]', 'null', '{"value":900}', 'true', '"1"'])(
    'refuses %s where a number is narrowed: servers could read one in it',
    async (depth) => {
      expect(await find(`{"depth":${depth}}`)).toBeUndefined()
      expect(await find(`{"words":[${depth}]}`)).toBeUndefined()
    },
  )

  it.each<[JsonObject, ...unknown[]]>([
    [{ maximum: 3 }, '900', ['900'], true],
    [{ minimum: 3 }, '1', ['1'], null],
    [{ maxLength: 3 }, ['long enough'], 12345, { text: 'long' }],
    [{ pattern: '^a+$' }, ['b'], 5, false],
    [{ maxItems: 1 }, '[1,2]', '1,2', { 0: 1, 1: 2 }],
    [{ minimum: 3, maxLength: 3 }, ['long enough'], { value: 1 }],
  ])('refuses another type with %j', async (narrow, ...values) => {
    const anything = new Server({ name: 's', tools: { take: tool({ input: open, run: () => 'taken' }) } })
    const parameters = { value: narrow }
    const bench = await chainBench(
      { s: anything },
      { views: { v: { use: ['s/*'], tools: { 's/take': { parameters } } } } },
    )
    const take = async (value: unknown): Promise<string> =>
      JSON.stringify(
        await bench.gateway
          .endpoint('v')!
          .respond(liveExchange('tools/call', { name: 's_take', arguments: { value } }, { auth: ann })),
      )
    for (const value of values)
      expect(await take(value), JSON.stringify(value)).toContain('Invalid arguments')
  })

  it('takes what is small enough, however it is written', async () => {
    expect(await find('{"depth":3.0}')).toMatchObject({ depth: 3 })
    expect(await find('{"words":"short"}')).toMatchObject({ text: 'short' })
  })

  it('is not reached by its own name, or by one like it', async () => {
    expect(await find('{"words":"short","TEXT":"very long","WORDS":"very long"}')).toEqual({
      text: 'short',
      path: '/public',
    })
    // The tool has this one as well.
    expect(await find('{"words":"short","Text":"another"}')).toMatchObject({ text: 'short', Text: 'another' })
  })
})

describe('a tool that has changed since its view was written', () => {
  const input = { type: 'object', properties: { path: { type: 'string' } } } as const
  const closed = new Server({ name: 'closed', tools: { find: tool({ input, run: () => 'found' }) } })
  const seenWith = async (parameters: JsonObject) => {
    const view = { use: ['closed/*'], tools: { 'closed/find': { parameters } } }
    const changed = await chainBench({ closed }, { views: { desk: view } })
    const respond = (method: string, params: JsonObject = {}) =>
      changed.gateway.endpoint('desk')!.respond(liveExchange(method, params, { auth: ann }))
    const { result } = (await respond('tools/list')) as unknown as { result: { tools: JsonObject[] } }
    const called = await respond('tools/call', { name: 'closed_find', arguments: { path: '/secret' } })
    return { listed: result.tools.map(({ name }) => name), called }
  }

  it.each<[string, JsonObject]>([
    ['fixes', { folder: { fixed: '/public' } }],
    ['narrows', { level: { maximum: 3 } }],
  ])('is not there when it lacks what the view %s: that could go by another name', async (_does, gone) => {
    const { listed, called } = await seenWith(gone)
    expect(listed).toEqual([])
    expect(called).toMatchObject({ error: { message: 'Unknown tool: closed_find' } })
  })

  it('stays when it lacks what the view only describes', async () => {
    const { listed, called } = await seenWith({ folder: { description: 'A folder' }, deep: { default: 1 } })
    expect(listed).toEqual(['closed_find'])
    expect(called.type).toBe('complete')
  })
})

describe('a prompt of a view', () => {
  const complete = (name: string, more: JsonObject = {}): Promise<Outcome> =>
    ask('completion/complete', {
      ref: { type: 'ref/prompt', name: 'check' },
      argument: { name, value: '' },
      ...more,
    })

  it.each(['folder', 'FOLDER', 'style'])(
    'completes nothing for %s, which clients do not see',
    async (name) => {
      const outcome = await complete(name)
      expect(outcome).toEqual(await complete('nothing'))
      expect(JSON.stringify(outcome)).not.toContain('secret')
    },
  )

  it('asks the target about nothing but what it declares and clients see', async () => {
    completed = []
    for (const name of ['nothing', 'folder', 'FOLDER', 'style', 'Style', 'manner ', '__proto__', '']) {
      expect(await complete(name)).toMatchObject({ result: { completion: { values: [], total: 0 } } })
    }
    expect(completed).toEqual([])
    await complete('manner')
    expect(completed).toEqual(['style'])
  })

  it('completes what clients see, with what the view fills in', async () => {
    const outcome = await complete('manner', { context: { arguments: { folder: '/secret' } } })
    expect(JSON.stringify(outcome)).toContain('with ')
    expect(JSON.stringify(outcome)).toContain('/public')
    expect(JSON.stringify(outcome)).not.toContain('secret')
  })
})

describe('a narrowed parameter of a prompt', () => {
  const values = async (name: string, given: JsonObject = {}): Promise<unknown> => {
    const outcome = await ask('completion/complete', {
      ref: { type: 'ref/prompt', name: 'orders' },
      argument: { name, value: '' },
      context: { arguments: given },
    })
    return (outcome as unknown as { result: { completion: JsonObject } }).result.completion.values
  }

  it('is completed with what the view accepts', async () => {
    expect(await values('who')).toEqual(['ours'])
  })

  it('gives no suggestions for others with a value that the view does not accept', async () => {
    expect(await values('order', { who: 'theirs' })).toEqual([])
    expect(JSON.stringify(await values('order', { who: 'ours' }))).toContain('ours')
  })
})

describe('a name that a view gives', () => {
  it('belongs to the tool that the view gives it to, whatever others are called', async () => {
    const { result } = (await ask('tools/list', {})) as unknown as { result: { tools: JsonObject[] } }
    const [first, second] = result.tools.map(({ name }) => String(name))
    expect([first, second].filter((name) => name === 'look_up')).toHaveLength(1)
    expect(await find('{"words":"a"}')).toBeDefined()
    expect(JSON.stringify(await ask('tools/call', { name: first!, arguments: {} }))).toContain('caught')
  })
})
