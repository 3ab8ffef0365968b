import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { RequestListener } from 'node:http'
import dns from 'node:dns'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Browser, companyGateway, type CompanyGateway } from '../support/company.ts'
import { authorize, CLIENT, register, statusWith, token } from '../support/sign-in-client.ts'

const closing: (() => unknown)[] = []
/** What the gateway logged. */
const lines: string[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  lines.length = 0
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(config: object = {}, signIn: object = {}): Promise<CompanyGateway> {
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  const options = { logLevel: 'info' } as const
  const gateway = await companyGateway({ mcpServers: {}, ...config }, signIn, undefined, options)
  closing.push(() => gateway.close())
  return gateway
}

async function tokensFor(
  gateway: CompanyGateway,
  clientId: string,
  redirect: string,
  browser = new Browser(),
) {
  const { code, verifier, end } = await authorize(gateway, browser, { clientId, redirect })
  if (code === '') return { end, status: 0, json: {} }
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: redirect,
  }
  return { end, ...(await token(gateway, form)) }
}

/** What these clients send by public reports, not by recordings; and where they then want to be answered. */
const RECORDED = {
  cursor: {
    body: {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      application_type: 'web',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    redirects: ['cursor://anysphere.cursor-mcp/oauth/callback', 'http://localhost:8787/callback'],
  },
  vscode: {
    body: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
    },
    // The port that it registered is taken, so it uses another.
    redirects: ['http://127.0.0.1:51234/', 'https://vscode.dev/redirect'],
  },
  claude: {
    body: {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'claudeai',
    },
    redirects: ['https://claude.ai/api/mcp/auth_callback'],
  },
  'claude-code': {
    body: {
      client_name: 'Claude Code (gantry)',
      redirect_uris: ['http://localhost:54545/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    redirects: ['http://localhost:61000/callback'],
  },
} as const

describe('registration', () => {
  it.each(Object.entries(RECORDED))(
    'of %s is accepted, and it can sign in',
    async (_, { body, redirects }) => {
      const gateway = await start()
      const { status, json } = await register(gateway, body)
      expect([status, json.redirect_uris]).toEqual([201, body.redirect_uris])
      for (const redirect of redirects) {
        const answer = await tokensFor(gateway, json.client_id, redirect)
        expect({ redirect, status: answer.status }).toEqual({ redirect, status: 200 })
        expect(await statusWith(gateway, answer.json.access_token)).toBe(200)
      }
    },
  )

  it('with three redirect URIs of which one is refused succeeds with the other two', async () => {
    const gateway = await start()
    const good = ['https://example.com/cb', 'http://localhost:8787/callback']
    const { status, json } = await register(gateway, {
      ...CLIENT,
      redirect_uris: [...good, 'http://evil.example/cb'],
    })
    expect([status, json.redirect_uris]).toEqual([201, good])
  })

  it('of the same public client twice gives the same id; of another, another', async () => {
    const gateway = await start()
    const ids = await Promise.all([
      register(gateway),
      register(gateway),
      register(gateway, { ...CLIENT, client_name: 'Other' }),
    ])
    const [first, second, other] = ids.map(({ json }) => json.client_id)
    expect(second).toBe(first)
    expect(other).not.toBe(first)
    const redirect = CLIENT.redirect_uris[0]!
    expect((await tokensFor(gateway, first, redirect)).status).toBe(200)
  })

  it('of a client with a secret gives a secret of its own each time', async () => {
    const gateway = await start()
    const body = { ...CLIENT, token_endpoint_auth_method: 'client_secret_post' }
    const [first, second] = [(await register(gateway, body)).json, (await register(gateway, body)).json]
    expect(first.client_secret).toBeTypeOf('string')
    expect([second.client_id === first.client_id, second.client_secret === first.client_secret]).toEqual([
      false,
      false,
    ])
  })

  it.each([
    [
      'no redirect URI that can be accepted',
      { redirect_uris: ['http://evil.example/cb'] },
      'invalid_redirect_uri',
    ],
    ['no redirect URI at all', {}, 'invalid_redirect_uri'],
    ['something that is no object', [1], 'invalid_client_metadata'],
    [
      'too much',
      { redirect_uris: ['https://example.com/cb'], client_name: 'x'.repeat(60_000) },
      'invalid_client_metadata',
    ],
  ])('with %s is refused', async (_, body, error) => {
    const gateway = await start()
    expect(await register(gateway, body)).toMatchObject({ status: 400, json: { error } })
  })
})

describe('a redirect', () => {
  it.each([
    ['another path on loopback', 'http://127.0.0.1:33418/other'],
    ['another host', 'http://127.0.0.2:33418/'],
    ['another scheme', 'cursor://evil/callback'],
    ['a host that only begins the same', 'https://example.com.evil.example/cb'],
    ['a longer path', 'https://example.com/cb/more'],
    ['another query', 'https://example.com/cb?to=evil'],
  ])('to %s is not followed: the person sees an error', async (_, redirect) => {
    const gateway = await start()
    const uris = ['http://127.0.0.1:33418/', 'cursor://good/callback', 'https://example.com/cb']
    const { json } = await register(gateway, { ...CLIENT, redirect_uris: uris })
    const browser = new Browser()
    const { end } = await authorize(gateway, browser, { clientId: json.client_id, redirect })
    expect(end).toMatch(/^400 /)
    expect(browser.pages[0]).toContain('Sign-in failed')
  })

  it('of an unknown client is not followed', async () => {
    const gateway = await start()
    const { end } = await authorize(gateway, new Browser(), { clientId: 'nobody' })
    expect(end).toMatch(/^400 /)
  })
})

it('a client that is known beforehand needs no registration', async () => {
  const redirect = 'https://tools.example.com/cb'
  const gateway = await start(
    {},
    { clients: [{ clientId: 'tools', name: 'Our tools', redirectUris: [redirect] }] },
  )
  const browser = new Browser()
  expect((await tokensFor(gateway, 'tools', redirect, browser)).status).toBe(200)
  expect(browser.pages[0]).toContain('Our tools')
})

describe('a metadata document', () => {
  let documents: Server
  let host: string

  /** A web server with a certificate of its own, which only these tests trust. */
  async function publish(answer: RequestListener): Promise<string> {
    const dir = mkdtempSync(join(tmpdir(), 'gantry-cimd-'))
    const files = { key: join(dir, 'key.pem'), cert: join(dir, 'cert.pem') }
    const made = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ]
    execFileSync('openssl', [...made, '-subj', '/CN=localhost', '-keyout', files.key, '-out', files.cert], {
      stdio: 'ignore',
    })
    documents = createServer({ key: readFileSync(files.key), cert: readFileSync(files.cert) }, answer)
    await new Promise<void>((done) => documents.listen(0, '127.0.0.1', done))
    host = `127.0.0.1:${(documents.address() as AddressInfo).port}`
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    closing.push(() => {
      documents.closeAllConnections()
      documents.close()
      rmSync(dir, { recursive: true, force: true })
    })
    return `https://${host}/client.json`
  }

  const json =
    (value: object): RequestListener =>
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }

  it('is read, and the consent page names its host; any port of loopback will do', async () => {
    let document = {}
    const url = await publish((request, response) => json(document)(request, response))
    document = {
      client_id: url,
      client_name: 'Claude Code',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    }
    const gateway = await start({ server: { trustedHosts: [host] } })
    const browser = new Browser()
    const answer = await tokensFor(gateway, url, 'http://localhost:61234/callback', browser)
    expect(answer.status).toBe(200)
    expect(browser.pages[0]).toContain(`<strong>Verified:</strong> published by <code>${host}</code>`)
    expect(await statusWith(gateway, answer.json.access_token)).toBe(200)
  })

  it.each<[string, (url: string) => RequestListener]>([
    [
      'that redirects',
      () => (_, response) => response.writeHead(302, { location: 'https://example.com/' }).end(),
    ],
    [
      'of another client',
      () => json({ client_id: 'https://example.com/x', redirect_uris: ['https://example.com/cb'] }),
    ],
    [
      'that is huge',
      (url) =>
        json({ client_id: url, redirect_uris: ['http://localhost/cb'], client_name: 'x'.repeat(100_000) }),
    ],
    ['that is no JSON', () => (_, response) => response.end('<html>')],
    [
      'with a secret',
      (url) =>
        json({
          client_id: url,
          redirect_uris: ['http://localhost/cb'],
          token_endpoint_auth_method: 'client_secret_basic',
        }),
    ],
    [
      'without a redirect that can be accepted',
      (url) => json({ client_id: url, redirect_uris: ['http://evil.example/'] }),
    ],
    ['that is gone', () => (_, response) => response.writeHead(404).end()],
  ])('%s is refused', async (_, answer) => {
    let listener: RequestListener = () => {}
    const url = await publish((request, response) => listener(request, response))
    listener = answer(url)
    const gateway = await start({ server: { trustedHosts: [host] } })
    const { end } = await authorize(gateway, new Browser(), {
      clientId: url,
      redirect: 'http://localhost:5000/cb',
    })
    expect(end).toMatch(/^400 /)
    expect(lines.join('')).toMatch(/A sign-in was refused/)
    expect(lines.join('')).toContain(url)
  })

  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '0.0.0.0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    // Names that lead there.
    'localhost',
    'localhost.',
    'a.localhost',
  ])('on loopback is not read, unless the configuration trusts the host (%s)', async (name) => {
    let reads = 0
    const url = await publish((request, response) => {
      reads++
      const clientId = `https://${request.headers.host}/client.json`
      json({ client_id: clientId, redirect_uris: ['http://localhost/cb'] })(request, response)
    })
    const gateway = await start()
    const { end } = await authorize(gateway, new Browser(), {
      clientId: url.replace('127.0.0.1', name),
      redirect: 'http://localhost:5000/cb',
    })
    expect([end.slice(0, 4), reads]).toEqual(['400 ', 0])
    expect(lines.join('')).toMatch(/A sign-in was refused/)
  })

  it.each(['127.0.0.1', '::1', '10.1.2.3', '169.254.169.254'])(
    'at a name that leads to %s is not asked for',
    async (address) => {
      let connections = 0
      const url = await publish((_, response) => response.end('{}'))
      documents.on('connection', () => connections++)
      const family = address.includes(':') ? 6 : 4
      const resolve = dns.lookup
      vi.spyOn(dns, 'lookup').mockImplementation(((
        name: string,
        options: { all?: boolean },
        done: (error: Error | null, ...found: unknown[]) => void,
      ) => {
        if (name !== 'client.example.com') return resolve(name, options, done as never)
        return options.all ? done(null, [{ address, family }]) : done(null, address, family)
      }) as unknown as typeof dns.lookup)
      const gateway = await start()
      const clientId = url.replace('127.0.0.1', 'client.example.com')
      const browser = new Browser()
      const { end } = await authorize(gateway, browser, { clientId, redirect: 'http://localhost:5000/cb' })
      expect([end.slice(0, 4), connections]).toEqual(['400 ', 0])
      expect(browser.pages[0]).toContain('Sign-in failed')
      expect(browser.pages[0]).not.toContain('inside the network')
      expect(lines.join('')).toMatch(/A sign-in was refused.*client\.example\.com is at/)
    },
  )

  it('that changes is read again after half a minute: a redirect that it no longer has is refused', async () => {
    let redirect = 'https://good.example/cb'
    const url = await publish((request, response) => {
      response.setHeader('cache-control', 'no-store')
      json({ client_id: url, redirect_uris: [redirect] })(request, response)
    })
    const gateway = await start({ server: { trustedHosts: [host] } })
    const ask = () =>
      authorize(gateway, new Browser(), { clientId: url, redirect: 'https://good.example/cb' })
    expect((await ask()).code).not.toBe('')
    redirect = 'https://evil.example/cb'
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 40_000 })
    closing.push(() => vi.useRealTimers())
    expect((await ask()).end).toMatch(/^400 /)
  })
})
