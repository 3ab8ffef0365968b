import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Guard } from '../../transport/http/server/reply.ts'
import { call } from './fixtures/issuer-world.test.node.ts'
import { bearer, toFetchMetadataHandler, toNodeMetadataHandler } from './index.ts'

const PATH = '/.well-known/oauth-protected-resource/mcp'
const guard = bearer({
  resource: 'https://mcp.example.com/mcp',
  issuers: ['https://auth.example.com', { issuer: 'https://login.example.com/tenant' }],
  scopes: ['notes:read', 'offline_access'],
  dpop: 'required',
  algorithms: ['ES256'],
  metadata: { resource_name: 'Notes', resource_documentation: 'https://example.com/docs' },
})
const DOCUMENT = {
  resource: 'https://mcp.example.com/mcp',
  authorization_servers: ['https://auth.example.com', 'https://login.example.com/tenant'],
  scopes_supported: ['notes:read'],
  bearer_methods_supported: ['header'],
  dpop_signing_alg_values_supported: ['ES256'],
  dpop_bound_access_tokens_required: true,
  resource_name: 'Notes',
  resource_documentation: 'https://example.com/docs',
}

describe('protected-resource metadata', () => {
  it('is a guard for the HTTP transport', () => {
    const assignable: Guard = guard
    expect(assignable).toBe(guard)
  })

  it('says what RFC 9728 wants', () => {
    expect(guard.metadata).toEqual(DOCUMENT)
    expect(guard.metadataPath).toBe(PATH)
  })

  it.each([
    ['https://mcp.example.com', '/.well-known/oauth-protected-resource'],
    ['https://mcp.example.com/', '/.well-known/oauth-protected-resource'],
    ['https://mcp.example.com:8443/a/b', '/.well-known/oauth-protected-resource/a/b'],
  ])('of %s is at %s', async (resource, path) => {
    const other = bearer({ resource, issuer: 'https://auth.example.com' })
    expect(other.metadataPath).toBe(path)
    const verdict = await other(call())
    const url = new URL(path, resource).href
    expect(!verdict.ok && verdict.headers['www-authenticate']).toBe(`Bearer resource_metadata="${url}"`)
  })

  it('may be somewhere else', async () => {
    const metadataUrl = 'https://meta.example.com/mcp.json'
    const other = bearer({ resource: 'https://h/mcp', issuer: 'https://auth.example.com', metadataUrl })
    const verdict = await other(call())
    expect(!verdict.ok && verdict.headers['www-authenticate']).toBe(
      `Bearer resource_metadata="${metadataUrl}"`,
    )
  })

  it('is served by the guard itself, to anybody', async () => {
    for (const url of [PATH, `${PATH}?x=1`, '/.well-known/oauth-protected-resource']) {
      const verdict = await guard({ method: 'GET', url, headers: {} })
      expect(verdict).toMatchObject({ ok: false, status: 200 })
      expect(!verdict.ok && JSON.parse(verdict.body!)).toEqual(DOCUMENT)
    }
    expect(await guard({ method: 'GET', url: `${PATH}/x`, headers: {} })).toMatchObject({ status: 401 })
  })

  it('is served to Web requests', async () => {
    const handle = toFetchMetadataHandler(guard)
    const response = handle(new Request(`https://mcp.example.com${PATH}`))
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toEqual(DOCUMENT)
    expect(handle(new Request('https://mcp.example.com/other')).status).toBe(404)
    expect(handle(new Request(`https://mcp.example.com${PATH}`, { method: 'OPTIONS' })).status).toBe(204)
    expect(handle(new Request(`https://mcp.example.com${PATH}`, { method: 'POST' })).status).toBe(405)
  })

  it('is served by node:http', async () => {
    const server = createServer(toNodeMetadataHandler(guard))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      expect(await (await fetch(origin + PATH)).json()).toEqual(DOCUMENT)
      expect((await fetch(`${origin}/other`)).status).toBe(404)
      expect(await (await fetch(origin + PATH, { method: 'HEAD' })).text()).toBe('')
    } finally {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    }
  })
})
