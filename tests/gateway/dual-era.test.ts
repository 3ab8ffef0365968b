import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Client, type ConnectOptions } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { serveHttp } from '../support/http-targets.ts'
import { namedTool, scriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const SERVER = fileURLToPath(new URL('../fixtures/dual-era-server.mjs', import.meta.url))
const elicit = () => ({ action: 'accept' as const, content: { name: 'Ada' } })
const OLDER: ConnectOptions = { era: 'legacy', elicit }
const NEWER: ConnectOptions = { era: 'modern', elicit }
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function gatewayTo(env: Record<string, string> = {}, more: object = {}): Promise<TestGateway> {
  const gateway = await testGateway({
    mcpServers: { dual: { command: process.execPath, args: [SERVER], env, prefix: false, ...more } },
  })
  closing.push(() => gateway.close())
  return gateway
}

async function open(gateway: TestGateway, options: ConnectOptions): Promise<Client> {
  const client = await connect(gateway.endpoint, options)
  closing.push(() => client.close())
  return client
}

async function call(gateway: TestGateway, options: ConnectOptions, tool = 'ask'): Promise<string> {
  await using client = await connect(gateway.endpoint, options)
  return (await client.call(tool)).text()
}

const erasOf = ({ gateway }: TestGateway): unknown[] =>
  gateway.target('dual')!.instances.map(({ connection }) => connection?.era)

async function namesOf(client: Client): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of client.listTools({ fresh: true })) names.push(name)
  return names
}

const LISTS: Record<string, Record<string, string>> = {
  'names both eras': {},
  'names the newer era alone': { LISTS: 'newer' },
}

describe.each(Object.keys(LISTS))('a server of both eras that %s', (lists) => {
  const env = LISTS[lists]!

  it.each([
    ['older', OLDER],
    ['newer', NEWER],
  ])(
    'can ask %s clients what it asks only in the older era, from the first call on',
    async (_era, options) => {
      const gateway = await gatewayTo(env)
      expect(await call(gateway, options)).toBe('Hello, Ada')
      expect(erasOf(gateway)).toEqual(['modern', 'legacy'])
      expect(await call(gateway, { era: 'modern' })).toBe('nobody to ask')
    },
  )

  it('says why a connection has its era', async () => {
    const gateway = await gatewayTo(env)
    const said = () => gateway.gateway.target('dual')!.olderEra.description
    await expect.poll(said).toMatch(lists === 'names both eras' ? /which the server names/ : /tried once/)
    await call(gateway, OLDER)
    expect(said()).toBe(
      'Calls use 2026-07-28; older clients that can be asked questions use a connection of their own era. ' +
        'So do newer ones from the first call on that must not be made twice.',
    )
    await call(gateway, NEWER)
    expect(said()).toBe(
      'Calls of clients that can be asked questions use a connection of the older era, because many servers can ask ' +
        'live questions there only; all others use 2026-07-28.',
    )
  })

  it('can ask both eras what it refuses on an older connection', async () => {
    const gateway = await gatewayTo(env)
    expect(await call(gateway, OLDER, 'ask_new')).toBe('Hello, Ada')
    expect(await call(gateway, OLDER, 'ask_new')).toBe('Hello, Ada')
    expect(await call(gateway, NEWER, 'ask_new')).toBe('Hello, Ada')
  })

  it('a process for each call speaks the era in which its client can be asked', async () => {
    const gateway = await gatewayTo(env, { isolation: 'call' })
    for (const options of [OLDER, NEWER]) expect(await call(gateway, options)).toBe('Hello, Ada')
    expect(await call(gateway, { era: 'modern' })).toBe('nobody to ask')
    await expect.poll(() => erasOf(gateway).filter((era) => era === 'legacy')).toEqual([])
  })

  it.each(['older', 'newer'])('tells both eras what %s clients change', async (who) => {
    const gateway = await gatewayTo(env)
    const older = await open(gateway, OLDER)
    const newer = await open(gateway, NEWER)
    expect((await older.call('ask')).text()).toBe('Hello, Ada')
    const heard: string[] = []
    for (const [name, client] of Object.entries({ older, newer })) {
      client.on('resourceUpdated', ({ uri }) => heard.push(`${name} ${uri}`))
      client.on('toolsChanged', () => heard.push(`${name} tools`))
      await client.subscribe('note://one')
      await client.listening()
    }
    const client = who === 'older' ? older : newer
    await client.call('touch')
    await expect.poll(() => heard.toSorted()).toEqual(['newer note://one', 'older note://one'])
    await client.call('grow')
    await expect.poll(() => heard).toContain('older tools')
    await expect.poll(() => heard).toContain('newer tools')
    for (const one of [older, newer]) {
      expect(await namesOf(one)).toContain('grown')
      expect((await one.call('grown')).text()).toBe('here')
    }
  })

  it.each(['older', 'newer'])('is told what %s clients give up, and logs reach them', async (who) => {
    const gateway = await gatewayTo(env)
    const older = await open(gateway, OLDER)
    const newer = await open(gateway, NEWER)
    expect((await older.call('ask')).text()).toBe('Hello, Ada')
    const client = who === 'older' ? older : newer
    await client.call('slow', {}, { signal: AbortSignal.timeout(200) }).catch(() => {})
    await expect.poll(async () => (await client.call('cancelled')).text()).toBe('1')
    const lines: unknown[] = []
    await client.call('log', {}, { logLevel: 'debug', onLog: ({ data }) => lines.push(data) })
    expect(lines).toEqual(['a line'])
  })
})

