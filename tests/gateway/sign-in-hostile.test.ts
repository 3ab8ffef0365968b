import { createHash } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Browser, companyGateway, type CompanyGateway } from '../support/company.ts'
import { modernRequest } from '../support/raw-client.ts'
import { authorize, REDIRECT, register, signIn, statusWith, token } from '../support/sign-in-client.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(
  signInSettings: object = {},
  mcpServers: object = {},
): Promise<{ gateway: CompanyGateway; log: () => string }> {
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  const gateway = await companyGateway({ mcpServers }, signInSettings, undefined, { logLevel: 'info' })
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

describe('the answer of the identity provider', () => {
  it.each<[string, (answer: URL) => void, RegExp]>([
    [
      'with `iss` of another one',
      ({ searchParams }) => searchParams.set('iss', 'https://evil.example'),
      /iss/,
    ],
    ['without the `iss` that it promises', ({ searchParams }) => searchParams.delete('iss'), /iss/],
    [
      'with a code of its own',
      ({ searchParams }) => searchParams.set('code', 'made-up'),
      /invalid_grant|error/,
    ],
    ['with `state` twice', ({ searchParams }) => searchParams.append('state', 'x'), /state/],
    [
      'with an error',
      ({ searchParams }) => searchParams.set('error', 'access_denied'),
      /error|access_denied/,
    ],
  ])('%s signs nobody in', async (_, change, reason) => {
    const { gateway, log } = await start()
    const clientId = (await register(gateway)).json.client_id
    const browser = new Browser()
    const answer = new URL(
      await browser.browse(question(gateway, clientId), (at) => at.includes('/oauth/callback')),
    )
    change(answer)
    const response = await browser.get(answer.href)
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(await response.text()).not.toMatch(/evil\.example|made-up/)
    expect(log()).toMatch(reason)
  })

  it('is worth nothing for another sign-in of the same browser', async () => {
    const { gateway } = await start()
    const clientId = (await register(gateway)).json.client_id
    const browser = new Browser()
    const isAnswer = (at: string): boolean => at.includes('/oauth/callback')
    const first = await browser.browse(question(gateway, clientId), isAnswer)
    const second = await browser.browse(question(gateway, clientId), isAnswer)
    // The code of one login with the state of another.
    const mixed = new URL(second)
    mixed.searchParams.set('code', new URL(first).searchParams.get('code')!)
    expect((await browser.get(mixed.href)).status).toBe(400)
  })
})

describe('the consent of one person', () => {
  it('is not given by another browser, also with everything that the page holds', async () => {
    const { gateway } = await start()
    const clientId = (await register(gateway)).json.client_id
    const ann = new Browser('ann')
    ann.answer = 'nothing'
    await ann.browse(question(gateway, clientId), () => false)
    const html = ann.pages[0]!
    const form = new URLSearchParams({
      proof: /name="proof" value="([^"]+)"/.exec(html)![1]!,
      answer: 'allow',
    })
    const action = new URL(/action="([^"]+)"/.exec(html)![1]!, gateway.url).href
    expect((await new Browser('eve').get(action, form)).status).toBe(400)
    // A page of another site cannot press the button either: the proof is good once, and for this page.
    expect((await ann.get(action, new URLSearchParams({ proof: 'guessed', answer: 'allow' }))).status).toBe(
      400,
    )
    expect((await ann.get(action, form)).status).toBe(400)
  })
})

describe('a login for a page of ours', () => {
  const BOX = { box: { command: 'box', credentials: { kind: 'user', env: { TOKEN: 'Your token' } } } }
  const isSignedIn = async (browser: Browser, { url }: CompanyGateway): Promise<boolean> =>
    !(await (await browser.get(`${url}/connect`)).text()).includes('Who are you?')

  it('is finished in the browser that began it, and in no other', async () => {
    const { gateway, log } = await start({}, BOX)
    const [ann, eve] = [new Browser('ann'), new Browser('eve')]
    const begin = `${gateway.url}/connect/sign-in?next=/connect`
    // Eve would have Ann connect accounts in Eve's name, or see Ann's.
    const answer = await eve.browse(begin, (at) => at.includes('/oauth/callback'))
    const response = await ann.get(answer)
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('another browser'),
    ])
    expect([await isSignedIn(ann, gateway), (await eve.get(answer)).status]).toEqual([false, 400])
    expect(log()).toMatch(/A login was refused.*another browser than it began in/)
  })

  it('gives a ticket that is good in that browser, once', async () => {
    const { gateway, log } = await start({}, BOX)
    const [ann, eve, bob] = [new Browser('ann'), new Browser('eve'), new Browser('bob')]
    const ticketOf = (browser: Browser): Promise<string> =>
      browser.browse(`${gateway.url}/connect/sign-in?next=/connect`, (at) => at.includes('/signed-in?'))
    const stolen = await ticketOf(ann)
    await eve.get(stolen)
    expect(await isSignedIn(eve, gateway)).toBe(false)
    expect(log()).toMatch(/A login was refused.*another browser than it began in/)
    const own = await ticketOf(bob)
    await bob.get(own)
    expect(await isSignedIn(bob, gateway)).toBe(true)
    bob.cookies.delete('gantry-connect /connect')
    await bob.get(own)
    expect(await isSignedIn(bob, gateway)).toBe(false)
  })
})

