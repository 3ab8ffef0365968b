import { decodeJwt, exportPKCS8, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuthWorld, type Seen, TestServer } from '../fixtures/auth-world.test.node.ts'
import { oauth } from '../oauth.ts'
import type { OAuthOptions } from '../oauth-options.ts'

let world: AuthWorld
beforeEach(async () => {
  world = await new AuthWorld().start()
})
afterEach(async () => {
  vi.useRealTimers()
  await world.stop()
})

function lastToken(): Seen {
  return world.as.asked('/token').at(-1)!
}

function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
}

describe('client credentials', () => {
  it('by secret, form-encoded for Basic as RFC 6749 says', async () => {
    world.metadata.token_endpoint_auth_methods_supported = ['client_secret_basic']
    const options: OAuthOptions = {
      grant: 'client_credentials',
      clientId: 'my-app_1.x',
      clientSecret: 'a:b c/é',
    }
    expect((await world.call(world.provider({ ...options, scopes: ['read'] }))).status).toBe(200)
    const { headers, form } = lastToken()
    expect(headers.authorization).toBe(basic('my-app_1.x', 'a%3Ab+c%2F%C3%A9'))
    expect(Object.fromEntries(form)).toEqual({
      grant_type: 'client_credentials',
      client_id: 'my-app_1.x',
      scope: 'read',
      resource: world.serverUrl,
    })
    expect(world.as.asked('/authorize')).toEqual([])
  })

  it('by secret in the body, where the server wants that', async () => {
    world.metadata.token_endpoint_auth_methods_supported = ['client_secret_post']
    await world.call(world.provider({ grant: 'client_credentials', clientId: 'app', clientSecret: 's' }))
    expect([lastToken().form.get('client_id'), lastToken().form.get('client_secret')]).toEqual(['app', 's'])
    expect(lastToken().headers.authorization).toBeUndefined()
  })

  it.each(['ES256', 'RS256', 'PS384', 'EdDSA'])(
    'by a key (%s), with the issuer as audience',
    async (algorithm) => {
      world.metadata.token_endpoint_auth_methods_supported = ['private_key_jwt']
      const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
      const key = await exportPKCS8(privateKey)
      const options: OAuthOptions = {
        grant: 'private_key_jwt',
        clientId: 'app',
        privateKey: { key, algorithm, keyId: 'k1' },
      }
      expect((await world.call(world.provider(options))).status).toBe(200)
      const assertion = lastToken().form.get('client_assertion') ?? ''
      const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, { audience: world.as.url })
      expect(payload).toMatchObject({ iss: 'app', sub: 'app' })
      expect(protectedHeader).toMatchObject({ alg: algorithm, kid: 'k1' })
    },
  )

  it('are renewed before the expiry by asking again, once, without a refresh token', async () => {
    world.metadata.token_endpoint_auth_methods_supported = ['client_secret_basic']
    world.as.on('POST /token', (seen) => {
      const answer = world.issue(seen) as { json: Record<string, unknown> }
      delete answer.json.refresh_token
      return answer
    })
    const provider = world.provider({ grant: 'client_credentials', clientId: 'app', clientSecret: 's' })
    await world.call(provider)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_590_000 })
    await Promise.all([world.call(provider), world.call(provider), world.call(provider)])
    expect(world.as.asked('/token')).toHaveLength(2)
    expect(world.mcp.asked('/mcp')).toHaveLength(5)
  })

  it.each<[string, OAuthOptions]>([
    ['no client', { grant: 'client_credentials' }],
    ['no secret', { grant: 'client_credentials', clientId: 'app' }],
    ['no key', { grant: 'private_key_jwt', clientId: 'app', clientSecret: 's' }],
    ['no https', { clientMetadataUrl: 'http://app.example.com/client.json' }],
    ['no path', { clientMetadataUrl: 'https://app.example.com/' }],
  ])('options that cannot work are refused at once: %s', (_, options) => {
    expect(() => oauth(options)).toThrow(expect.objectContaining({ details: { check: 'options' } }))
  })

  it('no common way to authenticate is said before anything is sent', async () => {
    world.metadata.token_endpoint_auth_methods_supported = ['tls_client_auth']
    const provider = world.provider({ grant: 'client_credentials', clientId: 'app', clientSecret: 's' })
    await expect(world.call(provider)).rejects.toThrow(/one of tls_client_auth/)
    expect(world.as.asked('/token')).toEqual([])
  })

  it('a key of another algorithm than the server takes is said before anything is sent', async () => {
    world.metadata.token_endpoint_auth_methods_supported = ['private_key_jwt']
    world.metadata.token_endpoint_auth_signing_alg_values_supported = ['RS256']
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const provider = world.provider({
      grant: 'private_key_jwt',
      clientId: 'app',
      privateKey: { key: privateKey },
    })
    await expect(world.call(provider)).rejects.toMatchObject({ details: { check: 'client_authentication' } })
    expect(world.as.asked('/token')).toEqual([])
  })
})

