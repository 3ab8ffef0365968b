import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { IssuerWorld } from '../../packages/mcp/src/auth/guard/fixtures/issuer-world.test.node.ts'
import { listenRaw, legacyRequest, modernRequest } from '../support/raw-client.ts'
import { messageOf, scriptedTarget } from '../support/scripted-target.ts'
import { modelOf, testGateway, type TestGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const keyOf = (who: string): string => `key-of-${who}-0123456789`
const keysOf = (...names: string[]) => ({
  apiKeys: names.map((name) => ({ name, key: keyOf(name), scopes: name === 'ops' ? ['gantry:admin'] : [] })),
})
const as = (credential: string) => ({ authorization: `Bearer ${credential}` })

interface Changes {
  auth?: object
  policy?: object
  views?: object
}

/** A gateway that can be given another configuration. */
async function start(config: Changes) {
  const target = await scriptedTarget({
    'tools/call': () => undefined,
    'resources/list': () => ({ resources: ['a', 'b'].map((name) => ({ uri: `test://${name}`, name })) }),
  })
  closing.push(() => target.close())
  const mcpServers = { m: { url: target.url } }
  const gateway = await testGateway({ mcpServers, ...config })
  closing.push(() => gateway.close())
  const apply = async (next: Changes) => {
    const { stateDir } = gateway
    await gateway.gateway.apply(
      await modelOf({ mcpServers, stateDir, server: { shutdownGrace: 0 }, ...next }),
    )
  }
  return { target, gateway, apply }
}

interface Watched {
  /** What was streamed so far. */
  text: string
  /** The status of the answer once it has ended; `open` before. */
  end: number | 'open'
}

function watch(request: Promise<Response>): Watched {
  const watched: Watched = { text: '', end: 'open' }
  const read = async (): Promise<void> => {
    const response = await request
    try {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) watched.text += chunk
    } finally {
      watched.end = response.status
    }
  }
  read().catch(() => {})
  return watched
}

/** Everything that a caller can have open: a listener, a session's stream, an old stream and a call. */
async function openAll({ endpoint, url }: TestGateway, headers: Record<string, string>) {
  const abort = new AbortController()
  closing.push(() => abort.abort())
  const { signal } = abort
  const accept = 'text/event-stream'
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const opened = await legacyRequest(endpoint, 'initialize', params, { headers })
  const session = {
    ...headers,
    'mcp-session-id': opened.headers.get('mcp-session-id')!,
    'mcp-protocol-version': '2025-11-25',
  }
  const heard: unknown[] = []
  const notifications = { toolsListChanged: true, resourceSubscriptions: ['m+test://a', 'm+test://b'] }
  let listening = 'open'
  void listenRaw(endpoint, { notifications }, {}, signal, (one) => heard.push(one), { headers }).finally(
    () => {
      listening = 'ended'
    },
  )
  const get = watch(fetch(endpoint, { headers: { ...session, accept }, signal }))
  const sse = watch(fetch(`${url}/sse`, { headers: { ...headers, accept }, signal }))
  const call = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'm_echo', arguments: {} } }
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const post = watch(
    fetch(endpoint, { method: 'POST', headers: { ...session, ...json }, body: JSON.stringify(call), signal }),
  )
  let modern: unknown = 'open'
  modernRequest(endpoint, 'tools/call', call.params, { headers, signal }).then(
    ({ status }) => {
      modern = status
    },
    () => {
      modern = 'failed'
    },
  )
  await expect.poll(() => heard.length).toBeGreaterThan(0)
  await expect.poll(() => sse.text).toContain('event: endpoint')
  return {
    heard: heard as { method: string; params: Record<string, unknown> }[],
    state: () => ({ listening, get: get.end, sse: sse.end, post: post.end, modern }),
    session: session['mcp-session-id'],
  }
}

const OPEN = { listening: 'open', get: 'open', sse: 'open', post: 'open', modern: 'open' }
const ENDED = { listening: 'ended', get: 200, sse: 200, post: expect.any(Number), modern: 401 }

describe('a key that is taken away', () => {
  it('is refused from the next message on, and everything that it opened ends', async () => {
    const { target, gateway, apply } = await start({ auth: keysOf('ann', 'ben') })
    const [ann, ben] = [await openAll(gateway, as(keyOf('ann'))), await openAll(gateway, as(keyOf('ben')))]
    await expect.poll(() => target.calls.filter(({ method }) => method === 'tools/call').length).toBe(4)
    await apply({ auth: keysOf('ann') })
    const list = async (who: string) =>
      (await modernRequest(gateway.endpoint, 'tools/list', {}, { headers: as(keyOf(who)) })).status
    expect(await list('ben')).toBe(401)
    expect(await list('ann')).toBe(200)
    await expect.poll(ben.state).toEqual(ENDED)
    expect(ann.state()).toEqual(OPEN)
    const options = { session: ben.session, headers: as(keyOf('ben')) }
    expect((await legacyRequest(gateway.endpoint, 'ping', {}, options)).status).toBe(401)
    // The same name with another secret is not the same key.
    await apply({ auth: { apiKeys: [{ name: 'ann', key: 'another-secret-0123456789' }] } })
    await expect.poll(ann.state).toEqual(ENDED)
  })

  it('does not administer the gateway any longer either', async () => {
    const { gateway, apply } = await start({ auth: keysOf('ops', 'ann') })
    const headers = as(keyOf('ops'))
    const session = () => fetch(`${gateway.url}/api/session`, { headers })
    expect((await session()).status).toBe(200)
    const abort = new AbortController()
    closing.push(() => abort.abort())
    const events = watch(fetch(`${gateway.url}/api/events`, { headers, signal: abort.signal }))
    const metrics = async () => (await fetch(`${gateway.url}/metrics`, { headers })).status
    expect(await metrics()).toBe(200)
    await expect.poll(() => events.text).not.toBe('')
    await apply({ auth: keysOf('ann') })
    expect((await session()).status).toBe(401)
    expect(await metrics()).toBe(401)
    await expect.poll(() => events.end).toBe(200)
  })

  it('holds for those who came in before there were keys', async () => {
    const { gateway, apply } = await start({})
    const anyone = await openAll(gateway, {})
    await apply({ auth: keysOf('ann') })
    expect((await modernRequest(gateway.endpoint, 'tools/list')).status).toBe(401)
    await expect.poll(anyone.state).toEqual(ENDED)
  })
})

