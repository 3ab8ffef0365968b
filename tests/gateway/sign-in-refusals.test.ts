import { createHash } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { TestServer } from '../../packages/mcp/src/auth/fixtures/auth-world.test.node.ts'
import { Browser, companyGateway, type CompanyGateway } from '../support/company.ts'
import { authorize, REDIRECT, refresh, register, signIn, token } from '../support/sign-in-client.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(settings: object = {}): Promise<{ gateway: CompanyGateway; log: () => string }> {
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  const gateway = await companyGateway({ mcpServers: {} }, settings, undefined, { logLevel: 'info' })
  closing.push(() => gateway.close())
  return { gateway, log: () => lines.join('') }
}

const question = ({ url }: CompanyGateway, clientId: string): string =>
  `${url}/oauth/authorize?${new URLSearchParams({
    client_id: clientId,
    redirect_uri: REDIRECT,
    response_type: 'code',
    code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
  })}`

describe('the operator is told', () => {
  it('of a redirect that the client has not registered', async () => {
    const { gateway, log } = await start()
    const clientId = (await register(gateway)).json.client_id
    const redirect = 'https://evil.example/cb'
    expect((await authorize(gateway, new Browser(), { clientId, redirect })).end).toMatch(/^400 /)
    expect(log()).toMatch(/A sign-in was refused.*redirect_uri/)
    expect(log()).toContain(clientId)
  })

  it('of a code that comes twice, which ends what it had opened', async () => {
    const { gateway, log } = await start()
    const { form, json, clientId } = await signIn(gateway)
    const again = await token(gateway, form)
    expect([again.status, again.json.error]).toEqual([400, 'invalid_grant'])
    expect(log()).toMatch(/A sign-in was refused.*invalid_grant: .*(used|consumed)/)
    expect((await refresh(gateway, clientId, json.refresh_token)).status).toBe(400)
  })

  it('of a refresh token that comes again after its grace', async () => {
    const { gateway, log } = await start()
    const { json, clientId } = await signIn(gateway)
    await refresh(gateway, clientId, json.refresh_token)
    expect(log()).not.toContain('refused')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    const { status, json: said } = await refresh(gateway, clientId, json.refresh_token)
    expect([status, said.error]).toEqual([400, 'invalid_grant'])
    expect(log()).toMatch(/A sign-in was refused.*invalid_grant: .*refresh token/)
    expect(log()).not.toContain(json.refresh_token)
  })

  it('of another audience', async () => {
    const { gateway, log } = await start()
    const clientId = (await register(gateway)).json.client_id
    await authorize(gateway, new Browser(), { clientId, more: { resource: 'https://evil.example/mcp' } })
    expect(log()).toMatch(/A sign-in was refused.*invalid_target/)
  })

  it('of a forged state, an unknown sign-in and a form that is not ours', async () => {
    const { gateway, log } = await start()
    const said = async (path: string): Promise<number> => (await fetch(gateway.url + path)).status
    expect(await said('/oauth/callback?state=forged&code=x')).toBe(400)
    expect(log().match(/A login was refused/g)).toHaveLength(1)
    expect(await said('/oauth/sign-in/nothing')).toBe(400)
    expect(log().match(/A login was refused/g)).toHaveLength(2)
    const clientId = (await register(gateway)).json.client_id
    const ann = new Browser('ann')
    ann.answer = 'nothing'
    const page = await ann.browse(question(gateway, clientId), () => false)
    await ann.get(page, new URLSearchParams({ proof: 'guessed', answer: 'allow' }))
    expect(log()).toMatch(/did not come from our page/)
  })

  it('of a stranger who tries often in five lines, and of something else all the same', async () => {
    const { gateway, log } = await start()
    for (let at = 0; at < 30; at++) await fetch(`${gateway.url}/oauth/callback?state=forged-${at}&code=x`)
    expect(log().match(/A login was refused/g)).toHaveLength(5)
    await token(gateway, { grant_type: 'refresh_token', client_id: 'nobody', refresh_token: 'x' })
    expect(log()).toMatch(/A sign-in was refused.*invalid_client/)
  })

  it('nothing when a person says no', async () => {
    const { gateway, log } = await start()
    const clientId = (await register(gateway)).json.client_id
    const browser = new Browser()
    browser.answer = 'deny'
    expect((await authorize(gateway, browser, { clientId })).answer.get('error')).toBe('access_denied')
    expect(log()).not.toContain('refused')
  })
})

