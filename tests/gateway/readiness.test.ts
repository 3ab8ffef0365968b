import { afterEach, describe, expect, it } from 'vitest'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'
import { scriptedTarget } from '../support/scripted-target.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(config: Record<string, unknown>): Promise<TestGateway> {
  const gateway = await testGateway({ catalog: { deadline: 500 }, ...config })
  closing.push(() => gateway.close())
  return gateway
}

async function ask(gateway: TestGateway, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(gateway.url + path, { headers })
  const text = await response.text()
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined }
}

const bad = { command: 'no-such-command-anywhere' }

describe('/ready', () => {
  it('is 200 while a target that is not required is down', async () => {
    const gateway = await start({ mcpServers: { bad } })
    expect(await ask(gateway, '/ready')).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect((await ask(gateway, '/health')).status).toBe(200)
  })

  it('is 503 while a required target cannot be used, and 200 when it can', async () => {
    const web = await scriptedTarget()
    const port = Number(new URL(web.url).port)
    await web.close()
    const restart = { minDelay: 20, maxDelay: 100 }
    const gateway = await start({ mcpServers: { bad, web: { url: web.url, required: true, restart } } })
    expect(await ask(gateway, '/ready')).toMatchObject({ status: 503, body: { status: 'not ready' } })
    expect((await ask(gateway, '/health')).status).toBe(200)
    const again = await scriptedTarget({}, port)
    closing.push(() => again.close())
    await expect.poll(async () => (await ask(gateway, '/ready')).status).toBe(200)
  })

  it('is 503 for a required target that a missing variable switches off', async () => {
    const env = { KEY: '${env:GANTRY_TEST_NO_SUCH_VARIABLE}' }
    const gateway = await start({ mcpServers: { off: { command: 'true', env, required: true } } })
    expect((await ask(gateway, '/ready')).status).toBe(503)
    const other = await start({ mcpServers: { off: { command: 'true', enabled: false, required: true } } })
    expect((await ask(other, '/ready')).status).toBe(200)
  })

  it('names the targets with ?verbose, to those who may know', async () => {
    const open = await start({ mcpServers: { bad } })
    const { status, body } = await ask(open, '/ready?verbose')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'ok',
      targets: [{ name: 'bad', required: false, usable: false }],
      missing: [{ target: 'bad' }],
    })
    const apiKeys = [
      { name: 'ops', key: 'operator-key-0123456789', scopes: ['gantry:metrics'] },
      { name: 'app', key: 'app-key-01234567890123', scopes: [] },
    ]
    const guarded = await start({ mcpServers: { bad }, auth: { apiKeys } })
    expect((await ask(guarded, '/ready')).body).toEqual({ status: 'ok' })
    expect((await ask(guarded, '/ready?verbose')).status).toBe(401)
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
    expect((await ask(guarded, '/ready?verbose', bearer('app-key-01234567890123'))).status).toBe(403)
    const seen = await ask(guarded, '/ready?verbose', bearer('operator-key-0123456789'))
    expect(seen.body).toMatchObject({ targets: [{ name: 'bad' }] })
  })

  it('says that the gateway is draining before the port closes', async () => {
    const gateway = await start({ mcpServers: {}, server: { drainDelay: 400 } })
    const drained = gateway.drain()
    expect(await ask(gateway, '/ready')).toMatchObject({ status: 503, body: { status: 'draining' } })
    expect((await ask(gateway, '/health')).status).toBe(200)
    const call = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const headers = { 'content-type': 'application/json' }
    const served = await fetch(gateway.endpoint, { method: 'POST', headers, body: JSON.stringify(call) })
    expect(served.status).not.toBe(503)
    await drained
    await gateway.close()
    await expect(ask(gateway, '/ready')).rejects.toThrow()
  })
})
