import {
  Client as OfficialClient,
  CrossAppAccessProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { generateKeyPair, importJWK, SignJWT, decodeJwt, type JWTPayload } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { companyGateway, type CompanyGateway, signingKey } from '../support/company.ts'
import { CLIENT, register, statusWith, token } from '../support/sign-in-client.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const BASIC = { authorization: `Basic ${Buffer.from('desk:a-long-secret').toString('base64')}` }
const CLIENTS = [
  { clientId: 'desk', clientSecret: 'a-long-secret', redirectUris: ['https://desk.example.com/cb'] },
  { clientId: 'open', redirectUris: ['https://open.example.com/cb'] },
]

let gateway: CompanyGateway
let lines: string[]

beforeEach(async () => {
  lines = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  const signIn = { clients: CLIENTS, scopes: ['use'], offeredScopes: ['more'] }
  gateway = await companyGateway({ mcpServers: {} }, signIn, undefined, { logLevel: 'info' })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await gateway.close()
})

/** `undefined` leaves a claim out. */
type Claims = { [K in keyof JWTPayload]: JWTPayload[K] | undefined }

/** What the company's identity provider issues for a client, a person and this gateway. */
async function assertion(claims: Claims = {}, head: object = {}, key?: CryptoKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const all = {
    iss: gateway.company,
    aud: gateway.url,
    sub: 'ann',
    client_id: 'desk',
    jti: crypto.randomUUID(),
    iat: now,
    exp: now + 300,
    scope: 'use',
    resource: gateway.endpoint,
    groups: ['staff'],
    ...claims,
  }
  const header = { alg: 'RS256', typ: 'oauth-id-jag+jwt', ...head }
  return new SignJWT(all as JWTPayload)
    .setProtectedHeader(header)
    .sign(key ?? (await importJWK(await signingKey, 'RS256')))
}

const redeem = (value: string, form: object = {}, headers: Record<string, string> = BASIC) =>
  token(gateway, { grant_type: JWT_BEARER, assertion: value, ...form }, headers)

describe('an assertion of the identity provider', () => {
  it('becomes a short token of that person, without a page and without a refresh token', async () => {
    const { status, json } = await redeem(await assertion())
    expect([status, json.token_type, json.scope, json.refresh_token]).toEqual([
      200,
      'Bearer',
      'use',
      undefined,
    ])
    expect(decodeJwt(json.access_token)).toMatchObject({ aud: gateway.endpoint, groups: ['staff'] })
    expect(await statusWith(gateway, json.access_token)).toBe(200)
  })

  it('is redeemed by the official client 2.4', async () => {
    const provider = new CrossAppAccessProvider({
      clientId: 'desk',
      clientSecret: 'a-long-secret',
      assertion: ({ authorizationServerUrl, resourceUrl }) =>
        assertion({ aud: new URL(authorizationServerUrl).origin, resource: resourceUrl }),
    })
    const client = new OfficialClient({ name: 'desk', version: '1' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(gateway.endpoint), { authProvider: provider }),
    )
    expect((await client.listTools()).tools).toEqual([])
    await client.close()
  })

  it('is announced by the metadata', async () => {
    const metadata = await (await fetch(`${gateway.url}/.well-known/oauth-authorization-server`)).json()
    expect(metadata.grant_types_supported).toContain(JWT_BEARER)
    expect(metadata.authorization_grant_profiles_supported).toEqual([
      'urn:ietf:params:oauth:grant-profile:id-jag',
    ])
  })

  it('is good once, also when it comes five times at the same moment', async () => {
    const value = await assertion()
    const answers = await Promise.all(Array.from({ length: 5 }, () => redeem(value)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
    expect(lines.join('')).toContain('it was used already')
  })

  it.each<[string, Claims, string]>([
    ['of another client', { client_id: 'other' }, 'for another client'],
    ['for another authorization server', { aud: 'https://other.example.com' }, '\\"aud\\"'],
    ['for two', { aud: ['https://other.example.com', 'OURS'] }, 'several audiences'],
    ['for another resource', { resource: 'https://other.example.com/mcp' }, 'another resource'],
    ['of another issuer', { iss: 'https://evil.example.com' }, '\\"iss\\"'],
    ['that has expired', { iat: -500, exp: -120 }, '\\"exp\\"'],
    ['that is old but says it is good for long', { iat: -3600, exp: 36_000 }, '\\"iat\\"'],
    ['of a clock a minute ahead', { iat: 60, nbf: 60, exp: 400 }, '\\"nbf\\"'],
    ['without an id', { jti: undefined }, '\\"jti\\"'],
    ['of nobody', { sub: '' }, 'nobody'],
  ])('%s is refused, and the log says why', async (_, claims, reason) => {
    const now = Math.floor(Date.now() / 1000)
    const times = Object.fromEntries(
      (['iat', 'nbf', 'exp'] as const).flatMap((name) =>
        claims[name] === undefined ? [] : [[name, now + Number(claims[name])]],
      ),
    )
    const aud = Array.isArray(claims.aud) ? [claims.aud[0]!, gateway.url] : claims.aud
    const value = await assertion({ ...claims, ...times, ...(aud !== undefined && { aud }) })
    expect(await redeem(value)).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    })
    expect(lines.join('')).toContain(reason)
  })

  it('of clocks that are almost half a minute apart is accepted', async () => {
    const now = Math.floor(Date.now() / 1000)
    for (const shift of [-25, 25]) {
      const value = await assertion({ iat: now + shift, nbf: now + shift, exp: now + shift + 30 })
      expect((await redeem(value)).status).toBe(200)
    }
  })

  it('of another type, of another key, or unsigned is refused', async () => {
    const { privateKey } = await generateKeyPair('RS256')
    const plain = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
    const unsigned = `${plain({ alg: 'none', typ: 'oauth-id-jag+jwt' })}.${plain(decodeJwt(await assertion()))}.`
    const values = [
      await assertion({}, { typ: 'JWT' }),
      await assertion({}, {}, privateKey),
      unsigned,
      'x',
      '',
    ]
    for (const value of values) expect((await redeem(value)).status).toBe(400)
  })

  it('is worth nothing to a client that does not prove who it is', async () => {
    const value = await assertion({ client_id: 'open' })
    expect((await redeem(value, { client_id: 'open' }, {})).status).toBe(400)
    const { json } = await register(gateway, { ...CLIENT, grant_types: [...CLIENT.grant_types, JWT_BEARER] })
    expect(json.grant_types).toEqual(CLIENT.grant_types)
    const own = await assertion({ client_id: json.client_id })
    expect((await redeem(own, { client_id: json.client_id }, {})).status).toBe(400)
    expect((await redeem(await assertion(), {}, {})).status).toBeGreaterThanOrEqual(400)
  })

  it('gives no scope that the identity provider has not named, or that the client did not ask for', async () => {
    const scopeOf = async (claims: JWTPayload, form: object = {}) =>
      (await redeem(await assertion(claims), form)).json.scope
    expect(await scopeOf({ scope: 'use' }, { scope: 'use more' })).toBe('use')
    expect(await scopeOf({ scope: 'use more' })).toBe('use more')
    expect(await scopeOf({ scope: 'use more' }, { scope: 'more' })).toBe('more')
    expect(await scopeOf({ scope: undefined }, { scope: 'use more' })).toBe('use')
    expect(await scopeOf({ scope: 'gantry:admin use' })).toBe('use')
  })
})
