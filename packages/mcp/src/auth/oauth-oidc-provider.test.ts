import { exportJWK, exportPKCS8, generateKeyPair } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { OidcWorld } from './fixtures/oidc-world.test.node.ts'
import { oauth } from './oauth.ts'
import type { OAuthOptions } from './oauth-options.ts'
import type { OAuthProvider } from './oauth-provider.ts'

let world: OidcWorld
afterEach(async () => {
  vi.useRealTimers()
  await world.stop()
})

function provider(options: OAuthOptions = {}): OAuthProvider {
  return oauth({ serverUrl: world.serverUrl, redirect: world.redirect(), ...options })
}

async function token(
  response: Response,
): Promise<{ value: string; aud: string; scope: string; accountId: string }> {
  expect(response.status).toBe(200)
  return (await response.json()) as { value: string; aud: string; scope: string; accountId: string }
}

describe('with a real authorization server (oidc-provider)', () => {
  it('signs a user in by code and PKCE, for the audience of the MCP server', async () => {
    world = await new OidcWorld().start()
    const auth = provider()
    const accepted = await token(await world.call(auth))
    expect(accepted).toMatchObject({ accountId: 'ann', aud: world.serverUrl, scope: 'notes:read' })
    expect(world.grants).toEqual(['authorization_code'])
    expect(world.authorizations[0]?.get('code_challenge_method')).toBe('S256')
    expect(await auth.status()).toMatchObject({ signedIn: true, issuer: world.issuer, refreshable: true })
  })

  it('refreshes once for ten calls, and the rotated token still works afterwards', async () => {
    world = await new OidcWorld().start()
    const auth = provider()
    for (let round = 1; round <= 3; round += 1) {
      const { value } = await token(await world.call(auth))
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 20_000 })
      await world.revoke(value, 'access')
      const responses = await Promise.all(Array.from({ length: 10 }, () => world.call(auth)))
      expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200))
      expect(world.grants).toEqual(['authorization_code', ...Array(round).fill('refresh_token')])
    }
    expect(world.errors).toEqual([])
    expect(world.authorizations).toHaveLength(1)
  })

  it('refreshes before the expiry, so that no call meets it', async () => {
    world = await new OidcWorld().start()
    const auth = provider()
    const { value } = await token(await world.call(auth))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_580_000 })
    const renewed = await token(await world.call(auth))
    expect(renewed.value).not.toBe(value)
    expect(world.grants).toEqual(['authorization_code', 'refresh_token'])
  })

  it('steps up when more scope is wanted and keeps what it had', async () => {
    world = await new OidcWorld().start()
    const auth = provider()
    await token(await world.call(auth))
    const stepped = await token(await world.call(auth, '?write'))
    expect(stepped.scope.split(' ').sort()).toEqual(['notes:read', 'notes:write'])
    expect(world.grants).toEqual(['authorization_code', 'authorization_code'])
    await token(await world.call(auth))
    expect(world.grants).toHaveLength(2)
  })

  it('signs in again when the grant was revoked', async () => {
    world = await new OidcWorld().start()
    const auth = provider()
    const { value } = await token(await world.call(auth))
    await world.revoke(value, 'grant')
    await token(await world.call(auth))
    expect(world.grants).toEqual(['authorization_code', 'authorization_code'])
    expect(world.errors).toEqual(['refresh_token'])
  })

  it('revokes its tokens at sign-out', async () => {
    world = await new OidcWorld().start()
    const auth = provider()
    const { value } = await token(await world.call(auth))
    await auth.signOut()
    expect(await world.token(value)).toBeUndefined()
    expect(await auth.status()).toEqual({ signedIn: false })
  })

  it('reports the user’s refusal', async () => {
    world = await new OidcWorld().start()
    const auth = provider({ redirect: world.redirect({ refuses: true }) })
    const failure = world.call(auth)
    await expect(failure).rejects.toMatchObject({
      details: { check: 'authorization_denied', error: 'access_denied' },
    })
    expect(world.grants).toEqual([])
  })

  it('is told that the server issues no tokens for another resource', async () => {
    world = await new OidcWorld().start()
    world.issuesFor = 'https://other.example.com/mcp'
    await expect(world.call(provider())).rejects.toMatchObject({ details: { error: 'invalid_target' } })
    expect(world.grants).toEqual([])
  })

  it('obtains a token for itself by a signed assertion', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = { ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'k' }
    const client = {
      client_id: 'batch',
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks: { keys: [jwk] },
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    }
    world = await new OidcWorld().start({ clients: [client] })
    const key = { key: await exportPKCS8(privateKey), algorithm: 'ES256', keyId: 'k' }
    const auth = provider({
      grant: 'private_key_jwt',
      clientId: 'batch',
      privateKey: key,
      issuer: world.issuer,
    })
    const { aud, scope } = await token(await world.call(auth))
    expect({ aud, scope }).toEqual({ aud: world.serverUrl, scope: 'notes:read' })
    expect(world.grants).toEqual(['client_credentials'])
  })

  it('binds tokens to a key, with the server’s nonces, and refreshes them', async () => {
    const dPoP = { enabled: true, nonceSecret: Buffer.alloc(32, 1), requireNonce: () => true }
    world = await new OidcWorld().start({ features: { dPoP } })
    const auth = provider({ dpop: true })
    const { value } = await token(await world.call(auth))
    expect((await world.token(value))?.jkt).toMatch(/^[\w-]{43}$/)
    await world.revoke(value, 'access')
    await token(await world.call(auth))
    expect(world.grants).toEqual(['authorization_code', 'refresh_token'])
  })
})