describe('workload identity', () => {
  async function assertionFor(audience: string): Promise<string> {
    const { privateKey } = await generateKeyPair('ES256')
    return new SignJWT({ sub: 'pod' })
      .setProtectedHeader({ alg: 'ES256' })
      .setAudience(audience)
      .sign(privateKey)
  }

  it('exchanges the platform’s assertion, fetched when it is needed', async () => {
    const assertion = await assertionFor(world.as.url)
    const asked: unknown[] = []
    const options: OAuthOptions = {
      clientId: 'workload',
      grant: {
        type: 'jwt-bearer',
        assertion: (context) => {
          asked.push(context)
          return assertion
        },
      },
    }
    expect((await world.call(world.provider(options))).status).toBe(200)
    expect(asked).toEqual([
      { issuer: world.as.url, tokenEndpoint: `${world.as.url}/token`, resource: world.serverUrl },
    ])
    expect(Object.fromEntries(lastToken().form)).toMatchObject({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
      client_id: 'workload',
    })
  })

  it('is refused once: no second try, no other grant', async () => {
    world.as.on('POST /token', () => ({ status: 400, json: { error: 'invalid_grant' } }))
    const grant = { type: 'jwt-bearer', assertion: await assertionFor(world.as.url) } as const
    const failure = world.call(world.provider({ grant, clientId: 'workload' }))
    await expect(failure).rejects.toMatchObject({
      details: { check: 'token_response', error: 'invalid_grant' },
    })
    expect(world.as.asked('/token')).toHaveLength(1)
  })

  it('takes another audience when the issuer is configured', async () => {
    const grant = { type: 'jwt-bearer', assertion: await assertionFor('api://tokens') } as const
    const provider = world.provider({ grant, clientId: 'workload', issuer: world.as.url })
    expect((await world.call(provider)).status).toBe(200)
  })
})

describe('enterprise-managed authorization', () => {
  let idp: TestServer
  beforeEach(async () => {
    idp = await new TestServer().start()
    world.metadata.token_endpoint_auth_methods_supported = ['client_secret_basic']
  })
  afterEach(() => idp.stop())

  function options(): OAuthOptions {
    const provider = {
      tokenEndpoint: `${idp.url}/token`,
      clientId: 'at-idp',
      clientSecret: 'x',
      idToken: 'the-id-token',
    }
    return {
      grant: { type: 'enterprise', idp: provider },
      clientId: 'app',
      clientSecret: 's',
      scopes: ['read'],
    }
  }

  it('exchanges the ID token at the identity provider, then the grant at the server', async () => {
    idp.on('POST /token', () => ({
      json: {
        access_token: 'the-id-jag',
        issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        token_type: 'N_A',
      },
    }))
    expect((await world.call(world.provider(options()))).status).toBe(200)
    expect(Object.fromEntries(idp.asked('/token')[0]!.form)).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: 'the-id-token',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      audience: world.as.url,
      resource: world.serverUrl,
      scope: 'read',
      client_id: 'at-idp',
    })
    expect(lastToken().form.get('assertion')).toBe('the-id-jag')
    expect(lastToken().headers.authorization).toBe(basic('app', 's'))
  })

  it('does not pass on another kind of token', async () => {
    idp.on('POST /token', () => ({ json: { access_token: 'an-access-token', token_type: 'Bearer' } }))
    const failure = world.call(world.provider(options()))
    await expect(failure).rejects.toMatchObject({ details: { check: 'token_response' } })
    expect(world.as.asked('/token')).toEqual([])
  })

  it('shows a policy’s refusal', async () => {
    const json = { error: 'access_denied', error_description: 'not for contractors' }
    idp.on('POST /token', () => ({ status: 403, json }))
    await expect(world.call(world.provider(options()))).rejects.toThrow(/not for contractors/)
  })
})