const REFUSALS: Record<string, string> = {
  'Python 2':
    "Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests.",
  FastMCP: 'elicitation via server-initiated requests is unavailable on 2026-07-28 connections.',
  Go: '"elicitation/create" cannot be sent while serving a request on protocol version 2026-07-28: return an InputRequests map instead',
  TypeScript:
    "Server-to-client requests are not available on protocol revision 2026-07-28: 'elicitation/create' cannot be sent while serving a request on that revision. Return inputRequired",
}

describe.each(Object.keys(REFUSALS))('a server that cannot ask newer clients live, as in %s', (sdk) => {
  const REFUSES = REFUSALS[sdk]!

  it('asks them over a connection of the older era, and calls nothing twice that is not safe', async () => {
    const gateway = await gatewayTo({ REFUSES, LISTS: 'newer' })
    expect(await call(gateway, NEWER, 'ask')).toBe('Hello, Ada')
    expect(await call(gateway, NEWER, 'ask_safe')).toBe('Hello, Ada')
    expect(erasOf(gateway)).toEqual(['modern', 'legacy'])
    expect(await call(gateway, NEWER, 'calls')).toBe('2')
    expect(await call(gateway, { era: 'modern' }, 'calls')).toBe('0')
  })
})

it.each(['ask', 'ask_safe'])(
  'asks all newer clients whose first calls come at the same time (%s)',
  async (tool) => {
    const gateway = await gatewayTo({ REFUSES: REFUSALS.FastMCP!, LISTS: 'newer' })
    const answers = await Promise.all([1, 2, 3].map(() => call(gateway, NEWER, tool)))
    expect(answers).toEqual(['Hello, Ada', 'Hello, Ada', 'Hello, Ada'])
  },
)

it('has one connection as long as all that is called is safe and asks nothing', async () => {
  const gateway = await gatewayTo({ REFUSES: REFUSALS.FastMCP!, LISTS: 'newer' })
  expect(await call(gateway, NEWER, 'pid')).toMatch(/^\d+$/)
  expect(erasOf(gateway)).toEqual(['modern'])
  expect(await call(gateway, NEWER, 'ask_safe')).toBe('Hello, Ada')
  expect(erasOf(gateway)).toEqual(['modern', 'legacy'])
  expect(gateway.gateway.target('dual')!.olderEra.description).toContain(
    'because the server can ask for "ask_safe" there only',
  )
  // What the server keeps is in one process.
  expect(await call(gateway, NEWER, 'calls')).toBe('1')
})

it('a server that sends newer clients a request, and waits, can ask them in the older era', async () => {
  const gateway = await gatewayTo({ REFUSES: 'by asking' })
  expect(await call(gateway, NEWER, 'ask_safe')).toBe('Hello, Ada')
  expect(await call(gateway, NEWER, 'ask')).toBe('Hello, Ada')
})

