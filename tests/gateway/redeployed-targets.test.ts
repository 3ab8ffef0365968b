import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { scriptedTarget, type ScriptedCall, type ScriptedTarget } from '../support/scripted-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

let web: ScriptedTarget
let gateway: TestGateway
let client: Client

afterEach(async () => {
  await client?.close()
  await gateway?.close()
  await web?.close().catch(() => {})
})

/** A target at a URL goes away, fails more often than a program may, and comes back at the same address. */
async function redeploy(restart: object): Promise<() => Promise<void>> {
  web = await scriptedTarget()
  const port = Number(new URL(web.url).port)
  gateway = await testGateway({
    mcpServers: { web: { url: web.url, restart: { quarantineAfter: 2, quarantineFor: '1h', ...restart } } },
    catalog: { deadline: 1000 },
  })
  client = await connect(gateway.endpoint, { era: 'modern' })
  expect((await client.call('web_echo')).text()).toBe('echo')
  await web.close()
  await client.call('web_echo').catch(() => {})
  await expect.poll(() => target().main.failures).toBeGreaterThan(4)
  return async () => {
    web = await scriptedTarget({}, port)
  }
}

const target = () => gateway.gateway.target('web')!

describe('a target at a URL that was away for a while', () => {
  it('is back by itself within the longest pause', async () => {
    const comeBack = await redeploy({ minDelay: 20, maxDelay: 200 })
    expect(target().state).not.toBe('quarantined')
    await comeBack()
    await expect.poll(() => target().state).toBe('ready')
  })

  it('is back at once when a caller asks', async () => {
    const comeBack = await redeploy({ minDelay: 20, maxDelay: '1h' })
    const failures = async () => {
      await client.call('web_echo').catch(() => {})
      return target().main.failures
    }
    // The next attempt without a caller is more than a minute away.
    await expect.poll(failures).toBeGreaterThan(12)
    await comeBack()
    const began = Date.now()
    expect((await client.call('web_echo')).text()).toBe('echo')
    expect(Date.now() - began).toBeLessThan(30_000)
  })

  it('is not asked more often than the shortest pause allows, however many call', async () => {
    await redeploy({ minDelay: 150, maxDelay: 150 })
    const before = target().main.starts
    const began = Date.now()
    const hammer = async (): Promise<void> => {
      while (Date.now() < began + 900) await client.call('web_echo').catch(() => {})
    }
    await Promise.all(Array.from({ length: 20 }, hammer))
    // Pauses vary, so that many gateways do not come at once; none is shorter than half.
    expect(target().main.starts - before).toBeLessThanOrEqual((Date.now() - began) / 75 + 1)
  })

  it('is tried again within seconds by default', async () => {
    web = await scriptedTarget()
    gateway = await testGateway({ mcpServers: { web: { url: web.url }, program: { command: 'true' } } })
    expect(target().model.restart.maxDelay).toBe(5000)
    expect(gateway.gateway.target('program')!.model.restart.maxDelay).toBe(60_000)
  })
})

it('leaves a server alone for as long as that asks for', async () => {
  const busy = ({ response }: ScriptedCall): undefined =>
    void response.writeHead(503, { 'retry-after': '30' }).end()
  web = await scriptedTarget({ 'server/discover': busy, initialize: busy })
  gateway = await testGateway({
    mcpServers: { web: { url: web.url, restart: { minDelay: 20, maxDelay: 20 } } },
    catalog: { deadline: 500 },
  })
  await expect.poll(() => target().state).toBe('backing-off')
  const { starts } = target().main
  await expect(target().main.acquire()).rejects.toThrow(/not available/)
  expect(target().main.starts).toBe(starts)
})
