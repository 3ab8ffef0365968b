import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AuthWorld } from './fixtures/auth-world.test.node.ts'
import { memoryStorage } from './tokens/token-storage.ts'

let world: AuthWorld
beforeEach(async () => {
  world = await new AuthWorld().start()
})
afterEach(() => world.stop())

describe('signing in', () => {
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

describe('scopes', () => {
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
