import { request } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { legacyRequest, modernRequest } from '../support/raw-client.ts'
import { modelOf, testGateway, type TestGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const INSIDER = { name: 'insider', key: 'insider-key-of-the-test' }
const OUTSIDER = { name: 'outsider', key: 'outsider-key-of-the-test' }
const as = ({ key }: { key: string }) => ({ headers: { authorization: `Bearer ${key}` } })

const server = (name: string): Server =>
  new Server({ name, instructions: `Ask ${name}`, tools: { read: tool({ run: () => name }) } })

const BROKEN = { command: 'no-such-command-anywhere', args: ['--password-of-broken'] }
const CONFIG = {
  mcpServers: { common: { module: 'common' }, hidden: { module: 'hidden' }, broken: BROKEN },
  catalog: { deadline: 500 },
  auth: { apiKeys: [INSIDER, OUTSIDER] },
  policy: { rules: [{ who: { apiKeys: ['outsider'] }, deny: ['hidden', 'tools:broken/*', 'broken/*'] }] },
}

async function start(config: Record<string, unknown> = CONFIG) {
  const apps = { common: server('common'), hidden: server('hidden') }
  const gateway = await testGateway(config, { embedded: new Map(Object.entries(apps)) })
  closing.push(() => gateway.close())
  return { gateway, ...apps }
}

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw-client', version: '1' },
}

