import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DpopClient } from './fixtures/dpop-client.test.node.ts'
import { call, IssuerWorld, withToken } from './fixtures/issuer-world.test.node.ts'
import { bearer, type BearerOptions } from './index.ts'

let world: IssuerWorld
let client: DpopClient
let token: string

beforeEach(async () => {
  world = await new IssuerWorld().start()
  client = await DpopClient.create()
  token = await world.token({ cnf: { jkt: client.thumbprint } })
})
afterEach(async () => {
  vi.useRealTimers()
  await world.stop()
})

function guardOf(options: Partial<BearerOptions> = {}) {
  return bearer({ resource: world.resource, issuer: world.issuer, dpop: 'allowed', ...options })
}

function bound(dpop: string, value = token): ReturnType<typeof call> {
  return call({ authorization: `DPoP ${value}`, dpop })
}

describe('a token that is bound to a key', () => {
  it('is good with a proof by that key', async () => {
    const verdict = await guardOf()(bound(await client.proof(token)))
    expect(verdict).toMatchObject({ ok: true, auth: { principal: { subject: 'alice' }, token } })
  })

  it('is good with a proof for the path that was called, below the resource', async () => {
    const guard = guardOf({ resource: 'https://mcp.example.com', audience: world.resource })
    const proof = await client.proof(token, { htu: 'https://MCP.example.com:443/mcp?x=1#y' })
    expect((await guard({ ...bound(proof), url: '/mcp?tenant=1' })).ok).toBe(true)
  })

  it.each<[string, () => Promise<ReturnType<typeof call>>, RegExp]>([
    ['no proof', async () => call({ authorization: `DPoP ${token}` }), /invalid_dpop_proof.*no DPoP proof/],
    ['the Bearer scheme', async () => withToken(token), /invalid_token.*must be sent as DPoP/],
    ['two proofs', async () => twice(), /malformed/],
    ['a proof of another method', () => proof({ htm: 'GET' }), /another method/],
    ['a proof of another path', () => proof({ htu: 'https://mcp.example.com/other' }), /another address/],
    ['a proof of another host', () => proof({ htu: 'https://evil.example/mcp' }), /another address/],
    ['a proof of plain HTTP', () => proof({ htu: 'http://mcp.example.com/mcp' }), /another address/],
    ['a proof of nowhere', () => proof({ htu: 'mcp' }), /another address/],
    ['a proof of another token', () => proof({ ath: 'abc' }), /another token/],
    ['a proof of no token', () => proof({ ath: undefined }), /another token/],
    ['a proof without a name', () => proof({ jti: undefined }), /not valid/],
    ['a proof with an empty name', () => proof({ jti: '' }), /jti/],
    ['a proof with an endless name', () => proof({ jti: 'a'.repeat(300) }), /jti/],
    ['a proof without a time', () => proof({ iat: undefined }), /not valid/],
    ['a proof whose time is not a number', () => proof({ iat: 'now' }), /not valid/],
    ['an old proof', () => proof({ iat: Math.floor(Date.now() / 1000) - 400 }), /too old/],
    ['a proof from the future', () => proof({ iat: Math.floor(Date.now() / 1000) + 60 }), /too old/],
    ['a JWT that is no proof', () => proof({}, { typ: 'JWT' }), /not valid/],
    ['a proof by another key', async () => bound(await stranger()), /invalid_token.*another key/],
    ['a proof without a key', () => proof({}, { jwk: undefined }), /not valid/],
    ['a proof with the private key', async () => proof({}, { jwk: await client.privateJwk() }), /not valid/],
    ['a proof whose key did not sign it', async () => bound(await swapped()), /not valid/],
    ['noise', async () => bound('noise'), /not valid/],
  ])('is refused with %s', async (_name, request, reason) => {
    const verdict = await guardOf()(await request())
    expect(verdict).toMatchObject({ ok: false, status: 401 })
    const challenge = verdict.ok ? '' : verdict.headers['www-authenticate']
    expect(challenge).toMatch(reason)
    expect(challenge).toMatch(/^Bearer .*resource_metadata="[^"]+", DPoP .*algs="ES256 /)
  })

  async function proof(claims: Record<string, unknown>, header: Record<string, unknown> = {}) {
    return bound(await client.proof(token, claims, header))
  }
  async function twice() {
    return bound(`${await client.proof(token)}, ${await client.proof(token)}`)
  }
  async function stranger(): Promise<string> {
    return (await DpopClient.create()).proof(token)
  }
  async function swapped(): Promise<string> {
    return (await DpopClient.create()).proof(token, {}, { jwk: client.jwk })
  }

  it('is good once per proof', async () => {
    const guard = guardOf()
    const request = bound(await client.proof(token))
    expect((await guard(request)).ok).toBe(true)
    expect(await guard(request)).toMatchObject({ ok: false, status: 401 })
    expect((await guard(bound(await client.proof(token)))).ok).toBe(true)
    // Two keys may use the same name.
    const other = await DpopClient.create()
    const theirs = await world.token({ cnf: { jkt: other.thumbprint } })
    for (const [owner, value] of [[client, token] as const, [other, theirs] as const]) {
      const verdict = await guard(bound(await owner.proof(value, { jti: 'same' }), value))
      expect(verdict.ok).toBe(true)
    }
  })

  it('is good once for all replicas that share a memory', async () => {
    const seen = new Set<string>()
    const isNewProof = async (id: string) => !seen.has(id) && Boolean(seen.add(id))
    const dpop = { mode: 'required', isNewProof } as const
    const request = bound(await client.proof(token))
    expect((await guardOf({ dpop })(request)).ok).toBe(true)
    expect(await guardOf({ dpop })(request)).toMatchObject({ ok: false, status: 401 })
  })

  it('is not accepted where keys are not checked', async () => {
    const guard = guardOf({ dpop: 'off' })
    for (const request of [withToken(token), bound(await client.proof(token))]) {
      expect(await guard(request)).toMatchObject({ ok: false, status: 401 })
    }
  })
})

