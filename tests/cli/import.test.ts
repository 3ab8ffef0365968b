import { realpathSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { connect, type Connector } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import { GANTRY, openWorkshop, serverWith, type Workshop } from './support/gantry.ts'

let shop: Workshop
beforeEach(async () => {
  shop = await openWorkshop()
  await shop.write('server.mjs', serverWith('one'))
  // Any free port: what is written must be the one that was given.
  await shop.write('gantry.yaml', 'server: { port: 0 }\nmcpServers: {}\n')
})
afterEach(() => shop.close())

interface Entry {
  url?: string
  command?: string
  args?: string[]
}

/** What a client that had a server of its own is given in its place. */
async function pointed(): Promise<Entry> {
  const file = join(shop.dir, '.cursor', 'mcp.json')
  await mkdir(join(shop.dir, '.cursor'), { recursive: true })
  const words = { command: process.execPath, args: [join(shop.dir, 'server.mjs')] }
  await writeFile(file, JSON.stringify({ mcpServers: { words } }))
  expect(await shop.run('import', 'cursor', '--apply', '--point')).toMatchObject({ code: 0, err: '' })
  const { mcpServers } = JSON.parse(await readFile(file, 'utf8')) as { mcpServers: Record<string, Entry> }
  expect(Object.keys(mcpServers)).toEqual(['gantry'])
  return mcpServers.gantry!
}

async function toolsAt(place: string | Connector): Promise<string[]> {
  await using client = await connect(place)
  return (await client.listTools().all()).map(({ name }) => name)
}

it('gantry import --point writes a command that runs', async () => {
  const { command, args } = await pointed()
  // The program that wrote it: npx would fetch another, if it finds one.
  expect([command, args?.[0]]).toEqual([process.execPath, realpathSync(GANTRY)])
  const env = { PATH: process.env.PATH!, HOME: shop.dir }
  expect(await toolsAt(stdio({ command: command!, args: args!, env }))).toEqual(['words_one'])
})

it('gantry import --point writes the address at which a gateway is served', async () => {
  const gateway = shop.start('serve', '--config', 'gantry.yaml')
  const endpoint = await gateway.endpoint()
  const { url } = await pointed()
  expect(url).toBe(endpoint)
  await expect.poll(() => toolsAt(url!)).toEqual(['words_one'])
})
