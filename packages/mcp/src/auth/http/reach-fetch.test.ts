import dns from 'node:dns'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OAuthHttp } from './oauth-http.ts'
import { oauth } from '../oauth.ts'
import { Issuer } from '../guard/issuer.ts'

/** A resolver in which every name of `.example` is at an address that the test chooses. */
let addresses: Record<string, string[]>
let server: Server
let port: number
let connections: number
let answer: string

beforeEach(async () => {
  connections = 0
  answer = '{"ok":true}'
  addresses = {}
  server = createServer((_, response) => response.end(answer))
  server.on('connection', () => (connections += 1))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  vi.spyOn(dns, 'lookup').mockImplementation(((
    name: string,
    options: { all?: boolean },
    done: (error: Error | null, ...found: unknown[]) => void,
  ) => {
    const found = (addresses[name] ?? []).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }))
    const [first] = found
    if (!first) return done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }))
    return options.all ? done(null, found) : done(null, first.address, first.family)
  }) as unknown as typeof dns.lookup)
})

afterEach(async () => {
  vi.restoreAllMocks()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function httpFrom(serverUrl: string, trustedHosts: string[] = []): OAuthHttp {
  return new OAuthHttp({ serverUrl: new URL(serverUrl), trustedHosts, timeoutMs: 5000, maxBytes: 10_000 })
}

const UNSAFE = expect.objectContaining({
  code: 'oauth',
  details: expect.objectContaining({ check: 'unsafe_url' }),
})

describe('a name that a stranger gives', () => {
  it.each([
    ['this machine', ['127.0.0.1']],
    ['this machine by IPv6', ['::1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['a private network', ['10.1.2.3']],
    ['the metadata of a cloud', ['169.254.169.254']],
    ['a private IPv6 network', ['fd00::1']],
    ['a public address and this machine', ['203.0.114.1', '127.0.0.1']],
  ])('is not connected to when it leads to %s', async (_, found) => {
    addresses['inner.example'] = found
    const url = `https://inner.example:${port}/x`
    const http = httpFrom('https://mcp.example/mcp')
    await expect(http.get(new URL(url), 'It')).rejects.toThrow(UNSAFE)
    await expect(http.sender('It')(url, { method: 'POST', body: 'a=b' })).rejects.toThrow(UNSAFE)
    expect(connections).toBe(0)
  })

  it('is looked up once for a connection: what is checked is what is connected to', async () => {
    addresses['inner.example'] = ['127.0.0.1']
    const http = httpFrom('http://127.0.0.1/mcp', ['inner.example'])
    expect((await http.get(new URL(`http://inner.example:${port}/`), 'It')).status).toBe(200)
    expect(vi.mocked(dns.lookup)).not.toHaveBeenCalledTimes(2)
    expect(connections).toBe(1)
  })

  it('does not use a connection that was made for a host of the user', async () => {
    addresses['inner.example'] = ['127.0.0.1']
    const url = new URL(`https://inner.example:${port}/`)
    await httpFrom('https://mcp.example/mcp', ['inner.example'])
      .get(url, 'It')
      .catch(() => {})
    const made = connections
    await expect(httpFrom('https://mcp.example/mcp').get(url, 'It')).rejects.toThrow(UNSAFE)
    expect([made, connections]).toEqual([1, 1])
  })

  it('may be at a private address when the user trusts its host, or chose it', async () => {
    addresses['inner.example'] = ['127.0.0.1']
    const url = new URL(`http://inner.example:${port}/`)
    for (const http of [
      httpFrom('https://mcp.example/mcp', ['inner.example']),
      httpFrom('https://mcp.example/mcp', [`inner.example:${port}`]),
      httpFrom(`http://inner.example:${port}/mcp`),
    ]) {
      const response = await http.get(url, 'It')
      expect(await response.json()).toEqual({ ok: true })
    }
  })

  it('says so when it does not exist', async () => {
    await expect(httpFrom('https://mcp.example').get(new URL('https://none.example/'), 'It')).rejects.toThrow(
      /cannot be reached.*ENOTFOUND/s,
    )
  })
})

describe('signing in', () => {
  it('does not follow the metadata of a server to a name inside the network', async () => {
    addresses['mcp.example'] = ['127.0.0.1']
    addresses['inner.example'] = ['127.0.0.1']
    const provider = oauth({
      serverUrl: 'https://mcp.example/mcp',
      grant: 'client_credentials',
      clientId: 'x',
      clientSecret: 'y',
    })
    const response = new Response('', {
      status: 401,
      headers: { 'www-authenticate': `Bearer resource_metadata="https://inner.example:${port}/"` },
    })
    await expect(
      provider.onUnauthorized!(response, { url: 'https://mcp.example/mcp', method: 'POST' }),
    ).rejects.toThrow(UNSAFE)
    expect(connections).toBe(0)
  })
})

describe('the keys of an issuer', () => {
  const keyOf = async (issuer: Issuer): Promise<unknown> => {
    const keys = await issuer.keys()
    return keys({ alg: 'ES256' }, { payload: '', signature: '' })
  }

  it('are not loaded from a name inside the network that its metadata gives', async () => {
    addresses['issuer.example'] = ['127.0.0.1']
    addresses['keys.example'] = ['127.0.0.1']
    const name = `http://issuer.example:${port}`
    answer = JSON.stringify({ issuer: name, jwks_uri: `https://keys.example:${port}/` })
    await expect(keyOf(new Issuer(name, httpFrom(name, ['issuer.example'])))).rejects.toThrow(UNSAFE)
    expect(connections).toBe(1)
  })

  it('may be anywhere when the operator wrote their address', async () => {
    addresses['keys.example'] = ['127.0.0.1']
    const http = httpFrom('https://issuer.example')
    await keyOf(new Issuer('https://issuer.example', http, `https://keys.example:${port}/`)).catch(() => {})
    expect(connections).toBe(1)
  })
})
