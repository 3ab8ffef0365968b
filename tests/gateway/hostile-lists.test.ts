import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { modernRequest } from '../support/raw-client.ts'
import { namedTool, scriptedTarget, type ScriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const GAPS = 'dev.gantry/gaps'
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function target(...script: Parameters<typeof scriptedTarget>): Promise<ScriptedTarget> {
  const started = await scriptedTarget(...script)
  closing.push(() => started.close())
  return started
}

async function gatewayOf(mcpServers: object, config: object = {}): Promise<TestGateway> {
  const gateway = await testGateway({ mcpServers, ...config })
  closing.push(() => gateway.close())
  return gateway
}

async function open(gateway: TestGateway): Promise<Client> {
  const client = await connect(gateway.endpoint)
  closing.push(() => client.close())
  return client
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
async function list(gateway: TestGateway, method = 'tools/list', params: object = {}): Promise<any> {
  return (await modernRequest(gateway.endpoint, method, { ...params })).message
}

async function names(gateway: TestGateway): Promise<string[]> {
  const { result } = await list(gateway)
  return result.tools.map((one: { name: string }) => one.name)
}

const offering = (tools: readonly string[]) => ({
  'tools/list': () => ({ tools: tools.map((name) => namedTool(name)) }),
})

describe('names', () => {
  const ODD = [
    'constructor',
    '__proto__',
    'toString',
    'x'.repeat(200),
    `${'x'.repeat(199)}y`,
    '😀'.repeat(100),
    'with space',
  ]

  it('that are odd or long are at most 64 characters, and each can be called', async () => {
    const { url } = await target(offering(ODD))
    const gateway = await gatewayOf({ a: { url }, b: { url, prefix: false }, c: { url, prefix: false } })
    const found = await names(gateway)
    expect(new Set(found).size).toBe(ODD.length * 3)
    expect(found.filter((name) => name.length > 64)).toEqual([])
    const client = await open(gateway)
    const called = await Promise.all(found.map(async (name) => (await client.call(name)).text()))
    expect(called).toEqual([...ODD, ...ODD, ...ODD])
  })

  it('that come twice in one list stand for one tool; those of two targets for two', async () => {
    const [one, two] = await Promise.all([
      target(offering(['same', 'same', 'other', 'same'])),
      target(offering(['same'])),
    ])
    const entry = { prefix: false }
    const gateway = await gatewayOf({ one: { url: one.url, ...entry }, two: { url: two.url, ...entry } })
    const found = await names(gateway)
    expect(found).toEqual(['same', 'other', expect.stringMatching(/^same_[0-9a-f]{6}$/)])
    const client = await open(gateway)
    await client.call(found[2]!)
    expect(two.calls.find(({ method }) => method === 'tools/call')).toMatchObject({
      params: { name: 'same' },
    })
    expect(one.calls.some(({ method }) => method === 'tools/call')).toBe(false)
  })

  it('whose prefixes run into each other are told apart, and the same at every start', async () => {
    const [one, two] = await Promise.all([target(offering(['b_c'])), target(offering(['c']))])
    const servers = { a: { url: one.url }, a_b: { url: two.url } }
    const first = await names(await gatewayOf(servers))
    expect(first).toEqual(['a_b_c', expect.stringMatching(/^a_b_c_[0-9a-f]{6}$/)])
    expect(await names(await gatewayOf(servers))).toEqual(first)
  })

  it('of a target that has not answered yet are waited for, whichever it is', async () => {
    const [one, two] = await Promise.all([target(offering(['x'])), target(offering(['x']))])
    const answer = two.answers['tools/list']!
    two.answers['tools/list'] = async (call) => {
      await new Promise((resolve) => setTimeout(resolve, 600))
      return answer(call)
    }
    const refused = () => ({ error: { code: -32603, message: 'not today' } })
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      one.answers[method] = refused
    }
    const servers = { git: { url: one.url }, git_hub: { url: two.url } }
    const gateway = await gatewayOf(servers, { catalog: { deadline: 100 } })
    const { message } = await modernRequest(gateway.endpoint, 'tools/call', { name: 'git_hub_x' })
    expect(message.result.content).toEqual([{ type: 'text', text: 'x' }])
  })
})

describe('resources', () => {
  const keeping = (name: string) =>
    target({
      'resources/list': () => ({ resources: ['same', 'secret'].map((one) => ({ uri: `x://${one}`, name })) }),
      'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'x://of/{id}', name }] }),
      'resources/read': ({ params: { uri } }) => ({ contents: [{ uri, text: `${name} ${uri}` }] }),
    })

  it('of targets with any name are all reached; every URI is one', async () => {
    const servers: Record<string, object> = {}
    for (const name of ['my_files', 'More Files', '1st', 'Ünï.x']) {
      servers[name] = { url: (await keeping(name)).url, resources: { include: ['x://same'] } }
    }
    const gateway = await gatewayOf(servers)
    const { result } = await list(gateway, 'resources/list')
    const read = result.resources.map(async ({ uri }: { uri: string }) => {
      expect(URL.canParse(uri)).toBe(true)
      const [content] = (await list(gateway, 'resources/read', { uri })).result.contents
      expect(content.uri).toBe(uri)
      return content.text
    })
    expect(await Promise.all(read)).toEqual(Object.keys(servers).map((name) => `${name} x://same`))
  })

  it('that the configuration leaves out cannot be read by guessing their URIs', async () => {
    const { url } = await keeping('files')
    const gateway = await gatewayOf({
      all: { url, resources: { exclude: ['x://sec*'] } },
      some: { url, resources: { include: ['x://of/{id}'] } },
    })
    const read = async (uri: string) => {
      const { result, error } = await list(gateway, 'resources/read', { uri })
      return result ? result.contents[0].text : error.code
    }
    expect(await read('all+x://same')).toBe('files x://same')
    expect(await read('all+x://unlisted')).toBe('files x://unlisted')
    expect(await read('all+x://secret')).toBe(-32602)
    expect(await read('some+x://of/7')).toBe('files x://of/7')
    expect(await read('some+x://same')).toBe(-32602)
  })
})

describe('a list', () => {
  it('is in the order of the configuration, whichever target answers first, and has all pages of all targets', async () => {
    const pages: Record<string, object> = {
      '': { tools: [namedTool('one')], nextCursor: 'x' },
      x: { tools: [namedTool('two')], nextCursor: 'y' },
      y: { tools: [namedTool('three')] },
    }
    const slow = await target({
      'tools/list': async ({ params }) => {
        await new Promise((resolve) => setTimeout(resolve, 200))
        return pages[params.cursor ?? '']
      },
    })
    const quick = await target()
    const gateway = await gatewayOf({ slow: { url: slow.url }, quick: { url: quick.url } })
    expect(await names(gateway)).toEqual(['slow_one', 'slow_two', 'slow_three', 'quick_echo'])
  })

  it('is announced when what it shows changes, also when the target says nothing', async () => {
    const web = await target()
    const gateway = await gatewayOf({ web: { url: web.url } }, { catalog: { ttl: 100 } })
    const client = await open(gateway)
    let heard = 0
    client.on('toolsChanged', () => heard++)
    await client.listening()
    web.answers['tools/list'] = () => ({ tools: [namedTool('echo', { description: 'better' })] })
    // It is found out when a client asks.
    await expect.poll(async () => (await names(gateway)) && heard).toBe(1)
    expect((await list(gateway)).result.tools[0].description).toBe('better')
  })

  it('is announced when a target is back that was missing', async () => {
    const web = await target()
    const { port } = new URL(web.url)
    await web.close()
    const entry = { url: web.url, restart: { minDelay: 50, maxDelay: 100, quarantineAfter: 1000 } }
    const gateway = await gatewayOf({ web: entry }, { catalog: { deadline: 500 } })
    const client = await open(gateway)
    let heard = 0
    client.on('toolsChanged', () => heard++)
    await client.listening()
    expect((await list(gateway)).result._meta[GAPS]).toMatchObject([{ target: 'web', state: 'missing' }])
    const back = await scriptedTarget({}, Number(port))
    closing.push(() => back.close())
    await expect.poll(() => heard).toBe(1)
    expect(await names(gateway)).toEqual(['web_echo'])
  })

  it('comes from a gateway that says who it is, and who is behind it', async () => {
    const serverInfo = { name: 'scripted', version: '7' }
    const web = await target()
    const discover = web.answers['server/discover']!
    web.answers['server/discover'] = async (call) => ({
      ...(await discover(call)),
      instructions: 'Be kind.',
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    })
    const servers = { web: { url: web.url, title: 'The Web' }, other: { url: (await target()).url } }
    const gateway = await gatewayOf(servers, { server: { instructions: 'Ask us.' } })
    const { result } = await list(gateway, 'server/discover')
    expect(result.instructions).toBe('Ask us.\n\n## The Web\nBe kind.')
    expect(result._meta['dev.gantry/targets']).toEqual({ web: serverInfo, other: null })
    expect(result._meta['io.modelcontextprotocol/serverInfo']).toMatchObject({ name: 'gantry' })
  })

  it('of 10,000 tools is passed on whole, in pages', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `t${index}`)
    const gateway = await gatewayOf({ a: { url: (await target(offering(many))).url } })
    const found: string[] = []
    for await (const { name } of (await open(gateway)).listTools()) found.push(name)
    expect(found).toEqual(many.map((name) => `a_${name}`))
    expect((await list(gateway)).result.tools).toHaveLength(500)
  })

  it('that changes between two pages loses and repeats nothing that was there all the time', async () => {
    const early = await target(offering(['a', 'b', 'c', 'd']))
    const late = await target(offering(['e', 'f']))
    const servers = { one: { url: early.url }, two: { url: late.url } }
    const gateway = await gatewayOf(servers, { catalog: { pageSize: 3 } })
    const first = (await list(gateway)).result
    const rest = async () =>
      (await list(gateway, 'tools/list', { cursor: first.nextCursor })).result.tools.map(
        (one: { name: string }) => one.name,
      )
    expect(await rest()).toEqual(['one_d', 'two_e', 'two_f'])
    const change = async (tools: string[]) => {
      early.answers['tools/list'] = offering(tools)['tools/list']
      early.announce('notifications/tools/list_changed')
      await expect.poll(async () => gateway.gateway.catalog.merged.merged.tools.size).toBe(tools.length + 2)
    }
    await change(['new', 'newer', 'a', 'b', 'c', 'd'])
    expect(await rest()).toEqual(['one_d', 'two_e', 'two_f'])
    await change(['a', 'b', 'd'])
    expect(await rest()).toEqual(['one_d', 'two_e', 'two_f'])
    await change(['z'])
    expect(await rest()).toEqual(['two_e', 'two_f'])
    await change([])
    expect(await rest()).toEqual(['two_e', 'two_f'])
  })

  it('is not had with cursors that are made up', async () => {
    const gateway = await gatewayOf({ a: { url: (await target()).url } })
    const cursor = (text: string) => Buffer.from(text).toString('base64url')
    for (const made of ['', 'x', cursor('at:5'), cursor('-1/a/x'), cursor('5/a/')]) {
      expect((await list(gateway, 'tools/list', { cursor: made })).error).toMatchObject({ code: -32602 })
    }
    expect((await list(gateway, 'tools/list', { cursor: cursor('7/a/gone') })).result.tools).toEqual([])
    expect((await list(gateway, 'tools/list', { cursor: cursor('7/b/gone') })).error.code).toBe(-32602)
  })

  it('whose cursor comes round again is given up, and the target’s other lists are served', async () => {
    const bad = await target({
      'tools/list': () => ({ tools: [namedTool('x')], nextCursor: 'same' }),
      'prompts/list': () => ({ prompts: [{ name: 'fine' }] }),
    })
    const gateway = await gatewayOf({ bad: { url: bad.url }, good: { url: (await target()).url } })
    const { result } = await list(gateway)
    expect(result.tools).toMatchObject([{ name: 'good_echo' }])
    expect(result._meta[GAPS]).toEqual([
      { target: 'bad', state: 'missing', reason: 'tools/list repeats a cursor' },
    ])
    expect((await list(gateway, 'prompts/list')).result.prompts).toMatchObject([{ name: 'bad_fine' }])
    expect(bad.calls.filter(({ method }) => method === 'tools/list').length).toBeLessThan(10)
  })

  it('that fails later stays as it was, and is called stale until it is back', async () => {
    const web = await target()
    const gateway = await gatewayOf({ web: { url: web.url } }, { catalog: { ttl: 1 } })
    expect(await names(gateway)).toEqual(['web_echo'])
    const answer = web.answers['tools/list']!
    web.answers['tools/list'] = () => ({ error: { code: -32603, message: 'no database' } })
    const gaps = async () => (await list(gateway)).result._meta[GAPS]
    // What the target said is for operators.
    const reason = 'tools/list failed'
    await expect.poll(gaps).toEqual([{ target: 'web', state: 'stale', reason }])
    expect(await names(gateway)).toEqual(['web_echo'])
    web.answers['tools/list'] = answer
    await expect.poll(gaps).toBeUndefined()
  })

  it('that is promised but not served is empty, and nothing is missing', async () => {
    const none = () => ({ error: { code: -32601, message: 'Method not found' } })
    const web = await target({ 'prompts/list': none, 'resources/list': none })
    const gateway = await gatewayOf({ web: { url: web.url } })
    expect((await list(gateway, 'prompts/list')).result).toMatchObject({ prompts: [] })
    expect((await list(gateway)).result._meta[GAPS]).toBeUndefined()
  })

  it('that is said to change all the time is not asked for all the time', async () => {
    const web = await target()
    const gateway = await gatewayOf({ web: { url: web.url } })
    expect(await names(gateway)).toEqual(['web_echo'])
    const client = await open(gateway)
    let heard = 0
    client.on('toolsChanged', () => heard++)
    const asked = () => web.calls.filter(({ method }) => method === 'tools/list').length
    const until = Date.now() + 2000
    while (Date.now() < until) {
      web.announce('notifications/tools/list_changed')
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    expect(asked()).toBeLessThan(12)
    expect(heard).toBeLessThan(12)
    // The last announcement counts like the first: what it was about is known in the end.
    web.answers['tools/list'] = offering(['renewed'])['tools/list']
    web.announce('notifications/tools/list_changed')
    await expect.poll(() => names(gateway)).toEqual(['web_renewed'])
    await expect.poll(() => heard).toBeGreaterThan(0)
  })
})
