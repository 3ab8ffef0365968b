import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { IssuerWorld, withToken } from './fixtures/issuer-world.test.node.ts'
import { bearer, type BearerOptions, type Refusal } from './index.ts'

const METADATA = '/.well-known/oauth-authorization-server'
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

function later(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
}

describe('the issuer’s keys', () => {
  it('are asked for once, however many requests wait for them', async () => {
    const guard = guardOf()
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, index) => world.token({ sub: `u${index}` })),
    )
    const verdicts = await Promise.all(tokens.map((token) => guard(withToken(token))))
    expect(verdicts.every(({ ok }) => ok)).toBe(true)
    expect(world.requests).toEqual([METADATA, '/jwks'])
  })

  it('are found by OpenID Connect Discovery as well', async () => {
    const { issuer } = world
    world.overrides.set('/.well-known/openid-configuration', (response) => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks` }))
    })
    world.overrides.set(METADATA, (response) => response.writeHead(404).end())
    expect((await guardOf()(withToken(await world.token()))).ok).toBe(true)
    expect(world.requests).toEqual([METADATA, '/.well-known/openid-configuration', '/jwks'])
  })

  it('may be rotated', async () => {
    const guard = guardOf()
    expect((await guard(withToken(await world.token()))).ok).toBe(true)
    await world.rotate('second')
    later(31_000)
    expect((await guard(withToken(await world.token()))).ok).toBe(true)
    expect(world.requests).toEqual([METADATA, '/jwks', '/jwks'])
  })

  it('that were withdrawn are not used for long', async () => {
    const guard = guardOf()
    const request = withToken(await world.token({ exp: Math.floor(Date.now() / 1000) + 7200 }))
    expect((await guard(request)).ok).toBe(true)
    await world.rotate('second', true)
    later(601_000)
    expect(await guard(request)).toMatchObject({ ok: false, status: 401 })
  })

  it('are not asked for again when a caller makes up keys', async () => {
    const guard = guardOf()
    for (let index = 0; index < 20; index += 1) {
      const token = await world.token({}, { header: { kid: `made-up-${index}` } })
      expect(await guard(withToken(token))).toMatchObject({ status: 401 })
    }
    expect(world.requests).toEqual([METADATA, '/jwks'])
  })
})

describe('an issuer that fails', () => {
  it('closes the door without blaming the token, is not hammered, and may recover', async () => {
    const guard = guardOf()
    const request = withToken(await world.token())
    world.overrides.set('/jwks', (response) => response.writeHead(500).end())
    for (let index = 0; index < 10; index += 1) {
      const verdict = await guard(request)
      expect(verdict).toMatchObject({ ok: false, status: 503, headers: { 'retry-after': '5' } })
      expect(verdict).not.toHaveProperty('headers.www-authenticate')
    }
    expect(world.requests).toEqual([METADATA, '/jwks'])
    expect(refusals[0]).toMatchObject({ status: 503, error: 'unavailable' })
    expect(refusals[0]?.reason).toMatch(/key set cannot be read .*\/jwks.*HTTP status 500/)
    world.overrides.clear()
    later(6_000)
    expect((await guard(request)).ok).toBe(true)
  })

  it.each<[string, (issuer: string) => [string, Parameters<IssuerWorld['overrides']['set']>[1]], RegExp]>([
    [
      'sends its metadata from elsewhere',
      () => [METADATA, (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
      /publishes no metadata/,
    ],
    [
      'sends its keys from elsewhere',
      () => ['/jwks', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
      /redirect/,
    ],
    [
      'names another issuer',
      () => [METADATA, (response) => response.end('{"issuer":"https://evil.example","jwks_uri":"/jwks"}')],
      /of another issuer/,
    ],
    ['has no keys', (issuer) => [METADATA, (r) => r.end(JSON.stringify({ issuer }))], /publishes no keys/],
    [
      'keeps its keys by plain HTTP somewhere else',
      (issuer) => [METADATA, (r) => r.end(JSON.stringify({ issuer, jwks_uri: 'http://keys.example/jwks' }))],
      /reached by HTTPS/,
    ],
    ['sends something that is no key set', () => ['/jwks', (r) => r.end('[]')], /cannot be read/],
    ['sends something that is no JSON', () => ['/jwks', (r) => r.end('<html>')], /cannot be read/],
    ['sends too much', () => ['/jwks', (r) => r.end('x'.repeat(300_000))], /too large/],
    ['never answers', () => ['/jwks', () => {}], /did not answer in time/],
  ])('because it %s', async (_name, override, reason) => {
    world.overrides.set(...override(world.issuer))
    const verdict = await guardOf({ timeout: 200 })(withToken(await world.token()))
    expect(verdict).toMatchObject({ ok: false, status: 503 })
    expect(refusals[0]?.reason).toMatch(reason)
    expect(JSON.stringify(verdict)).not.toContain(world.issuer)
  })

  it('does not matter to tokens of another one', async () => {
    const other = await new IssuerWorld().start()
    const guard = guardOf({ issuers: [other.issuer] })
    await other.stop()
    expect(await guard(withToken(await other.token()))).toMatchObject({ status: 503 })
    expect((await guard(withToken(await world.token()))).ok).toBe(true)
  })
})

it('a hook that throws changes nothing', async () => {
  const guard = guardOf({
    onRefused: () => {
      throw new Error('no')
    },
  })
  expect(await guard(withToken('nonsense'))).toMatchObject({ ok: false, status: 401 })
})
