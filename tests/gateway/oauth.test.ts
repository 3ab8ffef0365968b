import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { AuthWorld } from '../../packages/mcp/src/auth/fixtures/auth-world.test.node.ts'
import { serveHttp, type HttpTarget } from '../support/http-targets.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

let world: AuthWorld
let web: HttpTarget
let gateway: TestGateway | undefined

beforeEach(async () => {
  world = await new AuthWorld().start()
  const tools = { who: tool({ run: (_, ctx) => String(ctx.exchange.headers?.authorization) }) }
  web = await serveHttp(new Server({ name: 'web', tools }))
  const origin = new URL(web.url).origin
  world.prm = { resource: web.url, authorization_servers: [world.as.url] }
  web.intercept = (request, response) => {
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(world.prm))
      return true
    }
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    if (world.tokens.has(token)) return false
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end()
    return true
  }
})
afterEach(async () => {
  await gateway?.close()
  await web.close()
  await world.stop()
})

/** A user who follows the sign-in page at once. */
const follow = async (url: string): Promise<void> => {
  await fetch(url)
}

describe('a target that wants a login', () => {
  it('waits for somebody to sign in, keeps the tokens and renews them by itself', async () => {
    gateway = await testGateway({ mcpServers: { web: { url: web.url } }, catalog: { deadline: 2000 } })
    await using client = await connect(gateway.endpoint, { era: 'modern' })
    const target = gateway.gateway.target('web')!
    await expect.poll(() => target.state).toBe('needs-auth')
    const asked = world.as.seen.length
    await expect(client.call('web_who')).rejects.toThrow()
    // Nobody is sent to a sign-in page by a request that happens to need one.
    expect(world.as.asked('/authorize')).toHaveLength(0)
    expect(world.as.seen.length).toBe(asked)

    await target.signIn({ open: follow })
    expect(target.state).toBe('ready')
    await expect.poll(async () => (await client.listTools().all()).length).toBe(1)
    expect((await client.call('web_who')).text()).toMatch(/^Bearer access-/)

    world.revokeAccess()
    const calls = await Promise.all(Array.from({ length: 5 }, () => client.call('web_who')))
    expect(new Set(calls.map((call) => call.text())).size).toBe(1)
    expect(
      world.as.asked('/token').filter((one) => one.form.get('grant_type') === 'refresh_token'),
    ).toHaveLength(1)

    world.revokeAccess()
    world.refreshTokens.clear()
    await expect(client.call('web_who')).rejects.toMatchObject({ data: { reason: 'oauth' } })
    expect(target.state).toBe('needs-auth')
    await target.signIn({ open: follow })
    expect((await client.call('web_who')).text()).toMatch(/^Bearer access-/)
  })

  it('says so when there is no login to start', async () => {
    gateway = await testGateway({ mcpServers: { web: { url: web.url, oauth: false } } })
    await expect(gateway.gateway.target('web')!.signIn()).rejects.toThrow(/no "oauth"/)
    await expect.poll(() => gateway!.gateway.target('web')!.state).toBe('needs-auth')
  })
})
