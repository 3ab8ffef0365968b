import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { McpError } from '../jsonrpc/index.ts'
import { AuthWorld, TestServer } from './fixtures/auth-world.test.node.ts'
import type { OAuthCheck } from './http/oauth-error.ts'
import type { OAuthOptions } from './oauth-options.ts'

let world: AuthWorld
beforeEach(async () => {
  world = await new AuthWorld().start()
})
afterEach(() => world.stop())

/** The call fails with this check, and no token request was made. */
async function refused(check: OAuthCheck, options: OAuthOptions = {}): Promise<McpError> {
  const error = await world.call(world.provider(options)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(McpError)
  const { code, details } = error as McpError
  expect({ code, check: details.check }).toEqual({ code: 'oauth', check })
  expect(world.as.asked('/token')).toEqual([])
  return error as McpError
}

describe('hostile resource metadata', () => {
  it('about another server: nobody is asked for a token', async () => {
    world.prm.resource = 'https://evil.example.com/mcp'
    const error = await refused('resource_mismatch')
    expect(error.message).toContain('"https://evil.example.com/mcp"')
    expect(error.message).toContain(world.serverUrl)
    expect(world.as.seen).toEqual([])
  })

  it('at a place that is not ours to visit', async () => {
    const challenge = 'Bearer resource_metadata="http://169.254.169.254/latest/meta-data"'
    world.mcp.on('POST /mcp', () => ({ status: 401, headers: { 'www-authenticate': challenge } }))
    await refused('unsafe_url')
  })

  it('named but missing, empty, or without authorization servers', async () => {
    world.mcp.routes.delete('GET /.well-known/oauth-protected-resource/mcp')
    expect((await refused('resource_metadata')).message).toContain('HTTP status 404')
    world.mcp.on('GET /.well-known/oauth-protected-resource/mcp', () => ({ json: {} }))
    await refused('resource_metadata')
    world.mcp.on('GET /.well-known/oauth-protected-resource/mcp', () => ({
      json: { resource: world.serverUrl, authorization_servers: [] },
    }))
    await refused('resource_metadata')
  })

  it('that breaks does not force the older way', async () => {
    world.mcp.on('POST /mcp', () => ({ status: 401 }))
    world.mcp.on('GET /.well-known/oauth-protected-resource/mcp', () => ({ status: 500, text: 'oops' }))
    expect((await refused('network')).message).toContain('500')
    expect(world.mcp.asked('/authorize')).toEqual([])
  })

  it('of endless size is not read to its end', async () => {
    world.prm.padding = 'x'.repeat(400_000)
    await refused('too_large')
  })

  it('with levels without end is not looked at', async () => {
    world.prm.deep = JSON.parse('['.repeat(2_000) + ']'.repeat(2_000))
    expect((await refused('too_large')).message).toContain('levels')
  })

  it('that never comes ends at the time limit', async () => {
    world.mcp.on('GET /.well-known/oauth-protected-resource/mcp', () => 'hang')
    expect((await refused('timeout', { timeout: 60 })).message).toContain('60 ms')
  })

  it('that is redirected to another origin is not followed', async () => {
    const elsewhere = await new TestServer().start()
    world.mcp.on('GET /.well-known/oauth-protected-resource/mcp', () => ({
      status: 302,
      headers: { location: `${elsewhere.url}/prm` },
    }))
    await refused('resource_metadata')
    expect(elsewhere.seen).toEqual([])
    await elsewhere.stop()
  })

  it('that is redirected within its origin is followed', async () => {
    world.mcp.on('GET /.well-known/oauth-protected-resource/mcp', () => ({
      status: 308,
      headers: { location: '/prm' },
    }))
    world.mcp.on('GET /prm', () => ({ json: world.prm }))
    expect((await world.call(world.provider())).status).toBe(200)
  })
})

describe('hostile authorization server metadata', () => {
  it.each([
    ['another issuer', () => 'https://attacker.example.com'],
    ['none', () => undefined],
    ['the issuer with a slash', () => `${world.as.url}/`],
    ['the issuer in capitals', () => world.as.url.toUpperCase()],
  ])('with %s is not used', async (_, issuer) => {
    world.metadata.issuer = issuer()
    const error = await refused('issuer_mismatch')
    expect(error.details.url).toBe(`${world.as.url}/.well-known/oauth-authorization-server`)
    expect(world.as.asked('/register')).toEqual([])
  })

  it('with another issuer is used when the user maps the one to the other', async () => {
    world.metadata.issuer = `${world.as.url}/`
    const provider = world.provider({ issuerAliases: { [world.as.url]: `${world.as.url}/` } })
    expect((await world.call(provider)).status).toBe(200)
  })

  it.each([
    ['without PKCE', undefined],
    ['with plain PKCE only', ['plain']],
    ['with PKCE that is no list', 'S256'],
  ])('%s: no authorization', async (_, methods) => {
    world.metadata.code_challenge_methods_supported = methods
    await refused('pkce_unsupported')
    expect(world.as.asked('/authorize')).toEqual([])
    expect(world.as.asked('/register')).toEqual([])
  })

  it.each([
    ['token_endpoint', 'http://auth.example.com/token'],
    ['authorization_endpoint', 'http://auth.example.com/authorize'],
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['registration_endpoint', 'file:///etc/passwd'],
    ['token_endpoint', 42],
  ])('with %s %s: nothing is sent', async (name, value) => {
    world.metadata[name] = value
    await refused('unsafe_url')
    expect(world.as.seen).toHaveLength(1)
  })

  it('that is nowhere: the error says where it was looked for', async () => {
    world.as.routes.delete('GET /.well-known/oauth-authorization-server')
    const { message } = await refused('server_metadata')
    expect(message).toContain('/.well-known/oauth-authorization-server: HTTP status 404')
    expect(message).toContain('/.well-known/openid-configuration: HTTP status 404')
  })

  it('that is a web page counts as none', async () => {
    world.as.on('GET /.well-known/oauth-authorization-server', () => ({
      headers: { 'content-type': 'text/html' },
      text: '<!doctype html>',
    }))
    world.as.on('GET /.well-known/openid-configuration', () => ({ json: world.metadata }))
    expect((await world.call(world.provider())).status).toBe(200)
  })

  it('without a token endpoint', async () => {
    delete world.metadata.token_endpoint
    await refused('server_metadata')
  })
})

describe('hostile authorization responses', () => {
  it.each<[string, boolean | undefined, (parameters: URLSearchParams) => void]>([
    ['announced and missing', true, (parameters) => parameters.delete('iss')],
    ['announced and wrong', true, (parameters) => parameters.set('iss', 'https://evil.example.com')],
    ['not announced and wrong', undefined, (parameters) => parameters.set('iss', 'https://evil.example.com')],
    ['with a slash more', true, (parameters) => parameters.set('iss', `${parameters.get('iss')}/`)],
    ['empty', undefined, (parameters) => parameters.set('iss', '')],
    ['twice', true, (parameters) => parameters.append('iss', String(parameters.get('iss')))],
  ])('iss %s: the code is not used', async (_, announced, bend) => {
    world.metadata.authorization_response_iss_parameter_supported = announced
    world.redirectWith = bend
    await refused('response_issuer')
  })

  it('iss neither announced nor sent: fine', async () => {
    delete world.metadata.authorization_response_iss_parameter_supported
    world.redirectWith = (parameters) => parameters.delete('iss')
    expect((await world.call(world.provider())).status).toBe(200)
  })

  it('an error from the wrong issuer is not shown', async () => {
    world.redirectWith = (parameters) => {
      parameters.set('iss', 'https://evil.example.com')
      parameters.set('error', 'access_denied')
      parameters.set('error_description', 'Call +1 555 0100 now')
    }
    expect((await refused('response_issuer')).message).not.toContain('Call +1')
  })

  it('an error from the right one is', async () => {
    world.redirectWith = (parameters) => {
      parameters.delete('code')
      parameters.set('error', 'access_denied')
      parameters.set('error_description', 'Not on\u0007 Sundays')
    }
    const error = await refused('authorization_denied')
    expect(error.details.error).toBe('access_denied')
    expect(error.message).toContain('"Not on  Sundays"')
  })

  it.each<[string, (parameters: URLSearchParams) => void]>([
    ['another one', (parameters) => parameters.set('state', 'guess')],
    ['none', (parameters) => parameters.delete('state')],
    ['two', (parameters) => parameters.append('state', String(parameters.get('state')))],
  ])('state %s: the code is not used', async (_, bend) => {
    world.redirectWith = bend
    await refused('response_state')
  })

  it('no code at all', async () => {
    world.redirectWith = (parameters) => parameters.delete('code')
    await refused('authorization_response')
  })

  it('a user who never comes back', async () => {
    const redirect = { ...world.redirect(), waitForCode: () => new Promise<never>(() => {}) }
    await refused('timeout', { redirect, signInTimeout: 40 })
  })
})

describe('nothing goes to the wrong place', () => {
  it('a token endpoint that redirects gets no second chance elsewhere', async () => {
    const thief = await new TestServer().start()
    thief.on('POST /token', () => ({ json: { access_token: 'x', token_type: 'Bearer' } }))
    world.as.on('POST /token', () => ({ status: 307, headers: { location: `${thief.url}/token` } }))
    await expect(world.call(world.provider())).rejects.toMatchObject({ details: { check: 'redirected' } })
    expect(thief.seen).toEqual([])
    await thief.stop()
  })

  it('a request to another origin gets no token', async () => {
    const provider = world.provider()
    await world.call(provider)
    const headers = new Headers()
    const request = { url: 'https://evil.example.com/mcp', method: 'POST', headers }
    await expect(provider.authorize(request)).rejects.toMatchObject({ details: { check: 'wrong_server' } })
    expect([...headers]).toEqual([])
  })

  it('no token is obtained for, or sent to, a server that is reached in the clear', async () => {
    const url = 'http://mcp.example.com/mcp'
    const provider = world.provider({ serverUrl: url })
    const request = { url, method: 'POST', headers: new Headers() }
    await provider.authorize(request)
    const refusal = provider.onUnauthorized(new Response(null, { status: 401 }), request)
    await expect(refusal).rejects.toMatchObject({ details: { check: 'unsafe_url' } })
    await expect(refusal).rejects.toThrow(/trustedHosts/)
  })

  it('credentials given for one issuer are not shown to another', async () => {
    const credentials = { clientId: 'known', clientSecret: 'the-secret', issuer: 'https://auth.example.com' }
    const error = await refused('client_issuer_mismatch', credentials)
    expect(error.message).not.toContain('the-secret')
    expect(world.as.seen).toEqual([])
  })

  it('credentials given without an issuer stay with the first one', async () => {
    world.metadata.token_endpoint_auth_methods_supported = ['client_secret_basic']
    const provider = world.provider({ clientId: 'known', clientSecret: 'the-secret' })
    expect((await world.call(provider)).status).toBe(200)
    const other = await new AuthWorld().start()
    world.prm.authorization_servers = [other.as.url]
    world.revokeAccess()
    await expect(world.call(provider)).rejects.toMatchObject({ details: { check: 'client_issuer_mismatch' } })
    expect(other.as.seen.map(({ path }) => path)).toEqual(['/.well-known/oauth-authorization-server'])
    await other.stop()
  })

  it('a registration is made anew at another server, and neither it nor the refresh token travels', async () => {
    const provider = world.provider()
    await world.call(provider)
    const other = await new AuthWorld().start()
    other.as.on('POST /register', () => ({ status: 201, json: { client_id: 'client-of-other' } }))
    other.as.on('POST /token', (seen) => world.issue(seen))
    world.prm.authorization_servers = [other.as.url]
    world.revokeAccess()
    expect((await world.call(provider)).status).toBe(200)
    expect(other.as.asked('/authorize')[0]?.query.get('client_id')).toBe('client-of-other')
    expect(other.as.asked('/token').map(({ form }) => form.get('grant_type'))).toEqual(['authorization_code'])
    expect(JSON.stringify(other.as.seen)).not.toContain('refresh-')
    await other.stop()
  })

  it('a workload assertion for another audience is not sent', async () => {
    const payload = btoa(JSON.stringify({ aud: 'https://other.example.com' })).replace(/=+$/, '')
    const assertion = `${btoa('{"alg":"none"}').replace(/=+$/, '')}.${payload}.x`
    const options: OAuthOptions = { grant: { type: 'jwt-bearer', assertion }, clientId: 'workload' }
    await refused('client_issuer_mismatch', options)
  })
})

describe('a server that refuses everything', () => {
  it('is given three tokens, then up', async () => {
    world.mcp.on('POST /mcp', () => ({
      status: 401,
      headers: {
        'www-authenticate': `Bearer resource_metadata="${world.mcp.url}/.well-known/oauth-protected-resource/mcp"`,
      },
    }))
    await expect(world.call(world.provider())).rejects.toMatchObject({
      details: { check: 'too_many_attempts' },
    })
    expect(world.as.asked('/authorize').length).toBeLessThanOrEqual(3)
  })

  it('wants scopes that it then does not honour: asked once, and the error names them', async () => {
    const provider = world.provider()
    await world.call(provider)
    world.mcp.on('POST /mcp', () => ({
      status: 403,
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="admin"' },
    }))
    const error = await world.call(provider).catch((thrown: McpError) => thrown)
    expect(error).toMatchObject({ details: { check: 'insufficient_scope', expected: 'scopes "admin"' } })
    expect(world.as.asked('/authorize')).toHaveLength(2)
  })

  it('wants other scopes every time: sign-in pages are not opened without end', async () => {
    const provider = world.provider()
    await world.call(provider)
    let count = 0
    world.mcp.on('POST /mcp', () => ({
      status: 403,
      headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="s${++count}"` },
    }))
    const failure = world.call(provider)
    await expect(failure).rejects.toMatchObject({ details: { check: 'too_many_attempts' } })
    expect(world.as.asked('/authorize').length).toBeLessThanOrEqual(6)
  })

  it('forbids for other reasons: not our business', async () => {
    world.mcp.on('POST /mcp', () => ({ status: 403 }))
    expect((await world.call(world.provider())).status).toBe(403)
    expect(world.as.seen).toEqual([])
  })
})
