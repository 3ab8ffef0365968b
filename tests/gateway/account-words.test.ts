import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { adminGateway, type AdminGateway } from '../support/admin-gateway.ts'
import { Visitor } from '../support/visitor.ts'

// A person may type in anything as their key. It is kept from everybody, and changes nothing for others.

const SERVER = fileURLToPath(new URL('../fixtures/account-server.mjs', import.meta.url))
const KEYS: Record<string, string> = {
  ann: 'key-of-ann-0123456789-abcdefgh',
  eve: 'key-of-eve-0123456789-abcdefgh',
}
const closing: (() => unknown)[] = []
let gateway: AdminGateway
beforeEach(async () => {
  const credentials = { kind: 'user', env: { ACCOUNT_TOKEN: 'Your token' } }
  gateway = await adminGateway({
    auth: { apiKeys: Object.entries(KEYS).map(([name, key]) => ({ name, key })) },
    mcpServers: { box: { command: process.execPath, args: [SERVER], credentials } },
  })
  closing.push(() => gateway.close())
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function paste(name: string, secret: string): Promise<number> {
  const visitor = new Visitor(gateway.url)
  const page = await visitor.signIn(KEYS[name]!, '/connect/to/box')
  return (await visitor.submit(page, { 'secret ACCOUNT_TOKEN': secret })).status
}

async function clientOf(name: string): Promise<Client> {
  const headers = { authorization: `Bearer ${KEYS[name]}` }
  const client = await connect(http(`${gateway.url}/mcp`, { headers }), { era: 'modern' })
  closing.push(() => client.close())
  await expect
    .poll(async () => (await client.listTools().all()).map((tool) => tool.name))
    .toContain('box_spill')
  return client
}

const errorOf = async (client: Client): Promise<string> => (await client.call('box_spill')).text()

describe('what one person calls their key', () => {
  it('is what another reads all the same, and breaks no answer', async () => {
    await paste('ann', 'token-of-ann-0123456789')
    const ann = await clientOf('ann')
    const before = await errorOf(ann)
    expect(before).toBe('refused: [redacted]')
    for (const words of ['"isError":true', '"content":[{', 'refused: ', 'n    at Object', '"type":"text"']) {
      expect(await paste('eve', words)).toBe(200)
      expect(await errorOf(ann)).toBe(before)
      const answer = await gateway.fetch('/api/wire')
      expect(JSON.parse(await answer.text())).toHaveProperty('records')
    }
  })

  it('is taken out of what its own target says to that person', async () => {
    await paste('eve', 'not much of a secret')
    const eve = await clientOf('eve')
    expect((await eve.call('box_whoami')).text()).toMatch(/^not much of a secret /)
    expect(await errorOf(eve)).toBe('refused: [redacted]')
    const shown = await gateway.fetch('/api/targets/box/stderr?limit=1000')
    expect(await shown.text()).toMatch(/the token is \[redacted\]/)
  })
})
