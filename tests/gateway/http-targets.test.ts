import type { ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { serveHttp, type HttpTarget } from '../support/http-targets.ts'
import { modernRequest } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const LEGACY = ['2025-03-26', '2025-06-18', '2025-11-25'] as const
const MODERN = ['2026-07-28'] as const
const closing: (() => unknown)[] = []
let calls = 0

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function createApp(revisions: readonly string[] | undefined): Server {
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  return new Server({
    name: 'web',
    version: '1',
    ...(revisions && { revisions: revisions as never }),
    tools: {
      add: tool({
        input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
        run: ({ a, b }: { a: number; b: number }) => String(a + b),
      }),
      count: tool({ run: () => String(++calls) }),
      place: tool({
        input: { type: 'object', properties: { region, note: { type: 'string' } } },
        run: ({ region: where }: { region: string }) => where,
      }),
      who: tool({ run: (_, ctx) => String(ctx.exchange.headers?.authorization) }),
      large: tool({ run: () => 'x'.repeat(50 * 1024 * 1024) }),
      greet: tool({
        run: async (_, ctx) => {
          await ctx.progress(1, 2)
          const schema = { type: 'object', properties: { name: { type: 'string' } } }
          return `Hello ${((await ctx.elicit('Name?', schema)) as { name: string }).name}`
        },
      }),
    },
    resources: [{ uri: 'test://one', name: 'one', text: 'first' }],
  })
}

async function target(revisions?: readonly string[], app = createApp(revisions)): Promise<HttpTarget> {
  const served = await serveHttp(app)
  closing.push(() => served.close())
  return served
}

async function gatewayTo(entry: object, config: object = {}): Promise<TestGateway> {
  const gateway = await testGateway({ mcpServers: { web: entry }, ...config })
  closing.push(() => gateway.close())
  return gateway
}

async function clientOf(gateway: TestGateway, era: 'legacy' | 'modern', headers = {}): Promise<Client> {
  const client = await connect(http(gateway.endpoint, { headers }), {
    era,
    elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
  })
  closing.push(() => client.close())
  return client
}

describe.each([
  ['legacy', LEGACY, 'auto', 'http'],
  ['modern', MODERN, 'auto', 'http'],
  ['any', undefined, 'auto', 'http'],
  ['HTTP+SSE', LEGACY, 'sse', 'sse'],
] as const)('a %s server over HTTP', (_name, revisions, transport, kind) => {
  it.each(['legacy', 'modern'] as const)(
    'is reached by a %s client, questions and progress included',
    async (era) => {
      const { url } = await target(revisions)
      const gateway = await gatewayTo({ url, transport })
      const client = await clientOf(gateway, era)
      expect((await client.call('web_add', { a: 2, b: 3 })).text()).toBe('5')
      const progress: number[] = []
      const result = await client.call(
        'web_greet',
        {},
        { onProgress: (update) => progress.push(update.progress) },
      )
      expect(result.text()).toBe('Hello Ada')
      expect(progress).toContain(1)
      expect((await client.readResource('web+test://one')).contents[0]).toMatchObject({
        uri: 'web+test://one',
      })
      expect(gateway.gateway.target('web')?.main.connection?.transport).toBe(kind)
    },
  )
})

describe('headers', () => {
  it.each([
    ['legacy', LEGACY],
    ['modern', MODERN],
  ] as const)('forwards those that are listed to a %s server, and no others', async (_era, revisions) => {
    const web = await target(revisions)
    const gateway = await gatewayTo({
      url: web.url,
      forwardHeaders: ['x-tenant'],
      headers: { 'X-Fixed': 'yes' },
    })
    const client = await clientOf(gateway, 'modern', { 'x-tenant': 'acme', 'x-private': 'no', cookie: 'a=b' })
    await client.call('web_count')
    const { headers } = web.seen.findLast((one) => one.rpc === 'tools/call')!
    expect(headers).toMatchObject({ 'x-tenant': 'acme', 'x-fixed': 'yes' })
    expect(headers).not.toHaveProperty('x-private')
    expect(headers).not.toHaveProperty('cookie')
  })

  it('gives every caller its own credentials when authorization is forwarded', async () => {
    const web = await target(LEGACY)
    const gateway = await gatewayTo({ url: web.url, forwardHeaders: ['authorization'], isolation: 'session' })
    const ann = await clientOf(gateway, 'legacy', { authorization: 'Bearer ann' })
    const ben = await clientOf(gateway, 'legacy', { authorization: 'Bearer ben' })
    expect((await ann.call('web_who')).text()).toBe('Bearer ann')
    expect((await ben.call('web_who')).text()).toBe('Bearer ben')
    const opened = web.seen.filter((one) => one.rpc === 'initialize').map((one) => one.headers.authorization)
    expect(opened).toEqual(expect.arrayContaining(['Bearer ann', 'Bearer ben']))
  })

  it('mirrors arguments on the second hop as the tool wants it, under its own name', async () => {
    const web = await target(MODERN)
    const gateway = await gatewayTo({ url: web.url })
    for (const era of ['legacy', 'modern'] as const) {
      const client = await clientOf(gateway, era)
      for await (const _tool of client.listTools());
      expect((await client.call('web_place', { region: 'Zürich', note: 'x' })).text()).toBe('Zürich')
      const { headers } = web.seen.findLast((one) => one.rpc === 'tools/call')!
      expect(headers['mcp-name']).toBe('place')
      expect(headers['mcp-param-region']).toMatch(/^=\?base64\?/)
    }
  })
})

describe('a session that the server forgot', () => {
  it('is opened again behind the back of the client, in the middle of calls', async () => {
    const web = await target(LEGACY)
    const gateway = await gatewayTo({ url: web.url })
    const client = await clientOf(gateway, 'legacy')
    calls = 0
    for (let round = 1; round <= 3; round++) {
      expect((await client.call('web_count')).text()).toBe(String(round))
      web.forgetSessions()
    }
    const parallel = await Promise.all(
      Array.from({ length: 8 }, () => client.call('web_add', { a: 1, b: 1 })),
    )
    expect(parallel.map((result) => result.text())).toEqual(Array(8).fill('2'))
    expect(web.seen.filter((one) => one.rpc === 'initialize')).toHaveLength(4)
  })
})

describe('refusals', () => {
  const answering =
    (status: number, headers: Record<string, string> = {}) =>
    (_request: unknown, response: ServerResponse, body: string): boolean => {
      if (!body.includes('"tools/call"')) return false
      response.writeHead(status, headers).end('no')
      return true
    }

  it.each([
    [404, false],
    [429, false],
    [503, false],
    [500, true],
    [502, true],
  ])('HTTP %s becomes an error that names the target and the doubt (%s)', async (status, mayHaveHappened) => {
    const web = await target(MODERN)
    const gateway = await gatewayTo({ url: web.url })
    const client = await clientOf(gateway, 'modern')
    web.intercept = answering(status, { 'retry-after': '7' })
    await expect(client.call('web_count')).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`Target "web".*HTTP ${status}`)),
      data: { target: 'web', mayHaveHappened, retryAfter: '7' },
    })
    web.intercept = undefined
    expect((await client.call('web_add', { a: 1, b: 1 })).text()).toBe('2')
  })

  it('401 means that a person has to log in: no storm of retries, and a start by hand helps', async () => {
    const web = await target(MODERN)
    const gateway = await gatewayTo({ url: web.url })
    const client = await clientOf(gateway, 'modern')
    web.intercept = answering(401, { 'www-authenticate': 'Bearer' })
    await expect(client.call('web_count')).rejects.toMatchObject({ data: { reason: 'oauth' } })
    expect(gateway.gateway.target('web')?.state).toBe('needs-auth')
    const before = web.seen.length
    for (let attempt = 0; attempt < 5; attempt++) {
      await expect(client.call('web_count')).rejects.toThrow(/needs a login/)
    }
    expect(web.seen.length).toBe(before)
    web.intercept = undefined
    await gateway.gateway.target('web')!.start()
    expect((await client.call('web_add', { a: 1, b: 1 })).text()).toBe('2')
  })

  it.each([429, 503])(
    'HTTP %s at the start is not tried again before the server wants it',
    async (status) => {
      const web = await target(MODERN)
      web.intercept = (_request, response) => {
        response.writeHead(status, { 'retry-after': '2' }).end('later')
        return true
      }
      const gateway = await gatewayTo({ url: web.url, restart: { minDelay: 10, maxDelay: 20 } })
      await expect.poll(() => gateway.gateway.target('web')?.state).toBe('backing-off')
      const [asked, at] = [web.seen.length, Date.now()]
      web.intercept = undefined
      await expect.poll(() => gateway.gateway.target('web')?.state).toBe('ready')
      expect(Date.now() - at).toBeGreaterThan(1500)
      expect(web.seen.length).toBeGreaterThan(asked)
    },
  )

  it('a call that is made again when the server is gone may have happened the first time', async () => {
    const app = createApp(MODERN)
    let isSeen = false
    const served: HttpTarget = await serveHttp(app)
    app.tool('put', {
      idempotentHint: true,
      run: () => {
        isSeen = true
        served.server.close()
        served.server.closeAllConnections()
        return new Promise<never>(() => {})
      },
    })
    const gateway = await gatewayTo({ url: served.url, restart: { minDelay: 1, maxDelay: 1 } })
    const client = await clientOf(gateway, 'modern')
    await expect(client.call('web_put')).rejects.toMatchObject({ data: { mayHaveHappened: true } })
    expect(isSeen).toBe(true)
  })

  it('a server that cannot be reached is tried again, and is back when it is back', async () => {
    const app = createApp(MODERN)
    const first = await serveHttp(app)
    const port = Number(new URL(first.url).port)
    const gateway = await gatewayTo({ url: first.url, restart: { minDelay: 50, maxDelay: 100 } })
    const client = await clientOf(gateway, 'modern')
    expect((await client.call('web_add', { a: 1, b: 1 })).text()).toBe('2')
    await first.close()
    // As soon as the old sockets are known to be closed, it is certain that nobody took the request.
    const doubt = () => client.call('web_count').catch((error) => error.data?.mayHaveHappened)
    await expect.poll(doubt).toBe(false)
    const second = await serveHttp(app, port)
    closing.push(() => second.close())
    await expect
      .poll(() =>
        client.call('web_add', { a: 2, b: 2 }).then(
          (result) => result.text(),
          () => '',
        ),
      )
      .toBe('4')
  })
})