describe('DPoP', () => {
  /** The thumbprints that the authorization server bound tokens to, and proofs as the MCP server saw them. */
  const jwk = (proof: string): unknown =>
    JSON.parse(Buffer.from(proof.split('.')[0]!, 'base64url').toString()).jwk

  beforeEach(() => {
    world.metadata.dpop_signing_alg_values_supported = ['ES256']
    world.as.on('POST /token', (seen) => {
      const answer = world.issue(seen) as { json: Record<string, unknown> }
      if (seen.headers.dpop !== undefined) answer.json.token_type = 'DPoP'
      return answer
    })
  })

  function proofs(path: '/token' | '/mcp'): string[] {
    const { seen } = path === '/token' ? world.as : world.mcp
    return seen
      .filter((request) => request.path === path)
      .flatMap(({ headers }) => headers.dpop ?? []) as string[]
  }

  it('is used by itself only when the resource speaks it too', async () => {
    await world.call(world.provider())
    expect(proofs('/token')).toEqual([])
    world.prm.dpop_bound_access_tokens_required = true
    await world.call(world.provider())
    expect(proofs('/token')).toHaveLength(1)
  })

  it('proves every request anew, with the token’s hash, by one key that also refreshes', async () => {
    const provider = world.provider({ dpop: true })
    await world.call(provider)
    await world.call(provider)
    const [first, second] = proofs('/mcp').map((proof) => decodeJwt(proof))
    expect(first).toMatchObject({ htm: 'POST', htu: world.serverUrl })
    expect(first?.jti).not.toBe(second?.jti)
    const header = world.mcp.asked('/mcp').at(-1)?.headers.authorization ?? ''
    expect(header).toMatch(/^DPoP /)
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(header.slice(5)))
    expect(second?.ath).toBe(Buffer.from(hash).toString('base64url'))
    world.revokeAccess()
    await world.call(provider)
    const keys = [...proofs('/token'), ...proofs('/mcp')].map((proof) => JSON.stringify(jwk(proof)))
    expect(world.as.asked('/token').at(-1)?.form.get('grant_type')).toBe('refresh_token')
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).not.toContain('"d"')
  })

  it('takes nonces from both servers, once each', async () => {
    const issue = world.as.routes.get('POST /token')!
    world.as.on('POST /token', (seen) => {
      if (decodeJwt(String(seen.headers.dpop)).nonce === 'as-nonce') return issue(seen)
      return { status: 400, headers: { 'dpop-nonce': 'as-nonce' }, json: { error: 'use_dpop_nonce' } }
    })
    const accept = world.mcp.routes.get('POST /mcp')!
    world.mcp.on('POST /mcp', (seen) => {
      const { dpop } = seen.headers
      if (dpop === undefined || decodeJwt(String(dpop)).nonce === 'rs-nonce') return accept(seen)
      const headers = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'rs-nonce' }
      return { status: 401, headers }
    })
    const provider = world.provider({ dpop: true })
    const first = await Promise.all(Array.from({ length: 5 }, () => world.call(provider)))
    expect(first.map(({ status }) => status)).toEqual(Array(5).fill(200))
    expect(world.as.asked('/token')).toHaveLength(2)
    const before = world.mcp.asked('/mcp').length
    await world.call(provider)
    expect(world.mcp.asked('/mcp')).toHaveLength(before + 1)
  })

  it('a server that is never content with its own nonce gets a clear error', async () => {
    const accept = world.mcp.routes.get('POST /mcp')!
    world.mcp.on('POST /mcp', (seen) =>
      seen.headers.dpop === undefined
        ? accept(seen)
        : { status: 401, headers: { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n' } },
    )
    const failure = world.call(world.provider({ dpop: true }))
    await expect(failure).rejects.toMatchObject({ details: { check: 'dpop' } })
    expect(world.as.asked('/token')).toHaveLength(1)
  })

  it('wanted, but not given: no bearer token in its place', async () => {
    world.as.on('POST /token', (seen) => world.issue(seen))
    await expect(world.call(world.provider({ dpop: true }))).rejects.toMatchObject({
      details: { check: 'dpop' },
    })
    expect(world.mcp.asked('/mcp')).toHaveLength(1)
  })

  it('wanted, but not of our kind', async () => {
    world.metadata.dpop_signing_alg_values_supported = ['RS256']
    await expect(world.call(world.provider({ dpop: true }))).rejects.toThrow(/"ES256"/)
  })
})
