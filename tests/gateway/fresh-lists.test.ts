import { afterEach, describe, expect, it } from 'vitest'
import { legacyRequest, modernRequest, openSession, type RawAnswer } from '../support/raw-client.ts'
import { namedTool, scriptedTarget, type ScriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A server whose lists grow while it runs, and that announces nothing. */
async function growing(ttlMs: number | undefined): Promise<ScriptedTarget & { grow(): void }> {
  const lists = { tools: ['one'], prompts: ['one'], resources: ['one'], templates: ['one'] }
  const caching = { ...(ttlMs !== undefined && { ttlMs }), cacheScope: 'private' }
  const target = await scriptedTarget({
    'tools/list': () => ({ tools: lists.tools.map((name) => namedTool(name)), ...caching }),
    'prompts/list': () => ({ prompts: lists.prompts.map((name) => ({ name })), ...caching }),
    'resources/list': () => ({
      resources: lists.resources.map((name) => ({ uri: `note://${name}`, name })),
      ...caching,
    }),
    'resources/templates/list': () => ({
      resourceTemplates: lists.templates.map((name) => ({ uriTemplate: `note://${name}/{id}`, name })),
      ...caching,
    }),
    'prompts/get': () => ({ messages: [] }),
    'resources/read': ({ params }) => ({
      contents: [{ uri: params.uri, text: 'x' }],
      ttlMs: 0,
      cacheScope: 'private',
    }),
    'completion/complete': () => ({ completion: { values: ['x'] } }),
    'subscriptions/listen': () => ({ error: { code: -32601, message: 'Method not found' } }),
  })
  closing.push(() => target.close())
  return Object.assign(target, {
    grow: () => {
      for (const list of Object.values(lists)) list.push('two')
    },
  })
}

async function gatewayTo(mcpServers: object): Promise<TestGateway> {
  const gateway = await testGateway({ mcpServers })
  closing.push(() => gateway.close())
  return gateway
}

type Ask = (method: string, params?: Record<string, unknown>) => Promise<RawAnswer>

async function asking(era: 'legacy' | 'modern', { endpoint }: TestGateway): Promise<Ask> {
  if (era === 'modern') return (method, params) => modernRequest(endpoint, method, params)
  const session = await openSession(endpoint)
  return (method, params) => legacyRequest(endpoint, method, params, { session })
}

const keysOf = async (ask: Ask): Promise<unknown[]> => {
  const tools = (await ask('tools/list')).message.result.tools
  const prompts = (await ask('prompts/list')).message.result.prompts
  const resources = (await ask('resources/list')).message.result.resources
  const templates = (await ask('resources/templates/list')).message.result.resourceTemplates
  return [...tools, ...prompts, ...resources, ...templates].map((item) => item.name)
}

describe.each(['legacy', 'modern'] as const)('to a %s client', (era) => {
  it('a server that wants to be asked every time shows what was added', async () => {
    const target = await growing(0)
    const ask = await asking(era, await gatewayTo({ a: { url: target.url } }))
    expect(await keysOf(ask)).toEqual(['a_one', 'a_one', 'one', 'one'])
    target.grow()
    expect(await keysOf(ask)).toEqual(['a_one', 'a_two', 'a_one', 'a_two', 'one', 'two', 'one', 'two'])
  })

  it.each([0, undefined, 60_000])(
    'what was added can be used at once, with a lifetime of %s',
    async (ttl) => {
      const target = await growing(ttl)
      const ask = await asking(era, await gatewayTo({ a: { url: target.url } }))
      await keysOf(ask)
      target.grow()
      expect((await ask('tools/call', { name: 'a_two', arguments: {} })).message.result.content).toBeDefined()
      const refused = await ask('tools/call', { name: 'a_three', arguments: {} })
      expect(refused.message.error).toMatchObject({ code: -32602, message: 'Unknown tool: a_three' })
    },
  )

  it('prompts, resources and templates too', async () => {
    const target = await growing(60_000)
    const ask = await asking(era, await gatewayTo({ a: { url: target.url } }))
    await keysOf(ask)
    target.grow()
    expect((await ask('prompts/get', { name: 'a_two' })).message.result.messages).toEqual([])
    const argument = { name: 'x', value: '' }
    const ref = { type: 'ref/prompt', name: 'a_two' }
    expect((await ask('completion/complete', { ref, argument })).message.result.completion).toBeDefined()
    expect((await ask('resources/read', { uri: 'a+note://two' })).message.result.contents).toHaveLength(1)
  })

  it('with names and URIs as they are', async () => {
    const [first, second] = [await growing(60_000), await growing(60_000)]
    const gateway = await gatewayTo({
      a: { url: first.url, prefix: false, resources: { exclude: ['note://two*'] } },
      b: { url: second.url, prefix: false },
    })
    const ask = await asking(era, gateway)
    await keysOf(ask)
    second.grow()
    expect((await ask('tools/call', { name: 'two', arguments: {} })).message.result.content).toBeDefined()
    expect((await ask('resources/read', { uri: 'note://two' })).message.result.contents).toHaveLength(1)
  })
})

it('the only target of an endpoint is asked also when it rests', async () => {
  const target = await growing(60_000)
  const gateway = await gatewayTo({ a: { url: target.url, prefix: false, start: 'lazy', idleStop: '100ms' } })
  const ask = await asking('modern', gateway)
  await keysOf(ask)
  target.grow()
  await expect.poll(() => gateway.gateway.target('a')!.connected).toBe(false)
  expect((await ask('tools/call', { name: 'two', arguments: {} })).message.result.content).toBeDefined()
})

it('a new tool is found under the name that the configuration gives it', async () => {
  const target = await growing(60_000)
  const gateway = await gatewayTo({ a: { url: target.url, tools: { rename: { two: 'zwei' } } } })
  const ask = await asking('modern', gateway)
  await keysOf(ask)
  target.grow()
  expect((await ask('tools/call', { name: 'a_zwei', arguments: {} })).message.result.content).toBeDefined()
})

it('names that are made up do not cause a fetch each', async () => {
  const target = await growing(60_000)
  const gateway = await gatewayTo({ a: { url: target.url } })
  await modernRequest(gateway.endpoint, 'tools/list')
  const before = target.calls.filter(({ method }) => method === 'tools/list').length
  const names = Array.from({ length: 200 }, (_, index) => `a_none${index}`)
  const answers = await Promise.all(
    names.map((name) => modernRequest(gateway.endpoint, 'tools/call', { name, arguments: {} })),
  )
  expect(answers.every(({ message }) => message.error.code === -32602)).toBe(true)
  expect(target.calls.filter(({ method }) => method === 'tools/list').length - before).toBeLessThan(20)
})
