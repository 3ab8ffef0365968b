import { describe, expect, it } from 'vitest'
import { covers, resourceMetadataUrls } from './resource-metadata.ts'
import { serverMetadataUrls } from './server-metadata.ts'

describe('where metadata is looked for', () => {
  it.each([
    [
      'https://h/public/mcp',
      [
        'https://h/.well-known/oauth-protected-resource/public/mcp',
        'https://h/.well-known/oauth-protected-resource',
      ],
    ],
    ['https://h', ['https://h/.well-known/oauth-protected-resource']],
    [
      'https://h:8443/mcp?tenant=1',
      [
        'https://h:8443/.well-known/oauth-protected-resource/mcp?tenant=1',
        'https://h:8443/.well-known/oauth-protected-resource',
      ],
    ],
  ])('the resource metadata of %s', (server, expected) => {
    expect(resourceMetadataUrls(new URL(server)).map(String)).toEqual(expected)
  })

  it.each([
    [
      'https://a',
      ['https://a/.well-known/oauth-authorization-server', 'https://a/.well-known/openid-configuration'],
    ],
    [
      'https://a/',
      ['https://a/.well-known/oauth-authorization-server', 'https://a/.well-known/openid-configuration'],
    ],
    [
      'https://a/tenant1',
      [
        'https://a/.well-known/oauth-authorization-server/tenant1',
        'https://a/.well-known/openid-configuration/tenant1',
        'https://a/tenant1/.well-known/openid-configuration',
      ],
    ],
    // A path that looks like a host stays a path.
    [
      'https://a//169.254.169.254',
      [
        'https://a/.well-known/oauth-authorization-server//169.254.169.254',
        'https://a/.well-known/openid-configuration//169.254.169.254',
        'https://a//169.254.169.254/.well-known/openid-configuration',
      ],
    ],
    [
      'https://a//[',
      [
        'https://a/.well-known/oauth-authorization-server//[',
        'https://a/.well-known/openid-configuration//[',
        'https://a//[/.well-known/openid-configuration',
      ],
    ],
  ])('the metadata of issuer %s', (issuer, expected) => {
    expect(serverMetadataUrls(new URL(issuer)).map(String)).toEqual(expected)
  })
})

describe('covers', () => {
  const server = new URL('https://h.example/a/mcp')
  it.each([
    'https://h.example/a/mcp',
    'https://h.example/a/mcp/',
    'https://h.example/a',
    'https://h.example/',
    'https://h.example',
    'HTTPS://H.EXAMPLE/a/mcp',
    'https://h.example:443/a/mcp',
  ])('%s covers the endpoint', (resource) => {
    expect(covers(resource, server)).toBe(true)
  })

  it.each([
    'https://evil.example/a/mcp',
    'http://h.example/a/mcp',
    'https://h.example:444/a/mcp',
    'https://h.example/a/mc',
    'https://h.example/a/mcp/deeper',
    'https://h.example/b',
    'https://h.example/a/mcp#x',
    'https://h.example/a/mcp?x=1',
    'https://h.example.evil.example/a/mcp',
    'https://user@h.example/a/mcp',
    'h.example/a/mcp',
    '',
  ])('%j does not', (resource) => {
    expect(covers(resource, server)).toBe(false)
  })
})
