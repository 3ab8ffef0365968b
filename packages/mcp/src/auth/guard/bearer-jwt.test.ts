import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bearer, type BearerOptions, type Refusal } from './index.ts'
import { call, IssuerWorld, withToken } from './fixtures/issuer-world.test.node.ts'

let world: IssuerWorld
let refusals: Refusal[]

beforeEach(async () => {
  world = await new IssuerWorld().start()
  refusals = []
})
afterEach(async () => {
  vi.useRealTimers()
  await world.stop()
})

function guardOf(options: Partial<BearerOptions> = {}) {
  return bearer({
    resource: world.resource,
    issuer: world.issuer,
    onRefused: (refusal) => refusals.push(refusal),
    ...options,
  })
}

async function refused(guard: ReturnType<typeof bearer>, request = call()) {
  const verdict = await guard(request)
  if (verdict.ok) throw new Error('it was let through')
  return verdict
}

describe('a good token', () => {
  it('says who asks', async () => {
    const exp = Math.floor(Date.now() / 1000) + 600
    const token = await world.token({ exp, scope: 'notes:read notes:write' })
    const verdict = await guardOf()(withToken(token))
    expect(verdict).toMatchObject({
      ok: true,
      auth: {
        principal: { kind: 'person', issuer: world.issuer, subject: 'alice' },
        scopes: ['notes:read', 'notes:write'],
        clientId: 'notes-app',
        claims: { sub: 'alice', aud: world.resource },
        token,
        expiresAt: exp * 1000,
      },
    })
  })

  it.each([
    ['several audiences', { aud: ['https://other.example.com', 'https://mcp.example.com/mcp'] }, {}],
    ['`scp` as a list', { scope: undefined, scp: ['notes:read'] }, {}],
    ['`scp` as a string', { scope: undefined, scp: 'notes:read' }, {}],
    ['a plain type', {}, { header: { typ: 'JWT' } }],
    ['no type', {}, { header: { typ: undefined } }],
    ['the long type', {}, { header: { typ: 'application/at+jwt' } }],
    ['no key id', {}, { header: { kid: undefined } }],
    ['a clock that is ten seconds ahead', { nbf: Math.floor(Date.now() / 1000) + 10 }, {}],
  ])('may have %s', async (_name, claims, options) => {
    const verdict = await guardOf({ scopes: ['notes:read'] })(withToken(await world.token(claims, options)))
    expect(verdict.ok).toBe(true)
  })

  it('may be for the origin with or without its slash', async () => {
    const guard = guardOf({ resource: 'https://mcp.example.com' })
    for (const aud of ['https://mcp.example.com', 'https://mcp.example.com/']) {
      expect((await guard(withToken(await world.token({ aud })))).ok).toBe(true)
    }
  })

  it('may name no key when several fit', async () => {
    await world.rotate('second')
    await world.rotate('third')
    const token = await world.token({}, { header: { kid: undefined }, key: world.keys.get('second')! })
    expect((await guardOf()(withToken(token))).ok).toBe(true)
  })

  it.each([undefined, 'notes-app'])('may speak for the client alone, with the subject %s', async (sub) => {
    const verdict = await guardOf()(withToken(await world.token({ sub })))
    const principal = { kind: 'workload', issuer: world.issuer, subject: 'notes-app' }
    expect(verdict).toMatchObject({ auth: { principal } })
  })

  it('may be of any of several issuers, which have their own subjects', async () => {
    const other = await new IssuerWorld().start()
    try {
      const guard = guardOf({ issuers: [other.issuer] })
      const principals = []
      for (const token of [await world.token(), await other.token()]) {
        const verdict = await guard(withToken(token))
        principals.push(verdict.ok && verdict.auth.principal)
      }
      expect(principals).toEqual([
        { kind: 'person', issuer: world.issuer, subject: 'alice' },
        { kind: 'person', issuer: other.issuer, subject: 'alice' },
      ])
      // Each issuer answers for itself: a key of the other one does not sign for it.
      const forged = await world.token({}, { key: other.keys.get('first')! })
      expect((await guard(withToken(forged))).ok).toBe(false)
    } finally {
      await other.stop()
    }
  })

  it('is verified with keys that are given, and nobody is asked', async () => {
    const guard = guardOf({ jwks: { keys: await world.publicKeys() } })
    expect((await guard(withToken(await world.token()))).ok).toBe(true)
    expect(world.requests).toEqual([])
  })

  it('is verified with keys at a given address', async () => {
    const guard = guardOf({ jwks: `${world.issuer}/jwks` })
    expect((await guard(withToken(await world.token()))).ok).toBe(true)
    expect(world.requests).toEqual(['/jwks'])
  })
})

