import { afterEach, describe, expect, it } from 'vitest'
import { connect } from '../../entries/client.ts'
import { type OAuthProvider, oauth } from '../index.ts'
import { GuardedWorld } from './fixtures/guarded-world.test.node.ts'

let world: GuardedWorld
afterEach(() => world.stop())

function signIn(): OAuthProvider {
  return oauth({ redirect: world.oidc.redirect() })
}

describe.each(['legacy', 'modern'] as const)('%s client, real authorization server', (era) => {
  it('signs in, is known to handlers, and steps up for a tool that needs more', async () => {
    world = await new GuardedWorld().start({ format: 'jwt' })
    const { authorizations } = world.oidc
    await using client = await connect(world.url, { era, http: { auth: signIn() } })
    expect((await client.call('whoami')).text()).toBe(`${world.issuer} ann notes:read`)
    const names: string[] = []
    for await (const { name } of client.listTools()) names.push(name)
    expect(names).toEqual(['whoami', 'token'])
    expect(authorizations).toHaveLength(1)
    expect((await client.call('publish')).text()).toBe('published')
    expect(authorizations).toHaveLength(2)
    expect(authorizations[1]?.get('scope')?.split(' ')).toEqual(
      expect.arrayContaining(['notes:read', 'notes:write']),
    )
    expect((await client.call('whoami')).text()).toContain('notes:write')
    expect(world.refusals).toEqual([])
  })

  it('is let in by introspection, until its token is revoked', async () => {
    world = new GuardedWorld()
    await world.start({ format: 'opaque' }, { introspection: world.introspection, cacheTtl: 0 })
    await using client = await connect(world.url, { era, http: { auth: signIn() } })
    expect((await client.call('whoami')).text()).toBe(`${world.issuer} ann notes:read`)
    const token = (await client.call('token')).text()
    await world.oidc.revoke(token, 'access')
    expect((await client.call('whoami')).text()).toBe(`${world.issuer} ann notes:read`)
    expect(world.refusals).toMatchObject([{ status: 401, reason: 'The token is not active' }])
    expect((await client.call('token')).text()).not.toBe(token)
  })

  it('binds its tokens to a key and follows our nonces', async () => {
    world = await new GuardedWorld().start(
      { format: 'jwt', dPoP: { enabled: true } },
      { dpop: { mode: 'required', nonce: true } },
    )
    await using client = await connect(world.url, { era, http: { auth: signIn() } })
    for (let index = 0; index < 3; index += 1) {
      expect((await client.call('whoami')).text()).toBe(`${world.issuer} ann notes:read`)
    }
    expect(world.refusals.map(({ error }) => error)).toEqual(['use_dpop_nonce'])
    const token = (await client.call('token')).text()
    const stolen = await fetch(world.url, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
    expect(stolen.status).toBe(401)
  })
})
