import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, http, sse, type Client } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const app = (name: string): Server => new Server({ name, tools: { who: tool({ run: () => name }) } })

async function start(config: object = {}): Promise<TestGateway> {
  const mcpServers = { one: { module: 'one' }, 'two words': { module: 'two' } }
  const embedded = new Map([
    ['one', app('one')],
    ['two', app('two')],
  ])
  const gateway = await testGateway({ mcpServers, ...config }, { embedded })
  closing.push(() => gateway.close())
  return gateway
}

async function open(connector: Parameters<typeof connect>[0], era?: 'legacy' | 'modern'): Promise<Client> {
  const client = await connect(connector, era ? { era } : {})
  closing.push(() => client.close())
  return client
}

describe('endpoints', () => {
  it('serves everything at /mcp, one target alone at /mcp/NAME under its own names, and HTTP+SSE at /sse', async () => {
    const gateway = await start()
    const all = await open(gateway.endpoint)
    expect((await all.listTools().all()).map((one) => one.name)).toEqual(['one_who', 'two-words_who'])
    for (const era of ['legacy', 'modern'] as const) {
      const alone = await open(`${gateway.url}/mcp/two%20words`, era)
      expect((await alone.listTools().all()).map((one) => one.name)).toEqual(['who'])
      expect((await alone.call('who')).text()).toBe('two')
    }
    const old = await open(sse(`${gateway.url}/sse`))
    expect((await old.call('one_who')).text()).toBe('one')
    const missing = await fetch(`${gateway.url}/mcp/three`, { method: 'POST' })
    expect(missing.status).toBe(404)
    expect(await missing.text()).toMatch(/one, two words/)
  })
})

describe('web pages', () => {
  it('of a configured origin may ask, call and read, and see neither the console nor what others may', async () => {
    const page = 'https://app.example'
    const gateway = await start({ server: { allowedOrigins: [page] } })
    const asks = { origin: page, 'access-control-request-method': 'POST' }
    for (const path of ['/mcp', '/mcp/one', '/sse']) {
      const response = await fetch(`${gateway.url}${path}`, { method: 'OPTIONS', headers: asks })
      expect([path, response.status, response.headers.get('access-control-allow-origin')]).toEqual([
        path,
        204,
        page,
      ])
    }
    const called = await fetch(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: { origin: page, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    })
    expect(called.headers.get('access-control-allow-origin')).toBe(page)
    const api = await fetch(`${gateway.url}/api/targets`, { headers: { origin: page } })
    expect(api.headers.get('access-control-allow-origin')).toBeNull()
    const foreign = await fetch(`${gateway.url}/mcp`, {
      method: 'OPTIONS',
      headers: { ...asks, origin: 'https://evil.example' },
    })
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null])
    const own = await fetch(`${gateway.url}/mcp`, {
      method: 'OPTIONS',
      headers: { ...asks, origin: gateway.url },
    })
    expect(own.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('access tokens', () => {
  it('lets in who has a good one, tells the others where to get it, and tells strangers nothing else', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }
    const issuerServer = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }))
    })
    await new Promise<void>((resolve) => issuerServer.listen(0, '127.0.0.1', resolve))
    closing.push(() => issuerServer.close())
    const issuer = `http://127.0.0.1:${(issuerServer.address() as AddressInfo).port}`
    const audience = 'http://127.0.0.1:7332/mcp'
    const gateway = await start({ auth: { bearer: { issuer, audience, jwksUri: `${issuer}/jwks` } } })
    const token = (claims: object, expires = '5m'): Promise<string> =>
      new SignJWT({ scope: 'tools', ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer(issuer)
        .setSubject('ann')
        .setIssuedAt()
        .setExpirationTime(expires)
        .sign(privateKey)
    const authorization = `Bearer ${await token({ aud: audience })}`
    const client = await open(http(gateway.endpoint, { headers: { authorization } }))
    expect((await client.call('one_who')).text()).toBe('one')

    const refused = await fetch(gateway.endpoint, { method: 'POST', body: '{}' })
    expect(refused.status).toBe(401)
    const metadataUrl = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1]
    const path = new URL(metadataUrl!).pathname
    expect(await (await fetch(gateway.url + path)).json()).toMatchObject({ authorization_servers: [issuer] })
    const other = await fetch(gateway.endpoint, {
      method: 'POST',
      headers: { authorization: `Bearer ${await token({ aud: 'https://elsewhere.example' })}` },
      body: '{}',
    })
    expect(other.status).toBe(401)
    expect(await (await fetch(`${gateway.url}/health`)).json()).toEqual({ status: 'ok' })
    // Names of targets cannot be found out by trying.
    expect((await fetch(`${gateway.url}/mcp/one`)).status).toBe(401)
    expect((await fetch(`${gateway.url}/mcp/three`)).status).toBe(401)
    const nowhere = await fetch(`${gateway.url}/mcp/three`, { headers: { authorization } })
    expect(await nowhere.text()).toBe('There is no such target.\n')
  })
})

it('lets a call finish that is under way when it is told to stop', async () => {
  let finish = (): void => {}
  const slow = new Server({
    name: 'slow',
    tools: {
      wait: tool({
        run: () =>
          new Promise<string>((resolve) => {
            finish = () => resolve('finished')
          }),
      }),
    },
  })
  const gateway = await testGateway(
    { mcpServers: { slow: { module: 'slow' } }, server: { shutdownGrace: 10_000 } },
    { embedded: new Map([['slow', slow]]) },
  )
  const client = await open(gateway.endpoint, 'modern')
  const call = client.call('slow_wait')
  await expect
    .poll(() => [...gateway.gateway.exchanges.running].some((one) => one.target === 'slow'))
    .toBe(true)
  const closed = gateway.close()
  setTimeout(finish, 200)
  expect((await call).text()).toBe('finished')
  await closed
})