it('streams end with the token that opened them', async () => {
  const world = await new IssuerWorld().start()
  closing.push(() => world.stop())
  const aud = 'https://one.example.com'
  const { gateway } = await start({ auth: { bearer: { issuer: world.issuer, audience: aud } } })
  const exp = Math.ceil(Date.now() / 1000) + 4
  const short = await openAll(gateway, as(await world.token({ aud, sub: 'ann', exp })))
  const long = await openAll(gateway, as(await world.token({ aud, sub: 'ben' })))
  const ended = { listening: 'ended', get: 200, sse: 200 }
  await expect.poll(short.state).toMatchObject(ended)
  expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000)
  expect(long.state()).toEqual(OPEN)
})

it('tokens are judged by the settings of today', async () => {
  const world = await new IssuerWorld().start()
  closing.push(() => world.stop())
  const { issuer } = world
  const bearer = (audience: string) => ({ auth: { bearer: { issuer, audience } } })
  const { gateway, apply } = await start(bearer('https://one.example.com'))
  const headers = as(await world.token({ aud: 'https://one.example.com' }))
  const ann = await openAll(gateway, headers)
  await apply({ ...bearer('https://one.example.com'), policy: { default: 'allow' } })
  expect(ann.state()).toEqual(OPEN)
  await apply(bearer('https://two.example.com'))
  expect((await modernRequest(gateway.endpoint, 'tools/list', {}, { headers })).status).toBe(401)
  await expect.poll(ann.state).toEqual(ENDED)
})

it('everything that a caller opened at a view ends when the view is no longer for it, or is gone', async () => {
  const auth = keysOf('ann', 'ben', 'cy')
  const desk = (...apiKeys: string[]) => ({ auth, views: { desk: { use: ['m/*'], who: { apiKeys } } } })
  const { gateway, apply } = await start(desk('ann', 'ben'))
  const view = { ...gateway, endpoint: `${gateway.endpoint}/desk` }
  const [ann, ben] = [await openAll(view, as(keyOf('ann'))), await openAll(view, as(keyOf('ben')))]
  await apply(desk('ann', 'cy'))
  const ended = { listening: 'ended', get: 200, post: expect.any(Number), modern: expect.any(Number) }
  await expect.poll(ben.state).toMatchObject(ended)
  expect(ann.state()).toEqual(OPEN)
  await apply({ auth })
  await expect.poll(ann.state).toMatchObject(ended)
})

it('a caller who is denied a resource no longer hears of it', async () => {
  const auth = keysOf('ann', 'ben')
  const { target, gateway, apply } = await start({ auth })
  const [ann, ben] = [await openAll(gateway, as(keyOf('ann'))), await openAll(gateway, as(keyOf('ben')))]
  const updates = (one: typeof ann) =>
    one.heard.filter(({ method }) => method.endsWith('resources/updated')).map(({ params }) => params.uri)
  target.announce('notifications/resources/updated', { uri: 'test://a' })
  await expect.poll(() => [updates(ann), updates(ben)]).toEqual([['m+test://a'], ['m+test://a']])
  await apply({ auth, policy: { rules: [{ who: { apiKeys: ['ben'] }, deny: ['m/test://a'] }] } })
  target.announce('notifications/resources/updated', { uri: 'test://a' })
  target.announce('notifications/resources/updated', { uri: 'test://b' })
  await expect.poll(() => updates(ann)).toEqual(['m+test://a', 'm+test://a', 'm+test://b'])
  await expect.poll(() => updates(ben)).toEqual(['m+test://a', 'm+test://b'])
})

it('a caller who is denied a tool hears nothing more of its calls under way, nor their results', async () => {
  const auth = keysOf('ann', 'ben')
  const { target, gateway, apply } = await start({ auth })
  const open: ServerResponse[] = []
  const ids: unknown[] = []
  target.answers['tools/call'] = ({ id, response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    open.push(response)
    ids.push(id)
    return undefined
  }
  const meta = { 'io.modelcontextprotocol/logLevel': 'debug' }
  const ask = (who: string) =>
    modernRequest(gateway.endpoint, 'tools/call', { name: 'm_echo' }, { headers: as(keyOf(who)), meta })
  const answers = [ask('ann'), ask('ben')]
  await expect.poll(() => open.length).toBe(2)
  const tell = (data: string): void => {
    const message = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data } }
    for (const response of open) response.write(`data: ${JSON.stringify(message)}\n\n`)
  }
  tell('before')
  await apply({ auth, policy: { rules: [{ who: { apiKeys: ['ben'] }, deny: ['tools:m/*'] }] } })
  tell('after')
  for (const [at, response] of open.entries()) {
    response.end(
      `data: ${messageOf(ids[at] as number, { content: [{ type: 'text', text: 'the result' }] })}\n\n`,
    )
  }
  const [ann, ben] = await Promise.all(answers)
  expect(ann!.text).toMatch(/after[\s\S]*the result/)
  expect(ben!.text).not.toMatch(/after|the result/)
  expect(ben!.message.error).toMatchObject({ message: 'Unknown tool: m_echo' })
})
