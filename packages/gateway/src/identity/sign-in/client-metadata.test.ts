import { describe, expect, it } from 'vitest'
import { acceptMetadata } from './client-metadata.ts'

describe('redirect URIs', () => {
  it.each([
    'https://claude.ai/api/mcp/auth_callback',
    'http://127.0.0.1:33418/',
    'http://127.0.0.1/',
    'http://localhost:8787/callback',
    'http://[::1]:1234/cb',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/oauth',
  ])('%s is accepted', (uri) => {
    expect(acceptMetadata({ redirect_uris: [uri] }, [])?.redirect_uris).toEqual([uri])
  })

  it.each([
    'http://evil.example/cb',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'https://localhost/cb',
    'https://user:pass@example.com/cb',
    'https://example.com/cb#part',
    'https://example.com/cb\\evil',
    'https://example.com/\u0000',
    'javascript:alert(1)',
    'JavaScript:/alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://example.com/x',
    'about:blank',
    'cursor:',
    'not a uri',
    '',
    `https://example.com/${'a'.repeat(3000)}`,
  ])('%.60s is not', (uri) => {
    expect(acceptMetadata({ redirect_uris: [uri] }, [])).toBeUndefined()
    const good = 'https://example.com/cb'
    expect(acceptMetadata({ redirect_uris: [uri, good] }, [])?.redirect_uris).toEqual([good])
  })

  it.each([undefined, null, 'https://example.com/cb', {}, [], [1, null]])('%j is no set of them', (uris) => {
    expect(acceptMetadata({ redirect_uris: uris as never }, [])).toBeUndefined()
  })
})

it('what is not offered is left out, and what is not known is not kept', () => {
  const accepted = acceptMetadata(
    {
      redirect_uris: ['https://example.com/cb'],
      application_type: 'web',
      grant_types: ['authorization_code', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code', 'token'],
      scope: 'read everything',
      client_uri: 'javascript:alert(1)',
      logo_uri: 'https://example.com/logo.png',
      contacts: ['nobody'],
      client_secret: 'chosen by the client',
      require_signed_request_object: true,
    },
    ['read'],
  )
  expect(accepted).toEqual({
    redirect_uris: ['https://example.com/cb'],
    application_type: 'native',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    scope: 'read',
    logo_uri: 'https://example.com/logo.png',
  })
})