describe('a request without credentials', () => {
  it.each([{}, { authorization: '' }, { authorization: 'Basic YTpi' }])('%j', async (headers) => {
    const verdict = await refused(guardOf({ scopes: ['notes:read', 'notes:list'] }), call(headers))
    expect(verdict.status).toBe(401)
    expect(verdict.headers['www-authenticate']).toBe(
      'Bearer scope="notes:read notes:list", ' +
        'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"',
    )
  })

  it('is not saved by a token in the query string', async () => {
    const url = `/mcp?access_token=${await world.token()}`
    expect((await refused(guardOf(), { ...call(), url })).status).toBe(401)
  })

  it.each(['Bearer', 'Bearer a b', 'Bearer {}', `Bearer ${'a'.repeat(20_000)}`, 'Bearer a, Bearer b'])(
    'malformed: %.20s',
    async (authorization) => {
      const verdict = await refused(guardOf(), call({ authorization }))
      expect(verdict.status).toBe(400)
      expect(verdict.headers['www-authenticate']).toContain('error="invalid_request"')
      expect(world.requests).toEqual([])
    },
  )
})

describe('a bad token', () => {
  const hour = 3600
  const now = () => Math.floor(Date.now() / 1000)

  it.each<[string, () => Promise<string>, RegExp]>([
    ['of an unknown issuer', () => world.token({ iss: 'https://evil.example' }), /unknown issuer/],
    ['for another server', () => world.token({ aud: 'https://other.example.com/mcp' }), /another audience/],
    ['for the origin alone', () => world.token({ aud: 'https://mcp.example.com' }), /another audience/],
    ['for nobody', () => world.token({ aud: undefined }), /no aud/],
    ['that has expired', () => world.token({ exp: now() - hour }), /expired/],
    ['that never expires', () => world.token({ exp: undefined }), /no exp/],
    ['that is not valid yet', () => world.token({ nbf: now() + hour }), /not valid yet/],
    ['about nobody', () => world.token({ sub: undefined, client_id: undefined }), /neither a subject/],
    ['with an empty subject', () => world.token({ sub: '', client_id: undefined }), /neither a subject/],
    ['that is a logout token', () => world.token({}, { header: { typ: 'logout+jwt' } }), /not an access/],
    ['that is a proof', () => world.token({}, { header: { typ: 'dpop+jwt' } }), /not an access/],
    ['bound to a certificate', () => world.token({ cnf: { 'x5t#S256': 'abc' } }), /bound in a way/],
    ['bound to a key', () => world.token({ cnf: { jkt: 'abc' } }), /not accepted here/],
    ['of no kind we know', async () => 'opaque-token', /not a JWT/],
    ['that is half a JWT', async () => (await world.token()).split('.').slice(0, 2).join('.'), /not a JWT/],
    ['with another payload', () => tampered(), /signature/],
    ['by a key that is not published', () => forged(), /signature/],
    ['by a key that it brings along', () => selfSigned(), /signature/],
    ['by nobody', async () => unsigned(), /algorithm/],
    ['signed with the public key as a secret', () => confused(), /algorithm/],
    ['with an extension we must know and do not', () => critical(), /cannot be read/],
  ])('%s', async (_name, make, reason) => {
    const token = await make()
    const verdict = await refused(guardOf({ scopes: ['notes:read'] }), withToken(token))
    expect(verdict.status).toBe(401)
    expect(verdict.headers['www-authenticate']).toMatch(
      /^Bearer error="invalid_token", error_description="[^"]+", scope="notes:read", resource_metadata="/,
    )
    expect(verdict.headers['www-authenticate']).toMatch(reason)
    expect(refusals).toEqual([
      {
        status: 401,
        error: 'invalid_token',
        reason: expect.stringMatching(reason),
        method: 'POST',
        path: '/mcp',
      },
    ])
    // Nothing of the token is in what is sent or logged.
    for (const part of token.split('.').filter((text) => text.length > 12)) {
      expect(JSON.stringify([verdict, refusals])).not.toContain(part)
    }
  })

  async function tampered(): Promise<string> {
    const [header, , signature] = (await world.token()).split('.')
    const [, payload] = (await world.token({ sub: 'root' })).split('.')
    return [header, payload, signature].join('.')
  }
  async function forged(): Promise<string> {
    return world.token({}, { key: await generateKeyPair('ES256') })
  }
  async function selfSigned(): Promise<string> {
    const key = await generateKeyPair('ES256', { extractable: true })
    const jwk = await exportJWK(key.publicKey)
    return world.token({}, { key, header: { kid: 'mine', jwk, jku: 'https://evil.example/jwks' } })
  }
  function unsigned(): string {
    return new UnsecuredJWT({ sub: 'root' })
      .setIssuer(world.issuer)
      .setAudience(world.resource)
      .setExpirationTime('1h')
      .encode()
      .replace(/\.$/, '.e30')
  }
  async function confused(): Promise<string> {
    const [jwk] = await world.publicKeys()
    return new SignJWT({ sub: 'root' })
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .setIssuer(world.issuer)
      .setAudience(world.resource)
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(JSON.stringify(jwk)))
  }
  async function critical(): Promise<string> {
    const key = world.keys.get('first')!
    return new SignJWT({ sub: 'alice' })
      .setProtectedHeader({ alg: 'ES256', kid: 'first', crit: ['exotic'], exotic: true })
      .setIssuer(world.issuer)
      .setAudience(world.resource)
      .setExpirationTime('1h')
      .sign(key.privateKey, { crit: { exotic: true } })
  }

  it('that has expired since it was last seen', async () => {
    const guard = guardOf({ clockTolerance: 0 })
    const request = withToken(await world.token({ exp: now() + 20 }))
    expect((await guard(request)).ok).toBe(true)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 21_000 })
    expect((await refused(guard, request)).headers['www-authenticate']).toContain('has expired')
  })

  it('that is no access token by name, where that is asked for', async () => {
    const guard = guardOf({ requireAccessTokenType: true })
    expect((await guard(withToken(await world.token()))).ok).toBe(true)
    expect((await guard(withToken(await world.token({}, { header: { typ: 'JWT' } })))).ok).toBe(false)
  })

  it('by an algorithm that was taken off the list', async () => {
    const guard = guardOf({ algorithms: ['RS256'] })
    expect((await refused(guard, withToken(await world.token()))).status).toBe(401)
  })
})