describe('a caller that may not use a target', () => {
  it('does not learn of it from what the gateway says about itself, nor from its lists', async () => {
    const { gateway } = await start()
    const told = async (who: typeof INSIDER): Promise<string> => {
      const answers = [
        await modernRequest(gateway.endpoint, 'server/discover', {}, as(who)),
        await legacyRequest(gateway.endpoint, 'initialize', INITIALIZE, as(who)),
        await modernRequest(gateway.endpoint, 'tools/list', {}, as(who)),
        await modernRequest(gateway.endpoint, 'prompts/list', {}, as(who)),
        await modernRequest(gateway.endpoint, 'resources/list', {}, as(who)),
      ]
      return answers.map(({ text }) => text).join()
    }
    const insider = await told(INSIDER)
    for (const word of ['Ask hidden', '"hidden"', '"broken"']) expect(insider).toContain(word)
    const outsider = await told(OUTSIDER)
    expect(outsider).toContain('Ask common')
    expect(outsider).not.toMatch(/hidden|broken|no-such-command|password/)
  })

  it('does not learn of one that turns out to have nothing for it', async () => {
    const { gateway } = await start({
      ...CONFIG,
      mcpServers: { common: { module: 'common' }, hidden: { module: 'hidden', start: 'lazy' } },
      policy: { rules: [{ who: { apiKeys: ['outsider'] }, deny: ['tools:hidden/*'] }] },
    })
    const { text } = await modernRequest(gateway.endpoint, 'server/discover', {}, as(OUTSIDER))
    expect(text).toContain('Ask common')
    expect(text).not.toContain('hidden')
  })

  it('cannot find a tool by the headers that calls of it take', async () => {
    const { gateway, hidden } = await start()
    const region = { type: 'string', 'x-mcp-header': 'Region' } as const
    const input = { type: 'object', properties: { region } } as const
    hidden.tool('local', { input, run: () => 'local' })
    const call = (name: string, who: typeof INSIDER) =>
      modernRequest(gateway.endpoint, 'tools/call', { name, arguments: { region: 'eu' } }, as(who))
    await expect
      .poll(async () => (await call('hidden_local', INSIDER)).message.error?.message)
      .toContain('Mcp-Param-Region')
    const [denied, missing] = [await call('hidden_local', OUTSIDER), await call('hidden_other', OUTSIDER)]
    expect(denied.message.error).toEqual({ code: -32602, message: 'Unknown tool: hidden_local' })
    expect(missing.message.error).toEqual({ code: -32602, message: 'Unknown tool: hidden_other' })
  })

  it('finds nothing at its endpoint, as at a name that no target has', async () => {
    const { gateway } = await start()
    const at = async (name: string, who: typeof INSIDER, init: RequestInit) => {
      const response = await fetch(`${gateway.endpoint}/${name}`, { ...init, ...as(who) })
      const headers = [...response.headers].filter(([header]) => header !== 'date')
      return { status: response.status, headers, text: await response.text() }
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE })
    for (const init of [
      { method: 'POST', body },
      { method: 'GET' },
      { method: 'DELETE' },
      { method: 'PUT' },
    ]) {
      const nowhere = await at('nowhere', OUTSIDER, init)
      expect(nowhere.status).toBe(404)
      expect(await at('hidden', OUTSIDER, init)).toEqual(nowhere)
      expect(await at('broken', OUTSIDER, init)).toEqual(nowhere)
      const allowed = await fetch(`${gateway.endpoint}/hidden`, { ...init, ...as(INSIDER) })
      expect(allowed.status).not.toBe(404)
      await allowed.body?.cancel()
    }
    const strangers = await Promise.all(
      ['hidden', 'nowhere'].map((name) => fetch(`${gateway.endpoint}/${name}`, { method: 'POST', body })),
    )
    expect(strangers.map(({ status }) => status)).toEqual([401, 401])
  })

  it('cannot tell it from others by a cursor that it makes up', async () => {
    const { gateway } = await start()
    const answers = ['hidden', 'nowhere'].map((target) => {
      const cursor = Buffer.from(`0/${target}/x`).toString('base64url')
      return modernRequest(gateway.endpoint, 'tools/list', { cursor }, as(OUTSIDER))
    })
    const [hidden, nowhere] = (await Promise.all(answers)).map(({ message }) => message.error)
    expect(hidden).toEqual(nowhere)
  })

  it('does not start it', async () => {
    const lazy = { ...CONFIG.mcpServers, broken: { ...BROKEN, start: 'lazy' } }
    const { gateway } = await start({ ...CONFIG, mcpServers: lazy })
    const asked = async (who: typeof INSIDER): Promise<string> => {
      await modernRequest(gateway.endpoint, 'tools/list', {}, as(who))
      await modernRequest(gateway.endpoint, 'tools/call', { name: 'broken_x' }, as(who))
      await modernRequest(gateway.endpoint, 'resources/read', { uri: 'broken+x://y' }, as(who))
      return gateway.gateway.target('broken')!.state
    }
    expect(await asked(OUTSIDER)).toBe('idle')
    expect(await asked(INSIDER)).not.toBe('idle')
  })

  it.each(['legacy', 'modern'] as const)(
    'hears nothing of its changes as a %s client, and of all others',
    async (era) => {
      const { gateway, hidden, common } = await start()
      const listen = async (who: typeof INSIDER): Promise<{ client: Client; heard: () => number }> => {
        let heard = 0
        const client = await connect(http(gateway.endpoint, as(who)), { era })
        closing.push(() => client.close())
        client.on('toolsChanged', () => heard++)
        await client.listTools().all()
        return { client, heard: () => heard }
      }
      const [insider, outsider] = [await listen(INSIDER), await listen(OUTSIDER)]
      await expect.poll(() => gateway.gateway.endpoint()!.changes.size).toBeGreaterThanOrEqual(2)
      const before = outsider.heard()
      hidden.tool('more', { run: () => 'more' })
      await expect.poll(insider.heard).toBeGreaterThan(0)
      await expect
        .poll(async () => (await insider.client.listTools().all()).map(({ name }) => name))
        .toContain('hidden_more')
      expect(outsider.heard()).toBe(before)
      common.tool('more', { run: () => 'more' })
      await expect.poll(outsider.heard).toBeGreaterThan(before)
    },
  )

  it('hears of it when the rules change, and others do not', async () => {
    const { gateway } = await start()
    const heard: string[] = []
    for (const who of [INSIDER, OUTSIDER]) {
      const client = await connect(http(gateway.endpoint, as(who)), { era: 'modern' })
      closing.push(() => client.close())
      client.on('toolsChanged', () => heard.push(who.name))
    }
    await expect.poll(() => gateway.gateway.endpoint()!.changes.size).toBe(2)
    await gateway.gateway.catalog.refreshAll()
    heard.length = 0
    const stateDir = gateway.stateDir
    await gateway.gateway.apply(await modelOf({ ...CONFIG, stateDir, policy: {} }))
    await expect.poll(() => heard).toContain('outsider')
    expect(heard).not.toContain('insider')
  })
})