describe('an ID token', () => {
  let key: CryptoKey
  let other: CryptoKey
  let jwks: object
  beforeAll(async () => {
    const pair = await generateKeyPair('RS256')
    key = pair.privateKey
    other = (await generateKeyPair('RS256')).privateKey
    jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), alg: 'RS256', use: 'sig' }] }
  })

  const now = (): number => Math.floor(Date.now() / 1000)
  const signed =
    (change: () => Record<string, unknown>, by: () => CryptoKey = () => key) =>
    (claims: JWTPayload) =>
      new SignJWT({ ...claims, ...change() }).setProtectedHeader({ alg: 'RS256' }).sign(by())

  /** Where the browser of a person ends whose identity provider says this; and what the log says. */
  async function logIn(make: (claims: JWTPayload) => string | Promise<string>) {
    const provider = await new TestServer().start()
    closing.push(() => provider.stop())
    const { url } = provider
    let nonce = ''
    provider.on('GET /.well-known/openid-configuration', () => ({
      json: {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      },
    }))
    provider.on('GET /jwks', () => ({ json: jwks }))
    provider.on('GET /authorize', ({ query }) => {
      nonce = query.get('nonce')!
      const back = new URL(query.get('redirect_uri')!)
      back.searchParams.set('code', 'the-code')
      back.searchParams.set('state', query.get('state')!)
      return { status: 302, headers: { location: back.href } }
    })
    provider.on('POST /token', async () => {
      const claims = { iss: url, aud: 'gantry', sub: 'ann', nonce, iat: now(), exp: now() + 300 }
      return { json: { access_token: 'x', token_type: 'Bearer', id_token: await make(claims) } }
    })
    const { gateway, log } = await start({ issuer: url })
    const clientId = (await register(gateway)).json.client_id
    const browser = new Browser()
    browser.answer = 'nothing'
    const end = await browser.browse(question(gateway, clientId), () => false)
    return { end, log, page: browser.pages.at(-1)! }
  }

  it.each<[string, ReturnType<typeof signed>, RegExp]>([
    ['of another audience', signed(() => ({ aud: 'another-client' })), /aud/],
    ['of another issuer', signed(() => ({ iss: 'https://evil.example' })), /iss/],
    ['for another login', signed(() => ({ nonce: 'of-another-login' })), /nonce/],
    ['without a nonce', signed(() => ({ nonce: undefined })), /nonce/],
    ['without a subject', signed(() => ({ sub: undefined })), /sub/],
    ['that ended a minute ago', signed(() => ({ iat: now() - 300, exp: now() - 60 })), /exp/],
    ['of a clock a minute ahead', signed(() => ({ iat: now() + 60, exp: now() + 360 })), /60 seconds ahead/],
    ['that begins in a minute', signed(() => ({ nbf: now() + 60 })), /nbf/],
    [
      'that another key has signed',
      signed(
        () => ({}),
        () => other,
      ),
      /signature/,
    ],
  ])('%s signs nobody in, and the log says why', async (_, make, reason) => {
    const { end, log, page } = await logIn(make)
    expect(end).toMatch(/^400 /)
    expect(log()).toMatch(/A login was refused/)
    expect(log()).toMatch(reason)
    expect(page).toContain('The identity provider did not confirm who you are')
    expect(page).not.toMatch(reason)
  })

  it('that is not signed signs nobody in', async () => {
    const { end, log } = await logIn((claims) => new UnsecuredJWT(claims).encode())
    expect(end).toMatch(/^400 /)
    expect(log()).toMatch(/A login was refused/)
  })

  it('of a clock that is 25 seconds off is accepted', async () => {
    for (const seconds of [25, -25]) {
      const { end, page } = await logIn(signed(() => ({ iat: now() + seconds, exp: now() + seconds + 300 })))
      expect(end).toContain('/oauth/sign-in/')
      expect(page).toContain('name="proof"')
    }
  })

  it('whose subject looks like a key is a person of that name', async () => {
    const { page } = await logIn(signed(() => ({ sub: 'key:ops' })))
    expect(page).toContain('key:ops')
  })
})
