import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { connect, type ConnectOptions } from '@gantry/mcp/client'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const SERVER = fileURLToPath(new URL('../fixtures/dual-era-server.mjs', import.meta.url))
const elicit = () => ({ action: 'accept' as const, content: { name: 'Ada' } })
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function gatewayTo(more: object = {}): Promise<TestGateway> {
  const gateway = await testGateway({
    mcpServers: { dual: { command: process.execPath, args: [SERVER], ...more } },
  })
  closing.push(() => gateway.close())
  return gateway
}

async function call(gateway: TestGateway, options: ConnectOptions): Promise<string> {
  await using client = await connect(gateway.endpoint, options)
  return (await client.call('dual_ask')).text()
}

const erasOf = ({ gateway }: TestGateway): unknown[] =>
  gateway.target('dual')!.instances.map(({ link }) => link?.era)

it('a server of both eras can ask a legacy client what it asks only there', async () => {
  const gateway = await gatewayTo()
  expect(await call(gateway, { era: 'legacy', elicit })).toBe('Hello, Ada')
  expect(erasOf(gateway)).toEqual(['modern', 'legacy'])
  expect(await call(gateway, { era: 'modern', elicit })).toBe('nobody to ask')
})

it('one connection is enough for clients that answer nothing', async () => {
  const gateway = await gatewayTo()
  expect(await call(gateway, { era: 'legacy' })).toBe('nobody to ask')
  expect(erasOf(gateway)).toEqual(['modern'])
})

it('what the configuration insists on is used', async () => {
  const gateway = await gatewayTo({ era: 'modern' })
  expect(await call(gateway, { era: 'legacy', elicit })).toBe('nobody to ask')
  expect(erasOf(gateway)).toEqual(['modern'])
})

it('a process for each call speaks the era in which its client can be asked', async () => {
  const gateway = await gatewayTo({ isolation: 'call' })
  expect(await call(gateway, { era: 'legacy', elicit })).toBe('Hello, Ada')
  expect(await call(gateway, { era: 'modern', elicit })).toBe('nobody to ask')
  await expect.poll(() => erasOf(gateway)).toEqual(['modern'])
})
