import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect, sse, type Client } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { legacyRequest, listenRaw, modernRequest, openSession } from '../support/raw-client.ts'
import { serveHttp } from '../support/http-targets.ts'
import { scriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const LEAKY = fileURLToPath(new URL('../fixtures/leaky-server.mjs', import.meta.url))
const TASKS = 'io.modelcontextprotocol/tasks'
const PLANTED = /planted/
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  vi.restoreAllMocks()
})

/** A target whose every credential holds the word that must not be seen again. */
function leaky(leak: string, more: object = {}): object {
  return {
    command: process.execPath,
    args: [LEAKY, '--api-key', 'planted-argument', 'postgres://u:planted-pw@db/x', '-p', 'pw=planted-word'],
    env: { API_TOKEN: 'planted-environment', LEAK: leak },
    era: 'legacy',
    restart: { minDelay: 10, maxDelay: 20 },
    ...more,
  }
}

/** Collects what the gateway writes to its log. */
function logLines(): string[] {
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(String(text))
    return true
  })
  return lines
}

async function start(mcpServers: Record<string, object>, more: object = {}): Promise<TestGateway> {
  const gateway = await testGateway(
    { mcpServers, catalog: { deadline: 2000 }, ...more },
    { logLevel: 'debug' },
  )
  closing.push(() => gateway.close())
  return gateway
}

/** Everything that clients of both eras get to see of a method, at both endpoints. */
async function everywhere(
  gateway: TestGateway,
  target: string,
  method: string,
  params: { name?: string } = {},
  before?: () => Promise<void>,
): Promise<string[]> {
  const seen: string[] = []
  for (const [url, name] of [
    [gateway.endpoint, params.name && `${target}_${params.name}`],
    [`${gateway.endpoint}/${target}`, params.name],
  ] as const) {
    const asked = name === undefined ? params : { ...params, name }
    await before?.()
    seen.push((await modernRequest(url, method, asked)).text)
    const session = await openSession(url)
    await before?.()
    seen.push((await legacyRequest(url, method, asked, { session })).text)
  }
  return seen
}