describe('size', () => {
  it('passes 50 MB on to both eras', async () => {
    const web = await target(MODERN)
    const gateway = await gatewayTo({ url: web.url })
    for (const era of ['legacy', 'modern'] as const) {
      const client = await clientOf(gateway, era)
      expect((await client.call('web_large')).text()).toHaveLength(50 * 1024 * 1024)
    }
  })

  it('refuses more than is allowed, and goes on', async () => {
    const web = await target(MODERN)
    const gateway = await gatewayTo({ url: web.url }, { server: { limits: { resultBytes: '1mb' } } })
    const client = await clientOf(gateway, 'modern')
    await expect(client.call('web_large')).rejects.toMatchObject({
      data: { target: 'web', reason: 'too_large' },
    })
    expect((await client.call('web_add', { a: 1, b: 1 })).text()).toBe('2')
  })
})

describe('a server from the future', () => {
  it('is refused with the revisions of both sides', async () => {
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const { id } = JSON.parse(body || '{}')
      const error = {
        code: -32022,
        message: 'Unsupported protocol version',
        data: { supported: ['2031-01-01'], requested: '2026-07-28' },
      }
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const gateway = await gatewayTo({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` })
    const { message } = await modernRequest(gateway.endpoint, 'server/discover')
    const [gap] = message.result._meta['dev.gantry/gaps']
    expect(gap).toMatchObject({ target: 'web', state: 'missing' })
    expect(gap.reason).toMatch(/cannot use/)
    expect(gateway.gateway.catalog.of(gateway.gateway.target('web')!)?.problem).toMatch(
      /2031-01-01.*2026-07-28/,
    )
  })
})
