import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { IssuerWorld, withToken } from './fixtures/issuer-world.test.node.ts'
import { bearer, type BearerOptions, type Refusal } from './index.ts'

let world: IssuerWorld
let refusals: Refusal[]

beforeEach(async () => {
  world = await new IssuerWorld().start()
  refusals = []
  world.tokens.set('opaque', active())
})
afterEach(async () => {
  vi.useRealTimers()
  await world.stop()
})

function active(claims: object = {}): object {
  const exp = Math.floor(Date.now() / 1000) + 600
  return {
    active: true,
    sub: 'alice',
    aud: world.resource,
    client_id: 'app',
    scope: 'notes:read',
    exp,
    ...claims,
  }
}

function guardOf(options: Partial<BearerOptions> = {}) {
  return bearer({
    resource: world.resource,
    issuer: world.issuer,
    introspection: { clientId: 'mcp server', clientSecret: 'very secret' },
    onRefused: (refusal) => refusals.push(refusal),
    ...options,
  })
}

describe('introspection', () => {
  it('says who asks, and is asked as the standard wants it', async () => {
    const verdict = await guardOf()(withToken('opaque'))
    expect(verdict).toMatchObject({
      ok: true,
      auth: {
        principal: { kind: 'person', issuer: world.issuer, subject: 'alice' },
        scopes: ['notes:read'],
        clientId: 'app',
        token: 'opaque',
        expiresAt: expect.any(Number),
      },
    })
    const [{ authorization, form }] = world.introspections as [(typeof world.introspections)[0]]
    expect(authorization).toBe(`Basic ${btoa('mcp+server:very+secret')}`)
    expect(Object.fromEntries(form)).toEqual({
      client_id: 'mcp server',
      token: 'opaque',
      token_type_hint: 'access_token',
    })
    expect(world.requests).toEqual(['/.well-known/oauth-authorization-server', '/introspect'])
  })

  it('may be at a given address, with the secret in the body', async () => {
    const { issuer } = world
    const guard = guardOf({
      introspection: {
        url: `${issuer}/introspect`,
        clientId: 'c',
        clientSecret: 's',
        method: 'client_secret_post',
      },
    })
    expect((await guard(withToken('opaque'))).ok).toBe(true)
    expect(world.requests).toEqual(['/introspect'])
    expect(world.introspections[0]?.form.get('client_secret')).toBe('s')
  })

  it('is asked once for many requests, and again after a minute', async () => {
    const guard = guardOf()
    await Promise.all(Array.from({ length: 30 }, () => guard(withToken('opaque'))))
    await guard(withToken('opaque'))
    expect(world.introspections).toHaveLength(1)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    world.tokens.delete('opaque')
    expect(await guard(withToken('opaque'))).toMatchObject({ ok: false, status: 401 })
    expect(world.introspections).toHaveLength(2)
  })

  it('is not asked again and again about a token that is no good', async () => {
    const guard = guardOf()
    for (let index = 0; index < 5; index += 1) {
      expect(await guard(withToken('revoked'))).toMatchObject({ ok: false, status: 401 })
    }
    expect(world.introspections).toHaveLength(1)
    world.tokens.set('revoked', active())
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 })
    expect((await guard(withToken('revoked'))).ok).toBe(true)
  })

  it.each<[string, object, RegExp]>([
    ['is inactive', { active: false }, /not active/],
    ['is for another server', { aud: 'https://other.example.com' }, /another audience/],
    ['is for nobody', { aud: undefined }, /no aud/],
    ['is of another issuer', { iss: 'https://evil.example' }, /iss claim/],
    ['has expired', { exp: 1 }, /expired/],
    ['is not valid yet', { nbf: 4_000_000_000 }, /not valid yet/],
    ['is about nobody', { sub: undefined, client_id: undefined }, /neither a subject/],
    ['is bound to a key', { cnf: { jkt: 'a' } }, /not accepted here/],
  ])('does not help a token that %s', async (_name, claims, reason) => {
    world.tokens.set('opaque', active(claims))
    expect(await guardOf()(withToken('opaque'))).toMatchObject({ ok: false, status: 401 })
    expect(refusals[0]?.reason).toMatch(reason)
  })

  it('never sees tokens of strangers', async () => {
    const token = await world.token({ iss: 'https://other.example' })
    expect(await guardOf()(withToken(token))).toMatchObject({ ok: false, status: 401 })
    expect(world.requests).toEqual([])
  })

  it('is not needed for JWTs, unless it is wanted', async () => {
    const token = await world.token()
    expect((await guardOf()(withToken(token))).ok).toBe(true)
    expect(world.introspections).toHaveLength(0)
    const guard = guardOf({ introspection: { clientId: 'c', clientSecret: 's', all: true } })
    expect(await guard(withToken(token))).toMatchObject({ ok: false, status: 401 })
    expect(world.introspections).toHaveLength(1)
  })

  it.each<[string, (response: import('node:http').ServerResponse) => void]>([
    ['refuses us', (r) => r.writeHead(401, { 'www-authenticate': 'Basic' }).end()],
    ['is broken', (r) => r.writeHead(500).end()],
    ['speaks HTML', (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<p>opaque</p>')],
    ['leaves out what counts', (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('{}')],
    ['is elsewhere', (r) => r.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
    ['never answers', () => {}],
  ])('closes the door when it %s', async (_name, answer) => {
    world.overrides.set('/introspect', answer)
    const verdict = await guardOf({ timeout: 200 })(withToken('opaque'))
    expect(verdict).toMatchObject({ ok: false, status: 503 })
    expect(refusals[0]?.error).toBe('unavailable')
    expect(JSON.stringify([verdict, refusals])).not.toMatch(/very|secret|opaque/)
  })
})