describe('a name that two targets give', () => {
  const read = async () => ({ contents: [] })
  const named = (name: string, ...tools: string[]): Server =>
    new Server({
      name,
      tools: Object.fromEntries(tools.map((one) => [one, tool({ run: () => `${one} of ${name}` })])),
      resources: { page: { uri: 'page://one', description: name, read } },
    })
  const config = {
    mcpServers: { first: { module: 'first', prefix: false }, second: { module: 'second', prefix: false } },
    views: { desk: { use: ['first/*', 'second/*'], tools: { 'first/other': { name: 'look' } } } },
    auth: { apiKeys: [INSIDER, OUTSIDER] },
    policy: {
      rules: [
        {
          who: { apiKeys: ['outsider'] },
          deny: ['tools:first/read', 'tools:first/other', 'resources:first/page:*'],
        },
      ],
    },
  }
  const apps = { first: named('first', 'read', 'other', 'rest'), second: named('second', 'read', 'look') }

  it('is that of the second for a caller that is denied the first', async () => {
    const gateway = await testGateway(config, { embedded: new Map(Object.entries(apps)) })
    closing.push(() => gateway.close())
    const ask = async (who: typeof INSIDER, method: string, params = {}, place = '') =>
      (await modernRequest(gateway.endpoint + place, method, params, as(who))).message.result
    const tools = async (who: typeof INSIDER, place = ''): Promise<string[]> =>
      (await ask(who, 'tools/list', {}, place)).tools.map(({ name }: { name: string }) => name)
    const apart = expect.stringMatching(/^read_[0-9a-f]{6}$/)
    expect(await tools(INSIDER)).toEqual(['read', 'other', 'rest', apart, 'look'])
    expect(await tools(OUTSIDER)).toEqual(['rest', 'read', 'look'])
    expect((await ask(INSIDER, 'tools/call', { name: 'read' })).content[0].text).toBe('read of first')
    expect((await ask(OUTSIDER, 'tools/call', { name: 'read' })).content[0].text).toBe('read of second')
    for (const [who, description] of [
      [INSIDER, 'first'],
      [OUTSIDER, 'second'],
    ] as const) {
      expect((await ask(who, 'resources/list')).resources).toMatchObject([{ uri: 'page://one', description }])
    }
    // The view calls a tool of the first what one of the second is called.
    expect(await tools(INSIDER, '/desk')).toContainEqual(expect.stringMatching(/^look_[0-9a-f]{6}$/))
    expect(await tools(OUTSIDER, '/desk')).toEqual(['rest', 'read', 'look'])
  })
})

describe('without a guard', () => {
  const open = { ...CONFIG, auth: undefined, policy: { rules: [{ deny: ['hidden', 'broken'] }] } }

  it('names of targets go to those who may know them', async () => {
    const { gateway } = await start(open)
    const texts = await Promise.all(
      ['/mcp/nowhere', '/mcp/hidden', '/health?verbose', '/ready?verbose'].map(async (path) =>
        (await fetch(gateway.url + path)).text(),
      ),
    )
    expect(texts[0]).toContain('common')
    expect(texts[1]).toBe(texts[0])
    expect(texts.join()).not.toMatch(/hidden|broken/)
  })
})

describe('a page of another site', () => {
  const PATHS = [
    '/mcp',
    '/mcp/common',
    '/mcp/nowhere',
    '/sse',
    '/health',
    '/ready',
    '/ready?verbose',
    '/metrics',
    '/.well-known/oauth-protected-resource',
    '/console/',
    '/api/session',
    '/',
    '/nothing',
  ]

  function statusOf({ url }: TestGateway, path: string, headers: Record<string, string>): Promise<number> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url)
      request({ hostname, port, path, headers }, (response) => {
        response.destroy()
        resolve(response.statusCode!)
      })
        .on('error', reject)
        .end()
    })
  }

  it.each(PATHS)('gets nothing at %s, neither by a name of its own nor from its origin', async (path) => {
    const { gateway } = await start({ mcpServers: { common: { module: 'common' } } })
    for (const host of ['evil.example', 'localhost.evil.example', 'localhost:1@evil.example', '[::1].evil']) {
      expect([host, await statusOf(gateway, path, { host })]).toEqual([host, 403])
    }
    expect(await statusOf(gateway, path, { origin: 'https://evil.example' })).toBe(403)
    expect(await statusOf(gateway, path, {})).not.toBe(403)
  })
})
