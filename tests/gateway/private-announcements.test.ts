import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
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
    await expect.poll(names, { timeout: 10_000 }).toEqual(['it_grow', 'it_grown'])
  },
)