async function listener(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

describe('what callers learn of a failure', () => {
  it('names target, kind and advice when a process ends in a call, in every era and at every endpoint', async () => {
    const lines = logLines()
    const gateway = await start({ bad: leaky('') })
    const isTried = () => expect.poll(() => gateway.gateway.target('bad')?.state).not.toBe('backing-off')
    const seen = await everywhere(gateway, 'bad', 'tools/call', { name: 'crash' }, isTried)
    for (const text of seen) {
      expect(text).not.toMatch(PLANTED)
      expect(text).toMatch(/Target \\"bad\\": its process exited with code 3.*gantry doctor bad/)
      expect(text).toContain('"reason":"exited"')
      expect(text).toContain('"mayHaveHappened":true')
    }
    const old = await connect(sse(`${gateway.url}/sse`))
    closing.push(() => old.close())
    const error = await old.call('bad_crash').catch((thrown: unknown) => thrown)
    expect(JSON.stringify(error) + String(error)).not.toMatch(PLANTED)
    expect(lines.join('')).not.toMatch(PLANTED)
  })

  it.each(['start', 'handshake', 'tools/list'])(
    'keeps what a server says at %s to the operator',
    async (leak) => {
      const lines = logLines()
      const gateway = await start({ bad: leaky(leak) })
      const seen = [
        ...(await everywhere(gateway, 'bad', 'tools/list')),
        ...(await everywhere(gateway, 'bad', 'tools/call', { name: 'crash' })),
        (await modernRequest(gateway.endpoint, 'server/discover')).text,
        await (await fetch(`${gateway.url}/ready`)).text(),
      ]
      for (const text of seen) expect(text).not.toMatch(PLANTED)
      expect(seen[0]).toMatch(/"target":"bad","state":"missing","reason":"[^"]{10,}/)
      expect(lines.join('')).not.toMatch(PLANTED)
      // The operator learns why, without the secrets.
      const shown = async () => JSON.stringify(await gateway.api.call('target', { params: { name: 'bad' } }))
      await expect.poll(shown).toMatch(leak === 'start' ? /code 4/ : /no: /)
      expect(await shown()).not.toMatch(PLANTED)
    },
  )

  it('takes configured secrets out of the errors that a server answers itself', async () => {
    const gateway = await start({ bad: leaky('') })
    for (const text of await everywhere(gateway, 'bad', 'tools/call', { name: 'refuse' })) {
      expect(text).toContain('"code":-32000')
      expect(text).toContain('no: ')
      expect(text).not.toMatch(/planted-(argument|pw|environment)/)
    }
  })

  it('takes them out of the errors of tools, in every spelling', async () => {
    const gateway = await start({ bad: leaky('') })
    for (const text of await everywhere(gateway, 'bad', 'tools/call', { name: 'fail' })) {
      expect(text).toContain('"isError":true')
      expect(text).toContain('failed: ')
      expect(text).not.toMatch(/planted-(argument|pw|environment)/i)
      expect(text).not.toContain(Buffer.from('planted-environment').toString('base64').slice(2, 20))
      expect(text).not.toContain(Buffer.from('me:planted-environment').toString('base64').slice(4, 24))
    }
  })

  it('takes tokens out that came at run time', async () => {
    const lines = logLines()
    const token = 'came.at-run_time'
    const url = await listener((request, response) => {
      const { origin } = new URL(url)
      const json = (status: number, body: object): unknown =>
        response
          .writeHead(status, {
            'content-type': 'application/json',
            'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
          })
          .end(JSON.stringify(body))
      if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
        return json(200, { resource: url, authorization_servers: [origin] })
      }
      if (request.url?.startsWith('/.well-known')) {
        const grants = { grant_types_supported: ['client_credentials'], response_types_supported: ['code'] }
        return json(200, { issuer: origin, token_endpoint: `${origin}/token`, ...grants })
      }
      if (request.url === '/token') {
        return json(200, { access_token: token, token_type: 'Bearer', expires_in: 3600 })
      }
      if (request.headers.authorization !== `Bearer ${token}`) return json(401, {})
      let body = ''
      request.on('data', (chunk: Buffer) => (body += String(chunk)))
      request.on('end', () => {
        const { id, method, params } = JSON.parse(body || '{}')
        if (method === 'initialize') {
          const { protocolVersion } = params
          const serverInfo = { name: 'echo', version: '1' }
          return json(200, {
            jsonrpc: '2.0',
            id,
            result: { protocolVersion, serverInfo, capabilities: { tools: {} } },
          })
        }
        if (id === undefined) return response.writeHead(202).end()
        if (method === 'tools/list') {
          const tools = [{ name: 'who', inputSchema: { type: 'object' } }]
          return json(200, { jsonrpc: '2.0', id, result: { tools } })
        }
        return json(200, { jsonrpc: '2.0', id, error: { code: -32000, message: `no: ${token} is wrong` } })
      })
    })
    const oauth = { clientId: 'me', clientSecret: 'planted-client-secret', grant: 'client_credentials' }
    const gateway = await start({ web: { url, oauth, era: 'legacy' } })
    for (const text of await everywhere(gateway, 'web', 'tools/call', { name: 'who' })) {
      expect(text).toContain('no: [redacted] is wrong')
    }
    expect(lines.join('')).not.toContain(token)
  })

  it('says the same of a call that became a task', async () => {
    logLines()
    const gateway = await start({ bad: leaky('') })
    const client: Client = await connect(gateway.endpoint, { era: 'legacy' })
    closing.push(() => client.close())
    const error = (await client.call('bad_crash').catch((thrown: Error) => thrown)) as Error
    expect(error.message).toMatch(/Target "bad": its process exited/)
  })

  it.each([
    ['an error page', 500, {}, 'http_status'],
    [
      'a challenge',
      401,
      { 'www-authenticate': 'Bearer error="x", error_description="planted-challenge"' },
      '',
    ],
    ['a redirect', 302, { location: 'https://user:planted-redirect@elsewhere/' }, ''],
    ['a limit', 429, { 'retry-after': 'planted-retry' }, 'http_status'],
  ] as const)('keeps %s of an HTTP target to the operator', async (...[, status, headers]) => {
    const lines = logLines()
    const target = await serveHttp(new Server({ name: 'web', tools: { who: tool({ run: () => 'me' }) } }))
    closing.push(() => target.close())
    const gateway = await start({
      web: {
        url: `${target.url}?key=planted-query`,
        headers: { authorization: 'Bearer planted-header', 'x-api-key': 'planted-key' },
      },
    })
    await modernRequest(gateway.endpoint, 'tools/list')
    target.intercept = (request, response) => {
      response.writeHead(status, { 'content-type': 'text/html', ...headers })
      response.end(`planted-body ${request.url} ${JSON.stringify(request.headers)}`)
      return true
    }
    const seen = [
      ...(await everywhere(gateway, 'web', 'tools/call', { name: 'who' })),
      ...(await everywhere(gateway, 'web', 'tools/list')),
    ]
    for (const text of seen) expect(text).not.toMatch(PLANTED)
    expect(seen[0]).toMatch(/Target \\"web\\"/)
    expect(lines.join('')).not.toMatch(/planted-(query|header|key|redirect)/)
  })

  it('keeps what an authorization server says to the operator', async () => {
    const lines = logLines()
    const url = await listener((request, response) => {
      const body = request.url?.startsWith('/.well-known')
        ? JSON.stringify({ error: 'planted-metadata', resource: 'https://planted-resource/' })
        : JSON.stringify({ error: 'invalid_client', error_description: 'planted-description' })
      response.writeHead(401, {
        'content-type': 'application/json',
        'www-authenticate': 'Bearer resource_metadata="http://127.0.0.1:1/planted-url"',
      })
      response.end(body)
    })
    const gateway = await start({
      web: {
        url,
        oauth: { clientId: 'me', clientSecret: 'planted-client-secret', grant: 'client_credentials' },
      },
    })
    const seen = [
      ...(await everywhere(gateway, 'web', 'tools/list')),
      ...(await everywhere(gateway, 'web', 'tools/call', { name: 'who' })),
    ]
    for (const text of seen) expect(text).not.toMatch(PLANTED)
    expect(lines.join('')).not.toMatch(/planted-client-secret/)
  })

  it('names no address of a target that cannot be reached', async () => {
    logLines()
    // Each call tries again, after a pause that grows with the failures.
    const restart = { minDelay: 10, maxDelay: 20 }
    const unreachable = {
      web: { url: 'http://127.0.0.1:1/planted-path?key=planted-query', restart },
      gone: { command: '/planted/no-such-command', args: ['--token', 'planted-token'], restart },
      api: { openapi: { document: 'http://127.0.0.1:1/planted-document.json' }, restart },
    }
    const gateway = await start(unreachable, { catalog: { deadline: 200 } })
    for (const target of ['web', 'gone', 'api']) {
      for (const text of await everywhere(gateway, target, 'tools/list')) expect(text).not.toMatch(PLANTED)
      for (const text of await everywhere(gateway, target, 'tools/call', { name: 'x' })) {
        expect(text).not.toMatch(PLANTED)
      }
    }
  })

  it('writes one line of log for each thing, however a server and a caller write theirs', async () => {
    const lines = logLines()
    const gateway = await start({ bad: leaky('') })
    await modernRequest(gateway.endpoint, 'tools/call', { name: 'bad_crash' })
    const session = await openSession(gateway.endpoint)
    const name = 'no\nsuch\u001b[2Jtool'
    await legacyRequest(gateway.endpoint, 'tools/call', { name }, { session })
    const uri = 'x://u:planted-uri@h/\r\nforged'
    await legacyRequest(gateway.endpoint, 'resources/read', { uri }, { session })
    for (const line of lines) {
      expect(line).toMatch(/^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f\n]*\n$/)
      expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} (debug|info |warn |error)/)
      expect(line).not.toMatch(PLANTED)
    }
  })
})

