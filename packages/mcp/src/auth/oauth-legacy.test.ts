import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AuthWorld } from './fixtures/auth-world.test.node.ts'
import { memoryStorage } from './tokens/token-storage.ts'

let world: AuthWorld
beforeEach(async () => {
  world = await new AuthWorld().start()
})
afterEach(() => world.stop())

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
