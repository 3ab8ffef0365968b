import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InsufficientScope, Server, tool } from '../../entries/server.ts'
import { Sealer } from '../../exchange/index.ts'
import { type FetchHandler, toFetchHandler } from '../../transport/http/server/fetch-handler.ts'
import type { Guard } from '../../transport/http/server/reply.ts'
import { type NodeHandler, toNodeHandler } from '../../transport/http/server/node-handler.node.ts'
import { IssuerWorld } from './fixtures/issuer-world.test.node.ts'
import { bearer, type BearerGuard } from './index.ts'

const LEGACY = '2025-11-25'
const MODERN = '2026-07-28'
const CLIENT_INFO = { name: 'test', version: '1' }
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

let world: IssuerWorld
let guard: BearerGuard
let handler: NodeHandler
let http: HttpServer
let url: string

const app = () =>
  new Server({
    name: 'notes',
    tools: {
      whoami: tool({ run: (_args, ctx) => JSON.stringify(ctx.auth) }),
      ask: tool({ run: async (_args, ctx) => (await ctx.elicit('Who?', NAME)).name as string }),
      publish: tool({ scopes: ['notes:write'], run: () => 'published' }),
      secret: tool({ scopes: ['notes:write'], when: () => false, run: () => 'never' }),
      erase: tool({
        run: (_args, ctx) => {
          if (!ctx.auth?.scopes.includes('notes:erase')) throw new InsufficientScope(['notes:erase'])
          return 'erased'
        },
      }),
    },
    prompts: { draft: { scopes: ['notes:write'], run: () => 'Write!' } },
    resources: [
      { uri: 'note://1', text: 'one' },
      { uri: 'note://secret', text: 'two', scopes: ['notes:write'] },
    ],
    templates: [{ uriTemplate: 'draft://{id}', scopes: ['notes:write'], read: () => 'a draft' }],
  })

beforeEach(async () => {
  world = await new IssuerWorld().start()
  guard = bearer({ resource: world.resource, issuer: world.issuer, scopes: ['notes:read'] })
  handler = toNodeHandler(app(), { guard })
  http = createServer(handler)
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
})
afterEach(async () => {
  handler.close()
  http.closeAllConnections()
  await new Promise((done) => http.close(done))
  await world.stop()
})

interface Sent {
  token?: string
  session?: string
  modern?: boolean
  capabilities?: object
  url?: string
}

/** One message, in the shape of its era. */
async function send(method: string, params: Record<string, unknown>, how: Sent): Promise<Response> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(how.token && { authorization: `Bearer ${how.token}` }),
    ...(how.session && { 'mcp-session-id': how.session, 'mcp-protocol-version': LEGACY }),
  }
  let sent = params
  if (how.modern) {
    headers['mcp-protocol-version'] = MODERN
    headers['mcp-method'] = method
    const name = params.name ?? params.uri
    if (typeof name === 'string') headers['mcp-name'] = name
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
      'io.modelcontextprotocol/clientCapabilities': how.capabilities ?? {},
    }
    sent = { ...params, _meta }
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: sent })
  return fetch(how.url ?? url, { method: 'POST', headers, body })
}

async function openSession(token: string): Promise<string> {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT_INFO }
  const response = await send('initialize', params, { token })
  await response.text()
  return response.headers.get('mcp-session-id')!
}

/** The same test for a legacy session and for modern requests. */
const eras: [string, (token: string) => Promise<Sent>][] = [
  ['legacy', async (token) => ({ token, session: await openSession(token) })],
  ['modern', async (token) => ({ token, modern: true })],
]

it('nobody gets in without a token, and everybody is told where to get one', async () => {
  for (const method of ['POST', 'GET', 'DELETE']) {
    const response = await fetch(url, { method, ...(method === 'POST' && { body: '{}' }) })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('resource_metadata=')
  }
  const metadata = await fetch(new URL(guard.metadataPath, url))
  expect(await metadata.json()).toMatchObject({ authorization_servers: [world.issuer] })
})

describe.each(eras)('%s', (_era, arrive) => {
  it('handlers know who asks', async () => {
    const token = await world.token()
    const response = await send('tools/call', { name: 'whoami' }, await arrive(token))
    const { result } = (await response.json()) as { result: { content: [{ text: string }] } }
    expect(JSON.parse(result.content[0].text)).toMatchObject({
      principal: { kind: 'person', issuer: world.issuer, subject: 'alice' },
      scopes: ['notes:read'],
      clientId: 'notes-app',
      claims: { sub: 'alice' },
      token,
      expiresAt: expect.any(Number),
    })
  })

  it('what the scopes do not allow is not in the lists', async () => {
    const few = await arrive(await world.token())
    const many = await arrive(await world.token({ scope: 'notes:read notes:write' }))
    const namesOf = async (method: string, member: string, how: Sent) => {
      const { result } = (await (await send(method, {}, how)).json()) as {
        result: Record<string, { name: string }[]>
      }
      return result[member]!.map(({ name }) => name)
    }
    expect(await namesOf('tools/list', 'tools', few)).toEqual(['whoami', 'ask', 'erase'])
    expect(await namesOf('tools/list', 'tools', many)).toEqual(['whoami', 'ask', 'publish', 'erase'])
    expect(await namesOf('prompts/list', 'prompts', few)).toEqual([])
    expect(await namesOf('resources/templates/list', 'resourceTemplates', few)).toEqual([])
  })

  it.each([
    ['tools/call', { name: 'publish' }, 'notes:read notes:write'],
    ['tools/call', { name: 'erase' }, 'notes:read notes:erase'],
    ['prompts/get', { name: 'draft' }, 'notes:read notes:write'],
    ['resources/read', { uri: 'note://secret' }, 'notes:read notes:write'],
    ['resources/read', { uri: 'draft://7' }, 'notes:read notes:write'],
  ])('%s %j asks for more scope', async (method, params, scope) => {
    const response = await send(method, params, await arrive(await world.token()))
    expect(response.status).toBe(403)
    const challenge = response.headers.get('www-authenticate')
    expect(challenge).toContain('Bearer error="insufficient_scope"')
    expect(challenge).toContain(`scope="${scope}"`)
    expect(challenge).toContain('resource_metadata="')
    expect(await response.json()).toMatchObject({ id: 1, error: { code: expect.any(Number) } })
    const allowed = await send(method, params, await arrive(await world.token({ scope })))
    expect(allowed.status).toBe(200)
    expect(await allowed.json()).toHaveProperty('result')
  })

  it('a tool that more scope would not open is simply not there', async () => {
    const how = await arrive(await world.token())
    for (const name of ['secret', 'no-such-tool']) {
      const response = await send('tools/call', { name }, how)
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({
        error: { code: -32602, message: `Unknown tool: ${name}` },
      })
    }
  })
})