describe.each(['legacy', 'modern'] as const)('what a %s target tells and asks', (era) => {
  it.each(['legacy', 'modern'] as const)('holds no configured secret for a %s caller', async (callerEra) => {
    const secret = 'planted/secret of 2026'
    const app = new Server({
      name: 'talks',
      tools: {
        talk: tool({
          run: async (_, ctx) => {
            await ctx.log('warning', { said: `log ${secret}` })
            await ctx.progress(1, 2, `progress ${secret}`)
            const ok = await ctx.confirm(`ask ${secret} ${encodeURIComponent(secret)}?`)
            return `${ok}`
          },
        }),
      },
    })
    const target = await serveHttp(app)
    closing.push(() => target.close())
    const gateway = await start({ talks: { url: target.url, era, headers: { 'x-api-key': secret } } })
    const heard: unknown[] = []
    const client = await connect(gateway.endpoint, {
      era: callerEra,
      elicit: (question) => {
        heard.push(question)
        return { action: 'accept', content: { confirmed: true, ok: true } }
      },
    })
    closing.push(() => client.close())
    const onLog = (log: unknown) => heard.push(log)
    const onProgress = (progress: unknown) => heard.push(progress)
    await client.call('talks_talk', {}, { onProgress, onLog, logLevel: 'debug' })
    const shown = JSON.stringify(heard)
    expect(shown).toMatch(/log .*progress .*ask /)
    expect(shown).not.toMatch(PLANTED)
  })
})

