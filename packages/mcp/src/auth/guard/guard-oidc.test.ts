import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from '../../transport/client.ts'
import { type NodeHandler, toNodeHandler } from '../../transport/node-handler.node.ts'
import { Server, tool } from '../../transport/server.ts'
import { OidcWorld } from '../fixtures/oidc-world.test.node.ts'
import { type OAuthOptions, oauth } from '../index.ts'
import { bearer, type BearerOptions, type Refusal } from './index.ts'

let world: OidcWorld
let http: HttpServer
let handler: NodeHandler
let refusals: Refusal[]

afterEach(async () => {
  handler.close()
  for (const stop of [() => http.closeAllConnections(), () => world.stop()]) await stop()
  await new Promise((done) => http.close(done))
})

const app = new Server({
  name: 'notes',
  tools: {
    whoami: tool({ run: (_args, ctx) => `${ctx.auth?.principal} ${ctx.auth?.scopes.join(',')}` }),
    token: tool({ run: (_args, ctx) => ctx.auth!.token! }),
    publish: tool({ scopes: ['notes:write'], run: () => 'published' }),
  },
})

const MCP_SERVER = {
  client_id: 'mcp',
  client_secret: 'mcp-secret',
  redirect_uris: [],
  response_types: [],
  grant_types: [],
}

/** A real authorization server, and our server behind our guard. Returns the URL of the latter. */
async function start(
  options: { format: 'jwt' | 'opaque'; dPoP?: object },
  guardOptions: Partial<BearerOptions> = {},
): Promise<string> {
  http = createServer()
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const resourceServer = {
    scope: 'notes:read notes:write',
    audience: url,
    accessTokenTTL: 600,
    accessTokenFormat: options.format,
    jwt: { sign: { alg: 'RS256' } },
  }
  world = await new OidcWorld().start({
    clients: [MCP_SERVER],
    features: {
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => resourceServer,
        useGrantedResource: () => true,
      },
      introspection: { enabled: true, allowedPolicy: () => true },
      ...(options.dPoP && { dPoP: options.dPoP }),
    },
  })
  refusals = []
  const guard = bearer({
    resource: url,
    issuer: world.issuer,
    scopes: ['notes:read'],
    onRefused: (refusal) => refusals.push(refusal),
    ...guardOptions,
  })
  handler = toNodeHandler(app, { guard })
  http.on('request', handler)
  return url
}

function signIn(options: OAuthOptions = {}) {
  return oauth({ redirect: world.redirect(), ...options })
}

describe.each(['legacy', 'modern'] as const)('%s client, real authorization server', (era) => {
  it('signs in, is known to handlers, and steps up for a tool that needs more', async () => {
    const url = await start({ format: 'jwt' })
    await using client = await connect(url, { era, http: { auth: signIn() } })
    expect((await client.call('whoami')).text()).toBe(`${world.issuer} ann notes:read`)
    const names: string[] = []
    for await (const { name } of client.listTools()) names.push(name)
    expect(names).toEqual(['whoami', 'token'])
    expect(world.authorizations).toHaveLength(1)
    expect((await client.call('publish')).text()).toBe('published')
    expect(world.authorizations).toHaveLength(2)
    expect(world.authorizations[1]?.get('scope')?.split(' ')).toEqual(
      expect.arrayContaining(['notes:read', 'notes:write']),
    )
    expect((await client.call('whoami')).text()).toContain('notes:write')
    expect(refusals).toEqual([])
  })

  it('is let in by introspection, until its token is revoked', async () => {
    const introspection = { clientId: MCP_SERVER.client_id, clientSecret: MCP_SERVER.client_secret }
    const url = await start({ format: 'opaque' }, { introspection, cacheTtl: 0 })
    await using client = await connect(url, { era, http: { auth: signIn() } })
    expect((await client.call('whoami')).text()).toBe(`${world.issuer} ann notes:read`)
    const token = (await client.call('token')).text()
    await world.revoke(token, 'access')
    expect((await client.call('whoami')).text()).toBe(`${world.issuer} ann notes:read`)
    expect(refusals).toMatchObject([{ status: 401, reason: 'The token is not active' }])
    expect((await client.call('token')).text()).not.toBe(token)
  })

  it('binds its tokens to a key and follows our nonces', async () => {
    const url = await start(
      { format: 'jwt', dPoP: { enabled: true } },
      { dpop: { mode: 'required', nonce: true } },
    )
    await using client = await connect(url, { era, http: { auth: signIn() } })
    for (let index = 0; index < 3; index += 1) {
      expect((await client.call('whoami')).text()).toBe(`${world.issuer} ann notes:read`)
    }
    expect(refusals.map(({ error }) => error)).toEqual(['use_dpop_nonce'])
    const token = (await client.call('token')).text()
    const stolen = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
    expect(stolen.status).toBe(401)
  })
})