it('stateless legacy clients are asked for more scope too', async () => {
  const handle = toFetchHandler(app(), { guard, statelessLegacy: true })
  const request = new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await world.token()}`,
      'content-type': 'application/json',
      'mcp-protocol-version': LEGACY,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'publish' } }),
  })
  const response = await handle(request)
  expect(response.status).toBe(403)
  expect(response.headers.get('www-authenticate')).toContain('insufficient_scope')
})

it('a guard that fails lets nobody in', async () => {
  const guards: Guard[] = [
    () => {
      throw new Error('broken')
    },
    () => Promise.reject(new Error('broken')),
    () => undefined as never,
  ]
  for (const broken of guards) {
    const handle = toFetchHandler(app(), { guard: broken })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const response = await handle(new Request('http://127.0.0.1/mcp', { method: 'POST', body }))
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('broken')
  }
})

describe('what belongs to one principal', () => {
  it('a session does not exist for another one', async () => {
    const alice = await world.token()
    const bob = await world.token({ sub: 'bob' })
    const session = await openSession(alice)
    const headers = { accept: 'text/event-stream', 'mcp-session-id': session, authorization: `Bearer ${bob}` }
    expect((await send('tools/list', {}, { token: bob, session })).status).toBe(404)
    expect((await fetch(url, { headers })).status).toBe(404)
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(404)
    // The same person with another token keeps it.
    const renewed = await world.token({ scope: 'notes:read notes:write' })
    expect((await send('tools/list', {}, { token: renewed, session })).status).toBe(200)
    expect((await send('tools/list', {}, { session })).status).toBe(401)
  })

  async function openStream(token: string) {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` }
    const stream = await fetch(url, { headers })
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
    const { value } = await reader.read()
    return { reader, endpoint: new URL(/data: (\S+)/.exec(value!)![1]!, url).href }
  }

  it('on a stream of the old transport each message has its own scopes', async () => {
    const { reader, endpoint } = await openStream(await world.token())
    const token = await world.token({ scope: 'notes:read notes:write' })
    expect((await send('tools/call', { name: 'publish' }, { token, url: endpoint })).status).toBe(202)
    expect((await reader.read()).value).toContain('"published"')
    await reader.cancel()
  })

  it('a stream of the old transport does not exist for another one', async () => {
    const alice = await world.token()
    const { reader, endpoint } = await openStream(alice)
    const bob = await world.token({ sub: 'bob' })
    expect((await send('ping', {}, { token: bob, url: endpoint })).status).toBe(404)
    expect((await send('ping', {}, { token: alice, url: endpoint })).status).toBe(202)
    await reader.cancel()
  })

  it('a session that is brought back after a restart is still theirs alone', async () => {
    const options = { guard, sealer: new Sealer(['a secret that outlives the process']) }
    const post = async (
      handle: FetchHandler,
      method: string,
      params: object,
      token: string,
      session?: string,
    ) =>
      handle(
        new Request('http://127.0.0.1/mcp', {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            ...(session && { 'mcp-session-id': session }),
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        }),
      )
    const alice = await world.token()
    const before = toFetchHandler(app(), options)
    const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT_INFO }
    const session = (await post(before, 'initialize', params, alice)).headers.get('mcp-session-id')!
    before.close()
    const after = toFetchHandler(app(), options)
    const bob = await world.token({ sub: 'bob' })
    expect((await post(after, 'tools/list', {}, bob, session)).status).toBe(404)
    expect((await post(after, 'tools/list', {}, alice, session)).status).toBe(200)
    expect((await post(after, 'tools/list', {}, bob, session)).status).toBe(404)
    after.close()
  })

  it('a suspended call cannot be finished by another one', async () => {
    const capabilities = { elicitation: { form: {} } }
    const alice: Sent = { token: await world.token(), modern: true, capabilities }
    const bob: Sent = { token: await world.token({ sub: 'bob' }), modern: true, capabilities }
    const asked = await send('tools/call', { name: 'ask' }, alice)
    const { result } = (await asked.json()) as {
      result: { requestState: string; inputRequests: Record<string, object> }
    }
    const [key] = Object.keys(result.inputRequests) as [string]
    const retry = {
      name: 'ask',
      requestState: result.requestState,
      inputResponses: { [key]: { action: 'accept', content: { name: 'Ann' } } },
    }
    expect(await (await send('tools/call', retry, bob)).json()).toMatchObject({ error: { code: -32602 } })
    expect(await (await send('tools/call', retry, alice)).json()).toMatchObject({
      result: { content: [{ text: 'Ann' }] },
    })
  })
})
