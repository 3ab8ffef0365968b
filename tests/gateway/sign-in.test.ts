import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { modernRequest } from '../support/raw-client.ts'
import { scriptedTarget } from '../support/scripted-target.ts'
import { Browser, companyGateway } from '../support/company.ts'
import {
  authorize,
  CLIENT,
  REDIRECT,
  refresh,
  register,
  signIn,
  statusWith,
  token,
} from '../support/sign-in-client.ts'
import { modelOf, testGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(config: object = {}, signIn: object = {}, claimsOf?: (sub: string) => object) {
  const target = await scriptedTarget({
    'tools/list': () => ({ tools: [{ name: 'read', inputSchema: { type: 'object' } }] }),
  })
  closing.push(() => target.close())
  const gateway = await companyGateway(
    { mcpServers: { notes: { url: target.url } }, ...config },
    signIn,
    claimsOf,
  )
  closing.push(() => gateway.close())
  return gateway
}

describe('discovery', () => {
  it('leads from a refusal to the authorization server', async () => {
    const gateway = await start({}, { scopes: ['use'] })
    const refused = await modernRequest(gateway.endpoint, 'tools/list', {})
    expect(refused.status).toBe(401)
    const challenge = refused.headers.get('www-authenticate')!
    expect(challenge).toContain('scope="use"')
    const metadata = await (await fetch(/resource_metadata="([^"]+)"/.exec(challenge)![1]!)).json()
    expect(metadata).toMatchObject({ resource: gateway.endpoint, authorization_servers: [gateway.url] })
    const server = await (await fetch(`${gateway.url}/.well-known/oauth-authorization-server`)).json()
    expect(server).toMatchObject({
      issuer: gateway.url,
      authorization_endpoint: `${gateway.url}/oauth/authorize`,
      token_endpoint: `${gateway.url}/oauth/token`,
      registration_endpoint: `${gateway.url}/oauth/register`,
      revocation_endpoint: `${gateway.url}/oauth/revoke`,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token']),
    })
  })
})

describe('a person', () => {
  it('logs in with the company, allows the client, and the client gets a short token for this gateway', async () => {
    const gateway = await start()
    const browser = new Browser()
    const { status, json, clientId } = await signIn(gateway, browser)
    expect(status).toBe(200)
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 600, refresh_token: expect.any(String) })
    expect(decodeProtectedHeader(json.access_token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' })
    expect(decodeJwt(json.access_token)).toMatchObject({
      iss: gateway.url,
      aud: gateway.endpoint,
      client_id: clientId,
      email: 'ann@example.com',
      groups: ['staff'],
    })
    expect(await statusWith(gateway, json.access_token)).toBe(200)
    expect(browser.pages[0]).toContain('ann@example.com')
    expect(browser.pages[0]).toContain('Not verified')
  })

  it('is known to rules as a person of the company, with groups', async () => {
    const gateway = await start(
      {
        policy: {
          default: 'deny',
          rules: [{ who: { principals: ['ann'] }, when: '"leads" in groups', allow: ['notes/*'] }],
        },
      },
      {},
      (sub) => ({ groups: sub === 'ann' ? ['leads'] : [] }),
    )
    const toolsOf = async (login: string): Promise<number> => {
      const { json } = await signIn(gateway, new Browser(login))
      const headers = { authorization: `Bearer ${json.access_token}` }
      return (await modernRequest(gateway.endpoint, 'tools/list', {}, { headers })).message.result.tools
        .length
    }
    expect([await toolsOf('ann'), await toolsOf('bob'), await toolsOf('key:ann')]).toEqual([1, 0, 0])
  })

  it('who says no is sent back with an error, and `iss`', async () => {
    const gateway = await start()
    const browser = new Browser()
    browser.answer = 'deny'
    const clientId = (await register(gateway)).json.client_id
    const { answer } = await authorize(gateway, browser, { clientId })
    expect(Object.fromEntries(answer)).toMatchObject({
      error: 'access_denied',
      iss: gateway.url,
      state: 'the-state',
    })
  })

  it('gets `iss` and `state` with the code', async () => {
    const gateway = await start()
    const clientId = (await register(gateway)).json.client_id
    const { answer } = await authorize(gateway, new Browser(), { clientId })
    expect(Object.fromEntries(answer)).toMatchObject({
      code: expect.any(String),
      iss: gateway.url,
      state: 'the-state',
    })
  })

  it('who answers in another browser than the one that began gets nowhere', async () => {
    const gateway = await start()
    const clientId = (await register(gateway)).json.client_id
    const [ann, eve] = [new Browser('ann'), new Browser('eve')]
    const url = `${gateway.url}/oauth/authorize?${new URLSearchParams({
      client_id: clientId,
      redirect_uri: REDIRECT,
      response_type: 'code',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })}`
    // Eve begins, and gives Ann the address at which the company's answer is awaited.
    const callback = await eve.browse(url, (at) => at.includes('/oauth/callback'))
    const response = await ann.get(callback)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('another browser')
    // The state is used up, for Eve too.
    expect((await eve.get(callback)).status).toBe(400)
  })

  it('a forged state, and one of nobody, are refused', async () => {
    const gateway = await start()
    for (const query of ['?code=x&state=forged', '?code=x', '', '?state=']) {
      const response = await fetch(`${gateway.url}/oauth/callback${query}`, { redirect: 'manual' })
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
    }
    expect((await fetch(`${gateway.url}/oauth/sign-in/nothing`, { redirect: 'manual' })).status).toBe(400)
  })
})

describe('a code', () => {
  it('is good once; a second use ends what it had opened', async () => {
    const gateway = await start()
    const { json, form, clientId } = await signIn(gateway)
    expect(await token(gateway, form)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    expect(await refresh(gateway, clientId, json.refresh_token)).toMatchObject({ status: 400 })
  })

  it('two uses at the same moment give one token at most', async () => {
    const gateway = await start()
    const clientId = (await register(gateway)).json.client_id
    const { code, verifier } = await authorize(gateway, new Browser(), { clientId })
    const form = {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT,
    }
    const answers = await Promise.all(Array.from({ length: 5 }, () => token(gateway, form)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  })

  it.each([
    ['another verifier', { code_verifier: 'y'.repeat(43) }],
    ['another client', { client_id: 'other' }],
    ['another redirect', { redirect_uri: 'http://127.0.0.1:33418/other' }],
    ['another resource', { resource: 'https://other.example.com/mcp' }],
  ])('is worth nothing with %s', async (_, changed) => {
    const gateway = await start()
    const clientId = (await register(gateway)).json.client_id
    const { code, verifier } = await authorize(gateway, new Browser(), { clientId })
    const form = {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT,
    }
    const { status, json } = await token(gateway, { ...form, ...changed })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(json.access_token).toBeUndefined()
  })
})

describe('a refresh token', () => {
  it('is replaced with each use; the one before is good for a minute, and ends everything after that', async () => {
    const gateway = await start()
    const { json, clientId } = await signIn(gateway)
    const second = await refresh(gateway, clientId, json.refresh_token)
    expect(second.status).toBe(200)
    expect(second.json.refresh_token).not.toBe(json.refresh_token)
    expect(await statusWith(gateway, second.json.access_token)).toBe(200)
    // The answer was lost: the client tries again with what it has.
    const again = await refresh(gateway, clientId, json.refresh_token)
    expect(again.status).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    expect(await refresh(gateway, clientId, json.refresh_token)).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    })
    expect((await refresh(gateway, clientId, again.json.refresh_token)).status).toBe(400)
  })

  it('ends when it is revoked', async () => {
    const gateway = await start()
    const { json, clientId } = await signIn(gateway)
    const body = new URLSearchParams({ token: json.refresh_token, client_id: clientId })
    expect((await fetch(`${gateway.url}/oauth/revoke`, { method: 'POST', body })).status).toBe(200)
    expect((await refresh(gateway, clientId, json.refresh_token)).status).toBe(400)
  })

  it('of one client is worth nothing to another', async () => {
    const gateway = await start()
    const { json } = await signIn(gateway)
    const other = (await register(gateway, { ...CLIENT, client_name: 'Other' })).json.client_id
    expect((await refresh(gateway, other, json.refresh_token)).status).toBe(400)
  })
})

describe('an access token', () => {
  it('is for this gateway alone, and for all of its endpoints', async () => {
    const [here, there] = [await start(), await start()]
    const { json } = await signIn(here)
    expect(await statusWith(here, json.access_token, '/mcp/notes')).toBe(200)
    expect(await statusWith(there, json.access_token)).toBe(401)
  })

  it('lacking a scope is answered with 403, and the client asks for it', async () => {
    const gateway = await start({}, { scopes: ['use'] })
    const { json } = await signIn(gateway, new Browser(), { scope: 'openid' })
    const headers = { authorization: `Bearer ${json.access_token}` }
    const refused = await modernRequest(gateway.endpoint, 'tools/list', {}, { headers })
    expect(refused.status).toBe(403)
    expect(refused.headers.get('www-authenticate')).toMatch(/error="insufficient_scope".*scope="use"/)
    const browser = new Browser()
    const stepped = await signIn(gateway, browser, { scope: 'use' })
    expect(stepped.json.scope).toContain('use')
    expect(browser.pages[0]).toContain('<code>use</code>')
    expect(await statusWith(gateway, stepped.json.access_token)).toBe(200)
  })

  it.each([['https://evil.example/mcp'], ['not a url']])('is not issued for %s', async (resource) => {
    const gateway = await start()
    const clientId = (await register(gateway)).json.client_id
    const { answer } = await authorize(gateway, new Browser(), { clientId, more: { resource } })
    expect(answer.get('error')).toBe('invalid_target')
  })

  it('is not issued for a place of ours that is no endpoint', async () => {
    const gateway = await start()
    const clientId = (await register(gateway)).json.client_id
    for (const path of ['/console', '/mcpx', '/mcp?x=1']) {
      const more = { resource: gateway.url + path }
      const { answer } = await authorize(gateway, new Browser(), { clientId, more })
      expect([path, answer.get('error')]).toEqual([path, 'invalid_target'])
    }
  })

  it('is issued for the gateway when a client names no resource', async () => {
    const gateway = await start()
    const { json } = await signIn(gateway, new Browser(), { resource: '' })
    expect(await statusWith(gateway, json.access_token)).toBe(200)
  })
})

it('PKCE is needed, and only S256', async () => {
  const gateway = await start()
  const clientId = (await register(gateway)).json.client_id
  for (const more of [{ code_challenge: '' }, { code_challenge_method: 'plain' }]) {
    const { answer } = await authorize(gateway, new Browser(), { clientId, more })
    expect(answer.get('error')).toBe('invalid_request')
  }
})

it('nothing in the store is a token', async () => {
  const gateway = await start()
  const { json } = await signIn(gateway)
  const rows = await gateway.gateway.store.scan(undefined, 10_000)
  const kept = rows
    .map(({ table, key, bytes }) => `${table} ${key} ${Buffer.from(bytes).toString('latin1')}`)
    .join('\n')
  expect(kept).toContain('sign-in-grants')
  for (const secret of [json.refresh_token, json.access_token, 'ann@example.com'])
    expect(kept).not.toContain(secret)
})

it('processes that share the store share sign-ins', async () => {
  const first = await start()
  const { model } = first.gateway
  const second = await testGateway({
    stateDir: first.stateDir,
    mcpServers: { notes: { url: 'http://127.0.0.1:1/mcp' } },
    server: { publicUrl: first.url },
    auth: { signIn: { issuer: first.company, clientId: 'gantry', clientSecret: 'hush-hush' } },
  })
  closing.push(() => second.close())
  const elsewhere = { ...first, url: `http://127.0.0.1:${second.bound.port}`, endpoint: first.endpoint }
  const clientId = (await register(first)).json.client_id
  const { code, verifier } = await authorize(first, new Browser(), { clientId })
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT,
  }
  const { status, json } = await token(elsewhere, form)
  expect(status).toBe(200)
  expect(await statusWith(elsewhere, json.access_token)).toBe(200)
  expect((await refresh(first, clientId, json.refresh_token)).status).toBe(200)
  expect(model.auth.signIn?.ownIssuer).toBe(first.url)
})

it('a person of another identity provider is nobody here, whatever the subject', async () => {
  const first = await start()
  const { json, clientId } = await signIn(first)
  const other = { issuer: 'https://login.other.example', clientId: 'gantry', clientSecret: 'hush-hush' }
  const { port } = first.bound
  await first.gateway.apply(await modelOf({ stateDir: first.stateDir, auth: { signIn: other } }, port))
  expect(await statusWith(first, json.access_token)).toBe(401)
  expect((await refresh(first, clientId, json.refresh_token)).status).toBe(400)
})

it('rows that were damaged open nothing', async () => {
  const gateway = await start()
  const { json, clientId } = await signIn(gateway)
  const { store } = gateway.gateway
  for (const { table, key } of await store.scan(undefined, 10_000)) {
    if (table.startsWith('sign-in')) await store.rows({ name: table }).put(key, '{"cut off')
  }
  const answer = await refresh(gateway, clientId, json.refresh_token)
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.json.access_token).toBeUndefined()
  expect(JSON.stringify(answer.json)).not.toContain('cut off')
})
