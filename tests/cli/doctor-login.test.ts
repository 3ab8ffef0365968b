import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../packages/gateway/src/cli/captured-io.test.support.ts'
import { LOGIN_CLIENTS, type LoginClient } from '../../packages/gateway/src/cli/login/login-clients.ts'
import { walkLogin, type LoginStep } from '../../packages/gateway/src/cli/login/walk-login.ts'
import { currentPlaces } from '../../packages/gateway/src/config/index.ts'
import { companyGateway, type CompanyGateway } from '../support/company.ts'
import { testGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []
let gateway: CompanyGateway

beforeAll(async () => {
  gateway = await companyGateway({ mcpServers: {} }, { scopes: ['use'] })
})
afterAll(() => gateway?.close())
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function walk(url: string, client: LoginClient): Promise<LoginStep[]> {
  const steps: LoginStep[] = []
  for await (const step of walkLogin(url, client)) steps.push(step)
  return steps
}

/** As it signs in where its metadata document is not taken: no test needs the Internet. */
const registering = ({ metadataDocument: _, ...client }: LoginClient): LoginClient => client

describe('gantry doctor login', () => {
  it.each(Object.entries(LOGIN_CLIENTS))(
    'as %s comes to the page where a person logs in',
    async (_, client) => {
      const steps = await walk(gateway.endpoint, registering(client))
      expect(steps.filter(({ ok }) => !ok)).toEqual([])
      expect(steps.map(({ step }) => step)).toEqual([
        'refusal',
        'resource metadata',
        'server metadata',
        'registration',
        'authorization',
        'login',
        'token',
      ])
    },
  )

  it('prints the steps, and JSON', async () => {
    const printed = await run(currentPlaces(), ['doctor', 'login', '--as', 'cursor', gateway.endpoint])
    expect([printed.code, printed.out]).toEqual([0, expect.stringContaining('as Cursor')])
    expect(printed.out).toContain('✓ authorization: the client is let in, with 2 ways back')
    expect(printed.out).toContain(`✓ login: a page at ${new URL(gateway.company).host}`)
    const json = await run(currentPlaces(), [
      'doctor',
      'login',
      '--as',
      'inspector',
      gateway.endpoint,
      '--json',
    ])
    expect(json.json()).toMatchObject({ ok: true, client: 'inspector', url: gateway.endpoint })
  })

  it('says what to do where a client would stop, and ends with 1', async () => {
    const url = gateway.endpoint.replace('127.0.0.1', 'localhost')
    const { code, out } = await run(currentPlaces(), ['doctor', 'login', '--as', 'cursor', url])
    expect(code).toBe(1)
    expect(out).toContain('✗ resource metadata')
    expect(out).toContain('server.publicUrl')
  })

  it('finds a redirect that is not accepted', async () => {
    const client = { ...registering(LOGIN_CLIENTS.vscode), redirects: ['https://vscode.dev/other'] }
    const last = (await walk(gateway.endpoint, client)).at(-1)
    expect(last).toMatchObject({ step: 'authorization', ok: false, found: expect.stringContaining('/other') })
  })
})

describe('a gateway that is set up wrongly', () => {
  async function stopsAt(settings: object, config: object = {}): Promise<LoginStep> {
    const wrong = await companyGateway({ mcpServers: {}, ...config }, settings)
    closing.push(() => wrong.close())
    return (await walk(wrong.endpoint, registering(LOGIN_CLIENTS.claude))).at(-1)!
  }

  it('with an issuer that is not there', async () => {
    expect(await stopsAt({ issuer: 'http://127.0.0.1:1' })).toEqual({
      step: 'login',
      ok: false,
      found: 'the person sees an error of the gateway (502) instead of a login',
      fix: expect.stringContaining('auth.signIn.issuer'),
    })
  })

  it('whose redirect URI the identity provider does not know', async () => {
    const { host } = new URL(gateway.company)
    expect(await stopsAt({ issuer: gateway.company })).toMatchObject({
      step: 'login',
      ok: false,
      found: `the person sees an error of ${host} (400) instead of a login`,
    })
  })

  it('that the identity provider does not know', async () => {
    expect(await stopsAt({ clientId: 'somebody-else' })).toMatchObject({
      step: 'login',
      ok: false,
      found: expect.stringMatching(/an error of 127\.0\.0\.1:\d+ \(400\) instead of a login/),
      fix: expect.stringContaining('/oauth/callback'),
    })
  })

  it('with scopes that the identity provider refuses', async () => {
    const issuer = await refusing()
    expect(await stopsAt({ issuer })).toMatchObject({
      step: 'login',
      ok: false,
      found: expect.stringContaining('sends the person back with invalid_scope: no such scope'),
      fix: expect.stringContaining('scopes'),
    })
  })

  it('with keys alone', async () => {
    const wrong = await testGateway({
      mcpServers: {},
      auth: { apiKeys: [{ name: 'a', key: 'k'.repeat(32) }] },
    })
    closing.push(() => wrong.close())
    expect((await walk(wrong.endpoint, LOGIN_CLIENTS.claude)).at(-1)).toMatchObject({
      step: 'resource metadata',
      ok: false,
      fix: expect.stringContaining('keys alone do not lead people to a login'),
    })
  })

  /** An identity provider that sends people back at once. */
  async function refusing(): Promise<string> {
    const server = createServer((request, response) => {
      const issuer = `http://${request.headers.host}`
      const url = new URL(request.url!, issuer)
      if (url.pathname.startsWith('/.well-known/')) {
        const endpoints = { authorization_endpoint: `${issuer}/a`, token_endpoint: `${issuer}/t` }
        const head = { 'content-type': 'application/json' }
        return void response.writeHead(200, head).end(JSON.stringify({ issuer, ...endpoints }))
      }
      const back = new URL(url.searchParams.get('redirect_uri')!)
      back.searchParams.set('error', 'invalid_scope')
      back.searchParams.set('error_description', 'no such scope')
      response.writeHead(302, { location: back.href }).end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    closing.push(() => server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
})

describe('a server that is not ours', () => {
  async function serve(answer: (url: string) => RequestListener): Promise<string> {
    let listener: RequestListener = () => {}
    const server = createServer((request, response) => listener(request, response))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    closing.push(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    listener = answer(url)
    return `${url}/mcp`
  }

  /** An identity provider that MCP clients cannot register with, as most are. */
  const withMetadata =
    (url: string, metadata: object): RequestListener =>
    (request, response) => {
      const documents: Record<string, object> = {
        '/.well-known/oauth-protected-resource/mcp': { resource: `${url}/mcp`, authorization_servers: [url] },
        '/.well-known/openid-configuration': { issuer: url, ...metadata },
      }
      const found = documents[request.url ?? '']
      if (request.method === 'POST') return void response.writeHead(401).end()
      response
        .writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify(found ?? {}))
    }

  const ENDPOINTS = { authorization_endpoint: 'http://127.0.0.1:1/a', token_endpoint: 'http://127.0.0.1:1/t' }
  const PKCE = { code_challenge_methods_supported: ['S256'] }

  it.each<[string, (url: string) => RequestListener, string, string]>([
    ['answers everybody', () => (_, response) => response.end('{}'), 'refusal', 'auth.signIn'],
    [
      'has no metadata',
      () => (_, response) => response.writeHead(401).end(),
      'resource metadata',
      'auth.signIn',
    ],
    ['has no PKCE', (url) => withMetadata(url, ENDPOINTS), 'server metadata', 'auth.signIn'],
    [
      'is of another issuer',
      (url) => withMetadata(url, { ...ENDPOINTS, ...PKCE, issuer: `${url}/` }),
      'server metadata',
      'slash at the end',
    ],
    [
      'has no registration',
      (url) => withMetadata(url, { ...ENDPOINTS, ...PKCE }),
      'registration',
      'auth.signIn',
    ],
    [
      'is huge',
      () => (request, response) =>
        request.method === 'POST' ? response.writeHead(401).end() : response.end(`"${'x'.repeat(300_000)}"`),
      'resource metadata',
      'auth.signIn',
    ],
  ])('that %s: the step is named, with what to do', async (_, answer, step, fix) => {
    const last = (await walk(await serve(answer), LOGIN_CLIENTS.cursor)).at(-1)
    expect(last).toMatchObject({ step, ok: false, fix: expect.stringContaining(fix) })
  })

  it('that is not there is said so', async () => {
    const [only] = await walk('http://127.0.0.1:1/mcp', LOGIN_CLIENTS.cursor)
    expect(only).toMatchObject({ step: 'refusal', ok: false })
  })
})
