import { decodeJwt, importJWK, jwtVerify, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { Server, text, tool } from '@gantry/mcp/server'
import {
  TestServer,
  type Answer,
  type Seen,
} from '../../packages/mcp/src/auth/fixtures/auth-world.test.node.ts'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { Browser, companyGateway, signingKey, type CompanyGateway } from '../support/company.ts'
import { signIn } from '../support/sign-in-client.ts'
import { modelOf, testGateway } from '../support/start-gateway.ts'

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token'
const KEY = 'key-of-ops-0123456789-abcdefgh'
const NOTES = new Server({ name: 'notes', tools: { ping: tool({ run: () => text('pong') }) } })

const closing: (() => unknown)[] = []
/** Where the identity provider exchanges what it has issued. */
let exchange: TestServer
let gateway: CompanyGateway

beforeEach(async () => {
  exchange = await new TestServer().start()
  exchange.on('POST /token', issue)
  closing.push(() => exchange.stop())
  const port = await freePort()
  gateway = await companyGateway({
    auth: { apiKeys: [{ name: 'ops', key: KEY }] },
    mcpServers: { orders: target(`http://127.0.0.1:${port}/mcp`) },
  })
  closing.push(() => gateway.close())
  // What is called is a gateway too: it redeems assertions of the same identity provider, and knows Ann alone.
  const signIn = {
    issuer: gateway.company,
    clientId: 'gantry',
    clientSecret: 'hush-hush',
    clients: [
      { clientId: 'desk', clientSecret: 'a-long-secret', redirectUris: ['https://desk.example.com/cb'] },
    ],
  }
  const orders = {
    auth: { signIn },
    mcpServers: { notes: { module: 'notes' } },
    policy: {
      default: 'deny',
      rules: [{ when: 'claims.email == "ann@example.com"', allow: ['notes/*'] }],
    },
  }
  const called = await testGateway(orders, { port, embedded: new Map([['notes', NOTES]]) })
  closing.push(() => called.close())
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const target = (url: string, more: object = {}) => ({
  url,
  oauth: { clientId: 'desk', clientSecret: 'a-long-secret' },
  credentials: {
    kind: 'exchange',
    by: 'id-jag',
    tokenUrl: `${exchange?.url ?? 'https://login.example.com'}/token`,
    clientId: 'gantry',
    clientSecret: 'hush-hush',
    ...more,
  },
})

/** An ID token of the gateway's becomes an assertion about its person; nothing else does. */
async function issue({ form, headers }: Seen): Promise<Answer> {
  const basic = `Basic ${Buffer.from('gantry:hush-hush').toString('base64')}`
  const key = await importJWK(await signingKey, 'RS256')
  const asked = [form.get('requested_token_type'), form.get('subject_token_type'), headers.authorization]
  expect(asked).toEqual([ID_JAG, ID_TOKEN, basic])
  const { kid: _, d: _d, ...publicKey } = await signingKey
  const { payload } = await jwtVerify(
    form.get('subject_token')!,
    await importJWK({ kty: publicKey.kty!, n: publicKey.n!, e: publicKey.e! }, 'RS256'),
    { audience: 'gantry', issuer: gateway.company },
  )
  const { sub, email } = payload
  const claims = {
    sub: sub!,
    email,
    client_id: 'desk',
    resource: form.get('resource'),
    jti: crypto.randomUUID(),
  }
  const assertion = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', typ: 'oauth-id-jag+jwt' })
    .setIssuer(gateway.company)
    .setAudience(form.get('audience')!)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(key)
  return { json: { access_token: assertion, issued_token_type: ID_JAG, token_type: 'N_A', expires_in: 300 } }
}

async function clientOf(credential: string, era: 'legacy' | 'modern' = 'modern'): Promise<Client> {
  const headers = { authorization: `Bearer ${credential}` }
  const client = await connect(http(gateway.endpoint, { headers }), { era })
  closing.push(() => client.close())
  return client
}

const namesFor = async (client: Client) => (await client.listTools().all()).map(({ name }) => name)

/** Changes what is kept of the login of the only person who has signed in. */
async function rewrite(change: (proof: Record<string, unknown>) => object): Promise<void> {
  const rows = gateway.gateway.store.rows({ name: 'sign-in-id-tokens', secret: true })
  const [row] = await rows.list({ limit: 1 })
  const proof = JSON.parse(row!.value) as Record<string, unknown>
  await rows.put(row!.key, JSON.stringify(change(proof)))
}

describe('a server that takes assertions of the identity provider', () => {
  it.each(['legacy', 'modern'] as const)(
    'is called as the person who signed in, without a question (%s)',
    async (era) => {
      const [ann, bob] = [
        await signIn(gateway, new Browser('ann')),
        await signIn(gateway, new Browser('bob')),
      ]
      const [hers, his] = [
        await clientOf(ann.json.access_token, era),
        await clientOf(bob.json.access_token, era),
      ]
      await expect.poll(() => namesFor(hers)).toContain('orders_notes_ping')
      expect((await hers.call('orders_notes_ping')).text()).toBe('pong')
      expect(await namesFor(his)).not.toContain('orders_notes_ping')
      const subjects = exchange.seen.map(({ form }) => decodeJwt(form.get('subject_token')!).sub)
      expect(new Set(subjects)).toEqual(new Set(['ann', 'bob']))
      // No credential of the gateway's own went to the identity provider.
      expect(exchange.seen.some(({ body }) => body.includes(ann.json.access_token))).toBe(false)
    },
  )

  it('gets an ID token that was renewed when the one of the login has ended', async () => {
    const { json } = await signIn(gateway, new Browser('ann'))
    await rewrite((proof) => ({ ...proof, idToken: 'the-old-one', expiresAt: 1 }))
    const client = await clientOf(json.access_token)
    await expect.poll(() => namesFor(client)).toContain('orders_notes_ping')
    expect((await client.call('orders_notes_ping')).text()).toBe('pong')
    expect(exchange.seen.map(({ form }) => form.get('subject_token'))).not.toContain('the-old-one')
  })

  it('says that the person has to sign in again when nothing can be renewed', async () => {
    const { json } = await signIn(gateway, new Browser('ann'))
    await rewrite(({ refreshToken: _, ...proof }) => ({ ...proof, expiresAt: 1 }))
    for (const credential of [json.access_token, KEY]) {
      const client = await clientOf(credential)
      const [name] = await namesFor(client)
      const answer = await client.call(name!)
      expect(answer.raw).toMatchObject({ isError: true, _meta: { 'dev.gantry/account': 'not-connected' } })
      expect(answer.text()).toContain('Sign in to the gateway')
    }
    expect(exchange.seen).toEqual([])
  })
})

it('an ID token is exchanged by RFC 8693 too, where the configuration says so', async () => {
  exchange.on('POST /token', ({ form }) => ({
    json: { access_token: `for ${decodeJwt(form.get('subject_token')!).sub}`, token_type: 'Bearer' },
  }))
  const settings = { kind: 'exchange', subject: 'id-token', tokenUrl: `${exchange.url}/token`, clientId: 'x' }
  const who = tool({ run: (_, ctx) => text(String(ctx.exchange.headers?.authorization)) })
  const { serveHttp } = await import('../support/http-targets.ts')
  const web = await serveHttp(new Server({ name: 'web', tools: { who } }))
  closing.push(() => web.close())
  const other = await companyGateway({ mcpServers: { web: { url: web.url, credentials: settings } } })
  closing.push(() => other.close())
  const { json } = await signIn(other, new Browser('ann'))
  const headers = { authorization: `Bearer ${json.access_token}` }
  const client = await connect(http(other.endpoint, { headers }), { era: 'modern' })
  closing.push(() => client.close())
  expect((await client.call('web_who')).text()).toBe('Bearer for ann')
  expect(exchange.seen[0]!.form.get('subject_token_type')).toBe(ID_TOKEN)
})

describe('a configuration', () => {
  const signInSettings = { issuer: 'https://login.example.com', clientId: 'g', clientSecret: 'hush-hush' }
  const problemsOf = (one: object, auth: object = { signIn: signInSettings }) =>
    modelOf({ auth, mcpServers: { one } }).then(
      () => '',
      (error: Error) => error.message,
    )
  const url = 'https://orders.example.com/mcp'

  it.each<[string, object, RegExp]>([
    ['of an access token', target(url, { subject: 'access-token' }), /for an ID token/],
    ['with an audience', target(url, { audience: 'orders' }), /that the target names/],
    ['without a client there', { ...target(url), oauth: {} }, /a client that it knows/],
    ['of a program', { command: 'x', credentials: target(url).credentials }, /program/],
  ])('with an ID-JAG %s is refused', async (_, one, reason) => {
    expect(await problemsOf(one)).toMatch(reason)
  })

  it('with an ID-JAG is refused where nobody logs in, and accepted where people do', async () => {
    expect(await problemsOf(target(url), { keys: true })).toMatch(/nobody logs in at this gateway/)
    expect(await problemsOf(target(url))).toBe('')
  })
})