it('a server with tasks of the newer era asks in the older one when it turns out that it has to', async () => {
  const REFUSES = REFUSALS.FastMCP!
  const gateway = await gatewayTo({ REFUSES, TASKS: 'newer' })
  const first = await call(gateway, NEWER, 'ask')
  expect(first).toContain(REFUSES)
  expect(first).toContain('call it again')
  expect(await call(gateway, NEWER, 'ask')).toBe('Hello, Ada')
})

it('asks in the newer era what the older one has no answer for, and calls nothing twice that is not safe', async () => {
  const gateway = await gatewayTo()
  const raw = () => call(gateway, NEWER, 'ask_raw')
  await expect(raw()).rejects.toThrow(/invalid result.*newer era only.*call it again/)
  expect([await raw(), await raw()]).toEqual(['Hello, Ada', 'Hello, Ada'])
})

describe('a server that writes down why a result is invalid, as Python 2 does', () => {
  const report = (input: string) =>
    `1 validation error for CallToolResult\n  Field required [type=missing, input_value=${input}, input_type=dict]`

  it('is asked in the newer era at once when its tool wanted to ask', async () => {
    const gateway = await gatewayTo({
      REPORTS: report("{'resultType': 'input_req...{'type': 'string'}}}}}}}"),
    })
    expect(await call(gateway, NEWER, 'ask_raw')).toBe('Hello, Ada')
    expect(erasOf(gateway)).toEqual(['modern', 'legacy'])
  })

  it('is not called twice when its tool is broken', async () => {
    const gateway = await gatewayTo({ REPORTS: report("{'text': 'resultType'}") })
    await expect(call(gateway, NEWER, 'ask_raw')).rejects.toThrow(/invalid result.*call it again/)
    expect(await call(gateway, { era: 'modern' }, 'calls')).toBe('0')
  })
})

it.each(['older', 'newer'])(
  'a server at a URL, which explains nothing, asks %s clients in the newer era at once',
  async (who) => {
    const facts = { capabilities: { tools: {} }, serverInfo: { name: 'dual', version: '1' } }
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
    const question = { method: 'elicitation/create', params: { message: 'Name?', requestedSchema } }
    // As a tool of Python 2 that returns `InputRequiredResult`.
    const target = await scriptedTarget({
      initialize: ({ params: { protocolVersion } }) => ({ protocolVersion, ...facts }),
      'tools/list': () => ({ tools: [namedTool('ask_raw')], ttlMs: 0, cacheScope: 'private' }),
      'tools/call': ({ params: { _meta, inputResponses } }) => {
        if (_meta?.['io.modelcontextprotocol/protocolVersion'] === undefined) {
          return { error: { code: -32603, message: 'Handler returned an invalid result' } }
        }
        if (!inputResponses) return { resultType: 'input_required', inputRequests: { it: question } }
        return { content: [{ type: 'text', text: `Hello, ${inputResponses.it.content.name}` }] }
      },
    })
    closing.push(() => target.close())
    const gateway = await testGateway({ mcpServers: { dual: { url: target.url, prefix: false } } })
    closing.push(() => gateway.close())
    for (let times = 0; times < 2; times++) {
      expect(await call(gateway, who === 'older' ? OLDER : NEWER, 'ask_raw')).toBe('Hello, Ada')
    }
    // The older era was asked once, and is not asked again.
    expect(target.calls.filter(({ method }) => method === 'tools/call')).toHaveLength(5)
  },
)

it('a server that pings newer clients keeps its calls', async () => {
  const gateway = await gatewayTo()
  expect(Number(await call(gateway, NEWER, 'pid'))).toBeGreaterThan(0)
})

describe('a server that says nothing of why it cannot ask newer clients', () => {
  const REFUSES = 'Internal error'

  it('asks them what it has asked older clients', async () => {
    const gateway = await gatewayTo({ REFUSES })
    await expect(call(gateway, NEWER, 'ask_safe')).rejects.toThrow(REFUSES)
    expect(await call(gateway, OLDER, 'ask_safe')).toBe('Hello, Ada')
    expect(await call(gateway, NEWER, 'ask_safe')).toBe('Hello, Ada')
  })
})

it('advises no second call where the server has no older era', async () => {
  const REFUSES = REFUSALS['Python 2']!
  const gateway = await gatewayTo({ REFUSES, LISTS: 'newer', ONLY: 'modern' })
  for (let times = 0; times < 2; times++) expect(await call(gateway, NEWER, 'ask')).toBe(REFUSES)
})

