import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { AuthWorld, type Seen } from '../../packages/mcp/src/auth/fixtures/auth-world.test.node.ts'
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
  it('waits for a person to sign in, keeps the tokens and renews them by itself', async () => {
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

  it('is signed in once, by one registration, when that begins while the target still starts', async () => {
    let discovered = (): void => {}
    const held = new Promise<void>((resolve) => {
      discovered = resolve
    })
    // The start meets the 401 and is still looking for the authorization server.
    world.as.on('GET /.well-known/oauth-authorization-server', async () => {
      await held
      return { json: world.metadata }
    })
    gateway = await testGateway({ mcpServers: { web: { url: web.url } }, catalog: { deadline: 500 } })
    const target = gateway.gateway.target('web')!
    await expect.poll(() => world.as.asked('/.well-known/oauth-authorization-server').length).toBe(1)
    const pages: string[] = []
    const open = (url: string): Promise<void> => {
      pages.push(url)
      return follow(url)
    }
    const signedIn = Promise.all([target.signIn({ open }), target.signIn({ open })])
    discovered()
    await signedIn
    expect(target.state).toBe('ready')
    expect(new Set(pages).size).toBe(1)
    expect(world.as.asked('/register')).toHaveLength(1)
    expect(world.as.asked('/authorize').length).toBeLessThanOrEqual(2)
    // A second sign-in, much later, needs no second registration.
    await target.signIn({ open })
    expect(world.as.asked('/register')).toHaveLength(1)
  })

  it.each(['the gateway', 'the target'] as const)('gives up a sign-in when %s ends', async (what) => {
    const running = await testGateway({ mcpServers: { web: { url: web.url } }, catalog: { deadline: 500 } })
    gateway = running
    const redirects: string[] = []
    const open = (url: string): void => void redirects.push(new URL(url).searchParams.get('redirect_uri')!)
    const target = running.gateway.target('web')!
    const waiting = target.signIn({ open }).catch((error: Error) => error.message)
    await expect.poll(() => redirects.length).toBe(1)
    if (what === 'the target') await running.gateway.apply({ ...running.gateway.model, targets: [] })
    else await running.close().then(() => (gateway = undefined))
    expect(await waiting).toMatch(/cancelled/)
    await expect(fetch(redirects[0]!)).rejects.toThrow('fetch failed')
  })

  it('renews its token while a page waits for a user', async () => {
    gateway = await testGateway({ mcpServers: { web: { url: web.url } }, catalog: { deadline: 2000 } })
    const target = gateway.gateway.target('web')!
    world.expiresIn = 1
    await target.signIn({ open: follow })
    await using client = await connect(gateway.endpoint, { era: 'modern' })
    await expect.poll(async () => (await client.listTools().all()).length).toBe(1)
    // The user looks at the page and does nothing.
    const ignored = new AbortController()
    const waiting = target.signIn({ open: () => {}, signal: ignored.signal }).catch(() => {})
    await expect
      .poll(() => world.as.asked('/.well-known/oauth-authorization-server').length)
      .toBeGreaterThan(0)
    world.expiresIn = 3600
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const began = Date.now()
    expect((await client.call('web_who')).text()).toMatch(/^Bearer access-/)
    expect(Date.now() - began).toBeLessThan(30_000)
    ignored.abort()
    await waiting
  })

  it('fails at once when its token is gone for good and a page waits for a user', async () => {
    gateway = await testGateway({ mcpServers: { web: { url: web.url } }, catalog: { deadline: 2000 } })
    const target = gateway.gateway.target('web')!
    await target.signIn({ open: follow })
    await using client = await connect(gateway.endpoint, { era: 'modern' })
    await expect.poll(async () => (await client.listTools().all()).length).toBe(1)
    const ignored = new AbortController()
    let isShown = false
    const open = (): void => {
      isShown = true
    }
    const waiting = target.signIn({ open, signal: ignored.signal }).catch(() => {})
    await expect.poll(() => isShown).toBe(true)
    world.revokeAccess()
    world.refreshTokens.clear()
    const began = Date.now()
    await expect(client.call('web_who')).rejects.toMatchObject({ data: { reason: 'oauth' } })
    expect(Date.now() - began).toBeLessThan(30_000)
    ignored.abort()
    await waiting
  })

  it('is told how to authenticate, and says who it is in the form as well', async () => {
    world.metadata.token_endpoint_auth_methods_supported = ['client_secret_post', 'client_secret_basic']
    // As servers of the official Python SDK do: they look for the client in the form first.
    world.as.on('POST /token', (seen) =>
      seen.form.get('client_id') === 'me'
        ? world.issue(seen)
        : { status: 401, json: { error: 'invalid_client' } },
    )
    const signIn = async (oauth: object): Promise<Seen> => {
      gateway = await testGateway({ mcpServers: { web: { url: web.url, oauth } } })
      await gateway.gateway.target('web')!.signIn({ open: follow })
      await gateway.close()
      return world.as.asked('/token').at(-1)!
    }
    const client = { clientId: 'me', clientSecret: 'hush-hush' }
    const basic = await signIn(client)
    expect(basic.headers.authorization).toBe(`Basic ${btoa('me:hush-hush')}`)
    const posted = await signIn({ ...client, tokenEndpointAuthMethod: 'client_secret_post' })
    expect(posted.headers.authorization).toBeUndefined()
    expect(posted.form.get('client_secret')).toBe('hush-hush')
  })

  it('tells the user in the browser whether it worked', async () => {
    gateway = await testGateway({ mcpServers: { web: { url: web.url } } })
    const target = gateway.gateway.target('web')!
    let page: Promise<string> | undefined
    const open = (url: string): void => {
      page = fetch(url).then((response) => response.text())
    }
    world.as.on('POST /token', () => ({
      status: 400,
      json: { error: 'invalid_grant', error_description: '<b>no</b>' },
    }))
    await expect(target.signIn({ open })).rejects.toThrow(/invalid_grant/)
    expect(await page).toMatch(/Signing in failed/)
    expect(await page).toMatch(/expired, used or revoked.*try again/)
    expect(await page).not.toMatch(/signed in|<b>/)
    world.as.on('POST /token', (seen) => world.issue(seen))
    await target.signIn({ open })
    expect(await page).toMatch(/You are signed in/)
  })

  it('says so when there is no login to start', async () => {
    gateway = await testGateway({ mcpServers: { web: { url: web.url, oauth: false } } })
    await expect(gateway.gateway.target('web')!.signIn({ open: follow })).rejects.toThrow(/no "oauth"/)
    await expect.poll(() => gateway!.gateway.target('web')!.state).toBe('needs-auth')
  })
})
