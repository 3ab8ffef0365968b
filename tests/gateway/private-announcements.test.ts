import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const SERVER = fileURLToPath(new URL('../fixtures/growing-server.mjs', import.meta.url))
let gateway: TestGateway | undefined
afterEach(() => gateway?.close())

it.each(
  ['legacy', 'modern'].flatMap((era) => ['session', 'user'].map((isolation) => [isolation, era] as const)),
)(
  'a list that changes on the connection of one %s is asked for again (%s server)',
  async (isolation, era) => {
    const env = { ERA: era }
    const file = join(await mkdtemp(join(tmpdir(), 'gantry-growing-')), 'tools')
    await writeFile(file, 'grow\n')
    gateway = await testGateway({
      mcpServers: { it: { command: process.execPath, args: [SERVER, file], env, isolation } },
      catalog: { ttl: '1h' },
    })
    await using client = await connect(gateway.endpoint, { era: 'legacy' })
    const names = async () => {
      await using other = await connect(gateway!.endpoint)
      const found: string[] = []
      for await (const { name } of other.listTools()) found.push(name)
      return found
    }
    expect(await names()).toEqual(['it_grow'])
    await client.call('it_grow')
    await expect.poll(names).toEqual(['it_grow', 'it_grown'])
  },
)

const ADA = { authorization: 'Bearer ada-0123456789-0123456789' }
const BOB = { authorization: 'Bearer bob-0123456789-0123456789' }

it.each(
  ['legacy', 'modern'].flatMap((era) => ['session', 'user'].map((isolation) => [isolation, era] as const)),
)('a tool that only the process of one %s has is there for it alone (%s server)', async (isolation, era) => {
  gateway = await testGateway({
    mcpServers: { it: { command: process.execPath, args: [SERVER], env: { ERA: era }, isolation } },
    auth: {
      apiKeys: [
        { name: 'ada', key: ADA.authorization.slice(7) },
        { name: 'bob', key: BOB.authorization.slice(7) },
      ],
    },
    catalog: { ttl: '1h' },
  })
  const { endpoint } = gateway
  const names = async (client: Client) => {
    const found: string[] = []
    for await (const { name } of client.listTools({ fresh: true })) found.push(name)
    return found
  }
  await using ada = await connect(http(endpoint, { headers: ADA }), {
    era: isolation === 'user' ? 'modern' : 'legacy',
  })
  await using other = await connect(http(endpoint, { headers: isolation === 'user' ? BOB : ADA }), {
    era: 'legacy',
  })
  expect(await names(other)).toEqual(['it_grow'])
  const told = new Promise<void>((resolve) => ada.on('toolsChanged', () => resolve()))
  await ada.listening()
  await ada.call('it_grow')
  await told
  await expect.poll(() => names(ada)).toEqual(['it_grow', 'it_grown'])
  expect((await ada.call('it_grown')).text()).toBe('here')
  expect(await names(other)).toEqual(['it_grow'])
  await expect(other.call('it_grown')).rejects.toThrow('it_grown')
})