it.each([
  ['the configuration insists on the newer era', NEWER, { era: 'modern' }],
  ['the client cannot be asked', { era: 'modern' } as ConnectOptions, {}],
])('an error about questions stays what it is when %s', async (_why, options, more) => {
  const REFUSES = REFUSALS.Go!
  const gateway = await gatewayTo({ REFUSES }, more)
  for (let times = 0; times < 2; times++) expect(await call(gateway, options, 'ask_safe')).toBe(REFUSES)
  expect(erasOf(gateway)).toEqual(['modern'])
})

it('a subscription is granted when one of two connections grants it, the slower one too', async () => {
  const gateway = await gatewayTo({ GRANTS: 'older' })
  expect(await call(gateway, OLDER)).toBe('Hello, Ada')
  const newer = await open(gateway, NEWER)
  await expect(newer.subscribe('note://one')).resolves.toBeDefined()
})

it('a server without the older era is asked for it once', async () => {
  const gateway = await gatewayTo({ LISTS: 'newer', ONLY: 'modern' })
  for (let times = 0; times < 3; times++) expect(await call(gateway, OLDER)).toBe('nobody to ask')
  expect(erasOf(gateway)).toEqual(['modern'])
  expect(gateway.gateway.target('dual')!.restarts).toBe(0)
})

it('one connection is enough for a server of this SDK, which asks in both eras', async () => {
  const requested = { type: 'object', properties: { name: { type: 'string' } } } as const
  const ask = tool({ run: async (_args, ctx) => `Hello, ${(await ctx.elicit('Name?', requested)).name}` })
  const served = await serveHttp(new Server({ name: 'dual', tools: { ask } }))
  closing.push(() => served.close())
  const gateway = await testGateway({ mcpServers: { dual: { url: served.url, prefix: false } } })
  closing.push(() => gateway.close())
  for (const options of [OLDER, NEWER]) expect(await call(gateway, options)).toBe('Hello, Ada')
  expect(erasOf(gateway)).toEqual(['modern'])
})

it('one connection is enough for clients that answer nothing', async () => {
  const gateway = await gatewayTo()
  expect(await call(gateway, { era: 'legacy' })).toBe('nobody to ask')
  expect(erasOf(gateway)).toEqual(['modern'])
})

it('what the configuration insists on is used', async () => {
  const gateway = await gatewayTo({}, { era: 'modern' })
  expect(await call(gateway, OLDER)).toBe('nobody to ask')
  expect(erasOf(gateway)).toEqual(['modern'])
})

describe.each(['answers', 'never answers'])('an older server that %s calls that were given up', (how) => {
  it('keeps one process for newer clients after an older client was asked and gave up a call', async () => {
    const gateway = await gatewayTo({ CANCELS: how === 'answers' ? '' : 'silently' }, { era: 'legacy' })
    const older = await open(gateway, OLDER)
    expect((await older.call('ask')).text()).toBe('Hello, Ada')
    await older.call('slow', {}, { signal: AbortSignal.timeout(200) }).catch(() => {})
    const newer = await open(gateway, NEWER)
    const heard: string[] = []
    newer.on('resourceUpdated', ({ uri }) => heard.push(uri))
    newer.on('toolsChanged', () => heard.push('tools'))
    await newer.subscribe('note://one')
    await newer.listening()
    expect((await newer.call('pid')).text()).toBe((await newer.call('pid')).text())
    await newer.call('touch')
    await expect.poll(() => heard).toEqual(['note://one'])
    await newer.call('grow')
    await expect.poll(() => heard).toContain('tools')
    expect(await namesOf(newer)).toContain('grown')
    const before = Number((await newer.call('cancelled')).text())
    await newer.call('slow', {}, { signal: AbortSignal.timeout(200) }).catch(() => {})
    await expect.poll(async () => Number((await newer.call('cancelled')).text())).toBe(before + 1)
    expect((await newer.call('ask')).text()).toBe('Hello, Ada')
    const lines: unknown[] = []
    await newer.call('log', {}, { logLevel: 'debug', onLog: ({ data }) => lines.push(data) })
    expect(lines).toEqual(['a line'])
  })
})
