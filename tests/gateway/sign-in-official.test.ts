import { afterEach, describe, expect, it } from 'vitest'
import { Server, text, tool } from '@gantry/mcp/server'
import { companyGateway, type CompanyGateway } from '../support/company.ts'
import { Keeper, OFFICIAL } from '../support/official-login.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const NOTES = new Server({
  name: 'notes',
  version: '1',
  tools: { ping: tool({ description: 'Answers', run: () => text('pong') }) },
})

async function start(): Promise<CompanyGateway> {
  const gateway = await companyGateway({ mcpServers: { notes: { module: 'notes' } } }, {}, undefined, {
    embedded: new Map([['notes', NOTES]]),
  })
  closing.push(() => gateway.close())
  return gateway
}

describe.each(OFFICIAL)('the official client %s', (_, open) => {
  it('registers, signs in with the company, calls, and refreshes', async () => {
    const gateway = await start()
    const keeper = new Keeper()
    const peer = open(gateway.endpoint, keeper)
    closing.push(() => peer.close())
    await expect(peer.connect()).rejects.toThrow(/unauthorized/i)
    await peer.finish(keeper.answer)
    await peer.connect()
    expect(await peer.call('notes_ping')).toBe('pong')
    const { access_token: first } = keeper.saved.get('tokens') as { access_token: string }
    const before = keeper.refreshes
    // As if it had expired.
    keeper.saved.set('tokens', { ...(keeper.saved.get('tokens') as object), access_token: `${first}x` })
    expect(await peer.call('notes_ping')).toBe('pong')
    expect(keeper.refreshes).toBe(before + 1)
  })
})
