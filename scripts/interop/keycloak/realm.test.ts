import { afterEach, describe, expect, it } from 'vitest'
import { connect, http } from '@gantry/mcp/client'
import { Server, text, tool } from '@gantry/mcp/server'
import { Browser, companyGateway } from '../../../tests/support/company.ts'
import { refresh, signIn } from '../../../tests/support/sign-in-client.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const NOTES = new Server({ name: 'notes', tools: { ping: tool({ run: () => text('pong') }) } })

describe('people of a Keycloak realm', () => {
  it('sign in, are known by their realm roles, and refresh', async () => {
    const config = {
      mcpServers: { notes: { module: 'notes' } },
      auth: { groups: 'realm_access.roles' },
      policy: { default: 'deny', rules: [{ when: '"support" in groups', allow: ['notes/*'] }] },
    }
    const gateway = await companyGateway(config, {}, undefined, { embedded: new Map([['notes', NOTES]]) })
    closing.push(() => gateway.close())
    const namesFor = async (token: string): Promise<string[]> => {
      const client = await connect(http(gateway.endpoint, { headers: { authorization: `Bearer ${token}` } }))
      closing.push(() => client.close())
      return (await client.listTools().all()).map(({ name }) => name)
    }
    const [ann, bob] = [await signIn(gateway, new Browser('ann')), await signIn(gateway, new Browser('bob'))]
    expect(await namesFor(ann.json.access_token)).toEqual(['notes_ping'])
    expect(await namesFor(bob.json.access_token)).toEqual([])
    const renewed = await refresh(gateway, ann.clientId, ann.json.refresh_token)
    expect(await namesFor(renewed.json.access_token)).toEqual(['notes_ping'])
  })
})