describe('scopes', () => {
  it('that every request needs', async () => {
    const guard = guardOf({ scopes: ['notes:read', 'notes:admin'] })
    const verdict = await refused(guard, withToken(await world.token()))
    expect(verdict.status).toBe(403)
    expect(verdict.headers['www-authenticate']).toMatch(
      /error="insufficient_scope", .*scope="notes:read notes:admin"/,
    )
  })

  it('that include others', async () => {
    const guard = guardOf({
      scopes: ['notes:list'],
      impliedScopes: { 'notes:read': ['notes:list'], 'notes:admin': ['notes:read', 'notes:write'] },
    })
    const verdict = await guard(withToken(await world.token({ scope: 'notes:admin' })))
    expect(verdict).toMatchObject({
      auth: { scopes: ['notes:admin', 'notes:read', 'notes:write', 'notes:list'] },
    })
  })

  it('of one operation are asked for together with those of the server', async () => {
    const verdict = await guardOf({ scopes: ['notes:read'] })(withToken(await world.token()))
    const { status, headers } = verdict.ok ? verdict.challenge(['notes:write']) : ({} as never)
    expect(status).toBe(403)
    expect(headers['www-authenticate']).toContain('error="insufficient_scope"')
    expect(headers['www-authenticate']).toContain('scope="notes:read notes:write"')
    expect(headers['www-authenticate']).toContain('resource_metadata="https://mcp.example.com/.well-known/')
  })
})

describe('options that cannot protect', () => {
  it.each<[string, Partial<BearerOptions>]>([
    ['no issuer', { issuer: undefined as never }],
    ['an issuer by plain HTTP', { issuer: 'http://auth.example.com' }],
    ['an issuer that is no URL', { issuer: 'auth' }],
    ['a resource with a fragment', { resource: 'https://mcp.example.com/#a' }],
    ['a resource that is no URL', { resource: 'mcp' }],
    ['an empty audience', { audience: '' }],
    ['no audience at all', { audience: [] }],
    ['no algorithm', { algorithms: [] }],
    ['none', { algorithms: ['none'] }],
    ['a symmetric algorithm', { algorithms: ['ES256', 'HS256'] }],
    ['a scope that cannot be written', { scopes: ['a b'] }],
    ['keys for several issuers', { issuers: ['https://a.example'], jwks: { keys: [] } }],
    [
      'introspection of several issuers',
      { issuers: ['https://a.example'], introspection: { clientId: 'a', clientSecret: 'b' } },
    ],
  ])('%s', (_name, options) => {
    expect(() => guardOf(options)).toThrow()
  })

  it('but an audience may be given up by name', async () => {
    const guard = guardOf({ audience: false })
    expect((await guard(withToken(await world.token({ aud: 'somebody else' })))).ok).toBe(true)
  })
})