describe('an access token', () => {
  /** A token that our own key has signed, but not for this. */
  async function forged({ gateway }: CompanyGateway, url: string, claims: object, head: object = {}) {
    const row = await gateway.store.rows({ name: 'sign-in-keys', secret: true }).get('keys')
    const { jwk } = JSON.parse(row!.value) as { jwk: JWK }
    const now = Math.floor(Date.now() / 1000)
    const all = {
      iss: url,
      aud: `${url}/mcp`,
      sub: 'x',
      client_id: 'x',
      iat: now,
      exp: now + 60,
      jti: 'j',
      ...claims,
    }
    return new SignJWT(all)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: jwk.kid!, ...head })
      .sign(await importJWK(jwk, 'ES256'))
  }

  it.each<[string, object, object, string]>([
    ['of another audience', { aud: 'https://other.example/mcp' }, {}, 'audience'],
    ['of another issuer', { iss: 'https://other.example' }, {}, 'issuer'],
    ['that is an ID token', {}, { typ: 'JWT' }, 'not an access token'],
    ['whose person is of no identity provider', { sub: 'key:ops' }, {}, 'another identity provider'],
    ['that has expired two minutes ago', { exp: Math.floor(Date.now() / 1000) - 120 }, {}, 'expired'],
    ['that begins in two minutes', { nbf: Math.floor(Date.now() / 1000) + 120 }, {}, ''],
  ])('%s is refused, although our own key signed it', async (_, claims, head, reason) => {
    const { gateway, log } = await start()
    expect(await statusWith(gateway, await forged(gateway, gateway.url, claims, head))).toBe(401)
    expect(log()).toContain('A caller was refused')
    expect(log()).toContain(reason)
  })
})

describe('a client with a key of its own (DPoP)', () => {
  async function holder() {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwk = await exportJWK(publicKey)
    const proof = (htm: string, htu: string, more: object = {}): Promise<string> =>
      new SignJWT({ htm, htu, jti: crypto.randomUUID(), iat: Math.floor(Date.now() / 1000), ...more })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .sign(privateKey)
    return { proof, thumbprint: await calculateJwkThumbprint(jwk) }
  }
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

  async function begin() {
    const { gateway } = await start()
    const own = await holder()
    const clientId = (await register(gateway)).json.client_id as string
    const { code, verifier } = await authorize(gateway, new Browser(), {
      clientId,
      more: { dpop_jkt: own.thumbprint },
    })
    const at = `${gateway.url}/oauth/token`
    const form = { client_id: clientId, code, code_verifier: verifier, redirect_uri: REDIRECT }
    const redeem = async ({ proof }: Awaited<ReturnType<typeof holder>>) =>
      token(gateway, { grant_type: 'authorization_code', ...form }, { dpop: await proof('POST', at) })
    const refreshWith = async ({ proof }: Awaited<ReturnType<typeof holder>>, value: string) => {
      const refresh = { grant_type: 'refresh_token', client_id: clientId, refresh_token: value }
      return token(gateway, refresh, { dpop: await proof('POST', at) })
    }
    return { gateway, own, redeem, refreshWith }
  }

  it('gets tokens that are worth nothing without it', async () => {
    const { gateway, own, redeem, refreshWith } = await begin()
    const { status, json } = await redeem(own)
    expect([status, json.token_type]).toEqual([200, 'DPoP'])
    const call = async (headers: Record<string, string>): Promise<number> =>
      (await modernRequest(gateway.endpoint, 'tools/list', {}, { headers })).status
    const ath = hashOf(json.access_token)
    const authorization = `DPoP ${json.access_token}`
    const dpop = await own.proof('POST', gateway.endpoint, { ath })
    expect(await call({ authorization, dpop })).toBe(200)
    // The same proof again, none, of another key, for another address, as a plain bearer token.
    expect(await call({ authorization, dpop })).toBe(401)
    expect(await call({ authorization })).toBe(401)
    const thief = await holder()
    expect(await call({ authorization, dpop: await thief.proof('POST', gateway.endpoint, { ath }) })).toBe(
      401,
    )
    const elsewhere = await own.proof('POST', 'https://other.example/mcp', { ath })
    expect(await call({ authorization, dpop: elsewhere })).toBe(401)
    expect(await statusWith(gateway, json.access_token)).toBe(401)
    expect((await refreshWith(thief, json.refresh_token)).status).toBe(400)
    expect((await refreshWith(own, json.refresh_token)).json.token_type).toBe('DPoP')
  })

  it('of which the thumbprint was announced: a code is worth nothing to another key', async () => {
    const { redeem } = await begin()
    expect((await redeem(await holder())).status).toBe(400)
  })

  it('whose clock is almost half a minute off is served, and one of a minute and more is not', async () => {
    const { gateway, own, redeem } = await begin()
    const { json } = await redeem(own)
    const now = Math.floor(Date.now() / 1000)
    const ath = hashOf(json.access_token)
    const statusAt = async (iat: number): Promise<number> => {
      const dpop = await own.proof('POST', gateway.endpoint, { ath, iat })
      const headers = { authorization: `DPoP ${json.access_token}`, dpop }
      return (await modernRequest(gateway.endpoint, 'tools/list', {}, { headers })).status
    }
    expect([await statusAt(now + 25), await statusAt(now - 25), await statusAt(now + 60)]).toEqual([
      200, 200, 401,
    ])
  })
})

it('scopes that a person did not allow are not in the token, and a step up asks for them', async () => {
  const { gateway } = await start({ scopes: ['use'], offeredScopes: ['more'] })
  const browser = new Browser()
  const { json } = await signIn(gateway, browser, { scope: 'use unknown gantry:admin' })
  expect(json.scope.split(' ')).toContain('use')
  expect(json.scope).not.toMatch(/more|unknown|gantry:admin/)
})