describe('a token that is not bound', () => {
  it('is sent as Bearer, where that is allowed', async () => {
    const free = await world.token()
    expect((await guardOf()(withToken(free))).ok).toBe(true)
    expect((await guardOf()(bound(await client.proof(free), free))).ok).toBe(false)
    const strict = guardOf({ dpop: 'required' })
    expect(await strict(withToken(free))).toMatchObject({ ok: false, status: 401 })
    const stranger = await strict(call())
    expect(!stranger.ok && stranger.headers['www-authenticate']).toMatch(/^DPoP resource_metadata=/)
  })
})

describe('nonces', () => {
  const period = 300_000

  it('are handed out, accepted for a while, and shared by replicas with one secret', async () => {
    const dpop = { mode: 'required', nonce: { secret: 'shared by all the replicas', period } } as const
    const guard = guardOf({ dpop })
    const first = await guard(bound(await client.proof(token)))
    expect(first).toMatchObject({ ok: false, status: 401 })
    if (first.ok) return
    expect(first.headers['www-authenticate']).toContain('error="use_dpop_nonce"')
    const nonce = first.headers['dpop-nonce']
    expect((await guard(bound(await client.proof(token, { nonce })))).ok).toBe(true)
    expect((await guardOf({ dpop })(bound(await client.proof(token, { nonce })))).ok).toBe(true)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * period })
    expect((await guard(bound(await client.proof(token, { nonce })))).ok).toBe(false)
  })

  it('of another secret, or made up, are not accepted', async () => {
    const guard = guardOf({ dpop: { mode: 'allowed', nonce: true } })
    const other = await guardOf({ dpop: { mode: 'allowed', nonce: true } })(bound(await client.proof(token)))
    for (const nonce of ['', 'x', !other.ok && other.headers['dpop-nonce']]) {
      expect((await guard(bound(await client.proof(token, { nonce })))).ok).toBe(false)
    }
  })
})
