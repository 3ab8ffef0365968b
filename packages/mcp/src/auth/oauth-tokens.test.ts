import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuthWorld } from './fixtures/auth-world.test.node.ts'
import { memoryStorage } from './token-storage.ts'

let world: AuthWorld
beforeEach(async () => {
  world = await new AuthWorld().start()
})
afterEach(async () => {
  vi.useRealTimers()
  await world.stop()
})

/** A token that is refused a minute after it was issued had been accepted. */
function aMinutePasses(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
}

function grants(): (string | null)[] {
  return world.as.asked('/token').map(({ form }) => form.get('grant_type'))
}

describe('B51: signing in', () => {
  it('asks for exactly the resource of the metadata, in both requests, with PKCE', async () => {
    world.prm.resource = world.mcp.url
    expect((await world.call(world.provider())).status).toBe(200)
    const { query } = world.as.asked('/authorize')[0]!
    const { form } = world.as.asked('/token')[0]!
    expect([query.get('resource'), form.get('resource')]).toEqual([world.mcp.url, world.mcp.url])
    expect(query.get('code_challenge_method')).toBe('S256')
    const digest = await crypto.subtle.digest(
      'SHA-256',
      new TextEncoder().encode(form.get('code_verifier') ?? ''),
    )
    expect(query.get('code_challenge')).toBe(Buffer.from(digest).toString('base64url'))
  })

  it('registers as a native application that refreshes, and remembers the registration', async () => {
    const storage = memoryStorage()
    await world.call(world.provider({ storage, account: 'ann', clientMetadata: { client_name: 'Notes' } }))
    await world.call(world.provider({ storage, account: 'bob' }))
    const registrations = world.as.asked('/register').map(({ body }) => JSON.parse(body) as object)
    expect(registrations).toEqual([
      {
        client_name: 'Notes',
        redirect_uris: ['http://127.0.0.1:1/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
    ])
    const clients = world.as.asked('/authorize').map(({ query }) => query.get('client_id'))
    expect(clients).toEqual([clients[0], clients[0]])
  })

  it('registers again for another redirect URI, and refreshes with the client that got the tokens', async () => {
    const storage = memoryStorage()
    await world.call(world.provider({ storage }))
    const first = world.as.asked('/authorize')[0]?.query.get('client_id')
    const redirect = { ...world.redirect(), uri: 'http://127.0.0.1:2/callback' }
    await world.call(world.provider({ storage, account: 'bob', redirect }))
    expect(world.as.asked('/register')).toHaveLength(2)
    world.revokeAccess()
    await world.call(world.provider({ storage }))
    const refresh = world.as.asked('/token').at(-1)?.form
    expect([refresh?.get('grant_type'), refresh?.get('client_id')]).toEqual(['refresh_token', first])
  })

  it('explains a refused registration by the redirect URI', async () => {
    const json = { error: 'invalid_redirect_uri', error_description: 'no loopback here' }
    world.as.on('POST /register', () => ({ status: 400, json }))
    const failure = world.call(world.provider())
    await expect(failure).rejects.toThrow(/http:\/\/127.0.0.1:1\/callback for application_type "native"/)
  })

  it('prefers the metadata document where the server takes it, and registers where not', async () => {
    const clientMetadataUrl = 'https://app.example.com/client.json'
    world.metadata.client_id_metadata_document_supported = true
    await world.call(world.provider({ clientMetadataUrl }))
    expect(world.as.asked('/authorize')[0]?.query.get('client_id')).toBe(clientMetadataUrl)
    expect(world.as.asked('/register')).toEqual([])
    delete world.metadata.client_id_metadata_document_supported
    await world.call(world.provider({ clientMetadataUrl }))
    expect(world.as.asked('/register')).toHaveLength(1)
  })

  it('says what to do when there is no way to become known', async () => {
    delete world.metadata.registration_endpoint
    const failure = world.call(world.provider())
    await expect(failure).rejects.toMatchObject({ details: { check: 'client_registration' } })
    await expect(failure).rejects.toThrow(/give clientId/)
  })

  it('without a way to show the page fails with login_required and registers nothing', async () => {
    const provider = world.provider({ redirect: undefined as never })
    await expect(world.call(provider)).rejects.toMatchObject({ details: { check: 'login_required' } })
    expect(world.as.asked('/register')).toEqual([])
  })

  it('can be done beforehand, and undone', async () => {
    const provider = world.provider()
    expect(await provider.status()).toEqual({ signedIn: false })
    await provider.signIn()
    expect(await provider.status()).toMatchObject({ signedIn: true, issuer: world.as.url, refreshable: true })
    expect((await world.call(provider)).status).toBe(200)
    expect(world.mcp.asked('/mcp')).toHaveLength(1)
    await provider.signOut()
    expect(await provider.status()).toEqual({ signedIn: false })
    const revoked = world.as.asked('/revoke').map(({ form }) => form.get('token_type_hint'))
    expect(revoked).toEqual(['refresh_token', 'access_token'])
  })

  it('is given up when the caller gives up, and the next caller can try again', async () => {
    const abort = new AbortController()
    let closed = 0
    let opened: () => void = () => {}
    const isOpen = new Promise<void>((resolve) => {
      opened = resolve
    })
    const patient = world.redirect()
    let impatient = true
    const provider = world.provider({
      redirect: {
        uri: patient.uri,
        open: (url) => (impatient ? opened() : patient.open(url)),
        waitForCode: (expected) => (impatient ? new Promise<never>(() => {}) : patient.waitForCode(expected)),
        close() {
          closed += 1
        },
      },
    })
    const signIn = provider.signIn({ signal: abort.signal })
    await isOpen
    abort.abort(new Error('changed my mind'))
    await expect(signIn).rejects.toMatchObject({ code: 'cancelled' })
    impatient = false
    await provider.signIn()
    expect(closed).toBe(2)
  })
})

describe('B51: one refresh at a time', () => {
  it('ten calls that see 401 cause one refresh', async () => {
    const provider = world.provider()
    await world.call(provider)
    world.revokeAccess()
    const responses = await Promise.all(Array.from({ length: 10 }, () => world.call(provider)))
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect(grants()).toEqual(['authorization_code', 'refresh_token'])
  })

  it('a refusal that arrives after the refresh does not cause another', async () => {
    const provider = world.provider()
    await world.call(provider)
    const headers = new Headers()
    const late = { url: world.serverUrl, method: 'POST', headers }
    await provider.authorize(late)
    world.revokeAccess()
    await world.call(provider)
    expect(await provider.onUnauthorized(new Response(null, { status: 401 }), late)).toBe(true)
    expect(grants()).toEqual(['authorization_code', 'refresh_token'])
  })

  it('ten first calls sign the user in once', async () => {
    const provider = world.provider()
    await Promise.all(Array.from({ length: 10 }, () => world.call(provider)))
    expect(world.as.asked('/authorize')).toHaveLength(1)
  })

  it('ten calls share one refusal of the user', async () => {
    world.redirectWith = (parameters) => parameters.set('error', 'access_denied')
    const provider = world.provider()
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => world.call(provider)))
    expect(results.every(({ status }) => status === 'rejected')).toBe(true)
    expect(world.as.asked('/authorize')).toHaveLength(1)
  })

  it('two providers on one storage refresh once', async () => {
    const storage = memoryStorage()
    const [one, two] = [world.provider({ storage }), world.provider({ storage })]
    await world.call(one)
    await world.call(two)
    world.revokeAccess()
    await Promise.all([world.call(one), world.call(two), world.call(one), world.call(two)])
    expect(grants()).toEqual(['authorization_code', 'refresh_token'])
  })

  it('step-ups for different scopes happen one after another and lose nothing', async () => {
    const provider = world.provider({ scopes: ['read'] })
    await world.call(provider)
    const challenge = (scope: string): Response => {
      const headers = { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` }
      return new Response(null, { status: 403, headers })
    }
    const request = { url: world.serverUrl, method: 'POST', headers: new Headers() }
    await provider.authorize(request)
    await Promise.all(
      ['write', 'admin', 'write'].map((scope) => provider.onUnauthorized(challenge(scope), request)),
    )
    const asked = world.as.asked('/authorize').map(({ query }) => query.get('scope'))
    expect(asked).toEqual(['read', 'read write', 'read write admin'])
  })
})

describe('B51: renewal', () => {
  it('happens before the expiry, without a 401', async () => {
    world.expiresIn = 0.2
    const provider = world.provider()
    await world.call(provider)
    world.expiresIn = 3600
    await expect.poll(async () => ((await provider.status()).expiresAt ?? 0) - Date.now()).toBeLessThan(20)
    const before = world.mcp.asked('/mcp').length
    await Promise.all([world.call(provider), world.call(provider)])
    expect(grants()).toEqual(['authorization_code', 'refresh_token'])
    expect(world.mcp.asked('/mcp')).toHaveLength(before + 2)
  })

  it('keeps the refresh token when the server does not rotate it', async () => {
    world.rotate = false
    world.as.on('POST /token', async (seen) => {
      const answer = world.issue(seen) as { json: Record<string, unknown> }
      if (seen.form.get('grant_type') === 'refresh_token') delete answer.json.refresh_token
      return answer
    })
    const provider = world.provider()
    await world.call(provider)
    for (let round = 0; round < 2; round += 1) {
      aMinutePasses()
      world.revokeAccess()
      expect((await world.call(provider)).status).toBe(200)
    }
    const sent = world.as.asked('/token').slice(1)
    expect(sent.map(({ form }) => form.get('grant_type'))).toEqual(['refresh_token', 'refresh_token'])
    expect(sent[0]?.form.get('refresh_token')).toBe(sent[1]?.form.get('refresh_token'))
  })

  it('by a spent refresh token leads to a new sign-in, with the scopes that were asked for', async () => {
    world.requiredScope = 'write'
    const provider = world.provider({ scopes: ['read'] })
    await world.call(provider)
    world.revokeAccess()
    world.refreshTokens.clear()
    expect((await world.call(provider)).status).toBe(200)
    expect(grants()).toEqual([
      'authorization_code',
      'authorization_code',
      'refresh_token',
      'authorization_code',
    ])
    expect(world.as.asked('/authorize').at(-1)?.query.get('scope')).toBe('read write')
  })

  it('that fails for a passing reason keeps the tokens', async () => {
    const provider = world.provider()
    await world.call(provider)
    world.revokeAccess()
    world.as.on('POST /token', () => ({ status: 503, text: 'later' }))
    await expect(world.call(provider)).rejects.toMatchObject({
      details: { check: 'token_response', status: 503 },
    })
    world.as.on('POST /token', (seen) => world.issue(seen))
    expect((await world.call(provider)).status).toBe(200)
    expect(world.as.asked('/authorize')).toHaveLength(1)
  })

  it('survives a storage that fails to write', async () => {
    const storage = memoryStorage()
    let broken = false
    const provider = world.provider({
      storage: {
        ...storage,
        write: async (key, value) => {
          if (broken) throw new Error('disk full')
          await storage.write(key, value)
        },
      },
    })
    await world.call(provider)
    world.revokeAccess()
    broken = true
    await expect(world.call(provider)).rejects.toMatchObject({
      details: { check: 'storage', found: 'disk full' },
    })
    broken = false
    aMinutePasses()
    world.revokeAccess()
    expect((await world.call(provider)).status).toBe(200)
    expect(world.as.asked('/authorize')).toHaveLength(1)
  })

  it('uses tokens of an earlier process', async () => {
    const storage = memoryStorage()
    await world.call(world.provider({ storage }))
    expect((await world.call(world.provider({ storage }))).status).toBe(200)
    expect(world.mcp.asked('/mcp')).toHaveLength(3)
    expect(world.as.asked('/authorize')).toHaveLength(1)
  })

  it('never uses those of another account', async () => {
    const storage = memoryStorage()
    await world.call(world.provider({ storage, account: 'ann' }))
    await world.call(world.provider({ storage, account: 'bob' }))
    expect(world.as.asked('/authorize')).toHaveLength(2)
  })
})

describe('B51: scopes', () => {
  it('of the challenge come first, then those of the resource, then none', async () => {
    world.prm.scopes_supported = ['mcp:read', 'mcp:write']
    await world.call(world.provider())
    delete world.prm.scopes_supported
    await world.call(world.provider())
    const asked = world.as.asked('/authorize').map(({ query }) => query.get('scope'))
    expect(asked).toEqual(['mcp:read mcp:write', null])
  })

  it('offline_access is asked for where it is announced, with consent, and never alone', async () => {
    world.metadata.scopes_supported = ['offline_access']
    await world.call(world.provider())
    await world.call(world.provider({ scopes: ['read'] }))
    await world.call(world.provider({ scopes: ['read'], offlineAccess: false }))
    const asked = world.as.asked('/authorize').map(({ query }) => [query.get('scope'), query.get('prompt')])
    expect(asked).toEqual([
      [null, null],
      ['read offline_access', 'consent'],
      ['read', null],
    ])
  })
})

describe('revision 2025-03-26', () => {
  beforeEach(() => {
    world.mcp.routes.delete('GET /.well-known/oauth-protected-resource/mcp')
    const accept = world.mcp.routes.get('POST /mcp')!
    world.mcp.on('POST /mcp', async (seen) => ({ ...((await accept(seen)) as object), headers: {} }))
    for (const route of ['GET /authorize', 'POST /token', 'POST /register'] as const) {
      world.mcp.on(route, world.as.routes.get(route)!)
    }
    world.metadata.issuer = world.mcp.url
  })

  it('uses the default endpoints of the origin when there is no metadata', async () => {
    expect((await world.call(world.provider())).status).toBe(200)
    expect(world.mcp.seen.map(({ path }) => path)).toEqual([
      '/mcp',
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      '/register',
      '/authorize',
      '/token',
      '/mcp',
    ])
    expect(world.mcp.asked('/authorize')[0]?.query.has('resource')).toBe(false)
  })

  it('refreshes there too, in a later process', async () => {
    const storage = memoryStorage()
    await world.call(world.provider({ storage }))
    world.revokeAccess()
    expect((await world.call(world.provider({ storage }))).status).toBe(200)
    expect(world.mcp.asked('/token').at(-1)?.form.get('grant_type')).toBe('refresh_token')
  })

  it('uses a configured issuer instead, if there is one', async () => {
    world.metadata.issuer = world.as.url
    const provider = world.provider({ issuer: world.as.url })
    expect((await world.call(provider)).status).toBe(200)
    expect(world.as.asked('/token')).toHaveLength(1)
  })
})

describe('traces and errors', () => {
  it('hold no secrets', async () => {
    const secrets: string[] = ['the-secret', 'the-code']
    world.metadata.token_endpoint_auth_methods_supported = ['client_secret_post']
    world.requiredScope = 'write'
    const provider = world.provider({ clientId: 'known', clientSecret: 'the-secret', scopes: ['read'] })
    await world.call(provider)
    world.revokeAccess()
    world.as.on('POST /token', () => ({ status: 400, json: { error: 'invalid_request' } }))
    world.redirectWith = (parameters) => parameters.set('error', 'server_error')
    const error = (await world.call(provider).catch((thrown: unknown) => thrown)) as Error & {
      details: object
    }
    for (const { query, form } of world.as.seen) {
      for (const name of ['state', 'code_challenge']) secrets.push(query.get(name) ?? '')
      for (const name of ['code_verifier', 'refresh_token']) secrets.push(form.get(name) ?? '')
    }
    const text = JSON.stringify([world.steps, error.message, error.details, error.stack])
    expect(text).toContain('authorization-request')
    expect(text).not.toMatch(/access-\d|refresh-\d/)
    for (const secret of secrets.filter(Boolean)) expect(text).not.toContain(secret)
  })

  it('are told in order', async () => {
    await world.call(world.provider())
    expect(world.steps.map(({ step }) => step)).toEqual([
      'challenge',
      'resource-metadata',
      'server-metadata',
      'client',
      'authorization-request',
      'authorization-response',
      'token-request',
      'tokens',
    ])
  })

  it('a listener that throws changes nothing', async () => {
    const provider = world.provider({
      onStep() {
        throw new Error('listener')
      },
    })
    expect((await world.call(provider)).status).toBe(200)
  })
})