it('holds none in what a listener hears, nor in what a task says of itself', async () => {
  const at = new Date(0).toISOString()
  const task = {
    taskId: '1',
    status: 'working',
    createdAt: at,
    lastUpdatedAt: at,
    ttlMs: 60_000,
    statusMessage: 'planted-header-12',
  }
  const question = {
    mode: 'form',
    message: 'planted-header-12?',
    requestedSchema: { type: 'object', properties: {} },
  }
  const inputRequests = { q: { method: 'elicitation/create', params: question } }
  const target = await scriptedTarget({
    'server/discover': () => ({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: { subscribe: true }, extensions: { [TASKS]: {} } },
    }),
    'resources/list': () => ({ resources: [{ uri: 'file:///a', name: 'a' }] }),
    'tools/call': () => ({ resultType: 'task', ...task }),
    'tasks/get': () => ({ ...task, status: 'input_required', inputRequests }),
  })
  closing.push(() => target.close())
  const gateway = await start({
    told: { url: target.url, headers: { authorization: 'Bearer planted-header-12' } },
  })
  const capabilities = { extensions: { [TASKS]: {} }, elicitation: { form: {} } }
  const made = await modernRequest(gateway.endpoint, 'tools/call', { name: 'told_echo' }, { capabilities })
  const { taskId } = made.message.result
  const got = await modernRequest(gateway.endpoint, 'tasks/get', { taskId }, { capabilities })
  expect(got.message.result.status).toBe('input_required')
  const heard: unknown[] = []
  const end = new AbortController()
  const notifications = { resourceSubscriptions: ['told+file:///a'], taskIds: [taskId] }
  const listening = listenRaw(gateway.endpoint, { notifications }, capabilities, end.signal, (one) =>
    heard.push(one),
  )
  await expect.poll(() => heard.length).toBe(1)
  target.announce('notifications/resources/updated', { uri: 'file:///a', why: 'planted-header-12' })
  target.announce('notifications/tasks', task)
  await expect.poll(() => heard.length).toBe(3)
  end.abort()
  await listening.catch(() => {})
  expect(JSON.stringify([made.text, got.text, heard])).not.toMatch(PLANTED)
})
