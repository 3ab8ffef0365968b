import { describe, expect, it } from 'vitest'
import { checkUrl } from './safe-url.ts'

const PUBLIC = { serverUrl: new URL('https://mcp.example.com/mcp'), trustedHosts: [] }
const LOCAL = { serverUrl: new URL('http://localhost:3000/mcp'), trustedHosts: [] }

describe('checkUrl', () => {
  it.each(['https://auth.example.com/tenant1', 'https://8.8.8.8/', 'https://[2606:4700::1111]/x?y=z'])(
    'allows %s to a public server',
    (url) => {
      expect(checkUrl(url, 'It', PUBLIC).href).toBe(new URL(url).href)
    },
  )

  it.each<[unknown, string]>([
    ['http://auth.example.com/', 'plain HTTP'],
    ['http://127.0.0.1:8080/', 'loopback by HTTP'],
    ['http://localhost/', 'loopback by HTTP'],
    ['https://localhost/', 'loopback'],
    ['https://192.168.1.1/admin', 'a private address'],
    ['https://10.0.0.1/', 'a private address'],
    ['https://172.20.0.1/', 'a private address'],
    ['https://169.254.169.254/latest', 'link-local'],
    ['https://0x7f.1/', 'loopback in disguise'],
    ['https://2130706433/', 'loopback as a number'],
    ['https://0.0.0.0/', 'the unspecified address'],
    ['https://[::1]/', 'IPv6 loopback'],
    ['https://[fd00::1]/', 'a private IPv6 address'],
    ['https://[::ffff:10.0.0.1]/', 'a mapped private address'],
    ['https://localhost./', 'loopback with a final dot'],
    ['https://LOCALHOST/', 'loopback in capitals'],
    ['https://foo.localhost./', 'a name below loopback'],
    ['https://[64:ff9b::7f00:1]/', 'loopback behind NAT64'],
    ['https://[2002:7f00:1::]/', 'loopback by 6to4'],
    ['https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/', 'Teredo'],
    ['https://[::127.0.0.1]/', 'an IPv4-compatible address'],
    ['https://192.0.0.8/', 'an address of a protocol'],
    ['https://198.18.0.1/', 'an address for benchmarks'],
    ['https://224.0.0.1/', 'multicast'],
    ['https://255.255.255.255/', 'broadcast'],
    ['https://metadata.google.internal/', 'a name of a private network'],
    ['https://user:secret@auth.example.com/', 'credentials'],
    ['https://auth.example.com/#x', 'a fragment'],
    ['javascript:alert(1)', 'a script'],
    ['file:///etc/passwd', 'a file'],
    ['auth.example.com', 'no scheme'],
    [undefined, 'nothing'],
    [42, 'a number'],
  ])('refuses %s to a public server (%s)', (url) => {
    expect(() => checkUrl(url, 'It', PUBLIC)).toThrow(
      expect.objectContaining({ code: 'oauth', details: expect.objectContaining({ check: 'unsafe_url' }) }),
    )
  })

  it('allows loopback by HTTP to a server on loopback, and nothing else by HTTP', () => {
    expect(checkUrl('http://127.0.0.1:9000/', 'It', LOCAL).port).toBe('9000')
    expect(checkUrl('http://[::1]:9000/', 'It', LOCAL).port).toBe('9000')
    expect(() => checkUrl('http://10.0.0.1/', 'It', LOCAL)).toThrow(/HTTPS/)
    expect(() => checkUrl('http://localhost.evil.example/', 'It', LOCAL)).toThrow(/HTTPS/)
  })

  it('allows what the user trusts', () => {
    const policy = { ...PUBLIC, trustedHosts: ['keycloak:8080', 'auth.internal'] }
    expect(checkUrl('http://keycloak:8080/realms/x', 'It', policy).port).toBe('8080')
    expect(checkUrl('http://auth.internal/', 'It', policy).hostname).toBe('auth.internal')
    expect(() => checkUrl('http://keycloak:8081/', 'It', policy)).toThrow()
  })
})
