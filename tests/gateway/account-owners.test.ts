import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { connect, http } from '@gantry/mcp/client'
import { IssuerWorld } from '../../packages/mcp/src/auth/guard/fixtures/issuer-world.test.node.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'
import { Visitor } from '../support/visitor.ts'

const SERVER = fileURLToPath(new URL('../fixtures/account-server.mjs', import.meta.url))
const AUDIENCE = 'https://mcp.example.com/mcp'
const KEY = 'key-of-ops-0123456789-abcdefgh'
const LINK = /http:\S+\/connect\/go\/[\w-]{22}/

const closing: (() => unknown)[] = []
let gateway: TestGateway
let staff: IssuerWorld
let partners: IssuerWorld

beforeEach(async () => {
  staff = await new IssuerWorld().start()
  partners = await new IssuerWorld().start()
  closing.push(
    () => staff.stop(),
    () => partners.stop(),
  )
  const bearer = [staff, partners].map(({ issuer }) => ({ issuer, audience: AUDIENCE }))
  const credentials = { kind: 'user', env: { ACCOUNT_TOKEN: 'Your token' } }
  gateway = await testGateway({
    auth: { apiKeys: [{ name: 'ops', key: KEY }], bearer },
    mcpServers: { box: { command: process.execPath, args: [SERVER], credentials } },
  })
  closing.push(() => gateway.close())
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function paste(credential: string, secret: string, path = '/connect/to/box'): Promise<number> {
  const visitor = new Visitor(gateway.url)
  const page = await visitor.signIn(credential, path)
  if (page.status !== 200) return page.status
  return (await visitor.submit(page, { 'secret ACCOUNT_TOKEN': secret })).status
}

async function whoIs(credential: string): Promise<string> {
  const headers = { authorization: `Bearer ${credential}` }
  const client = await connect(http(gateway.endpoint, { headers }), { era: 'modern' })
  closing.push(() => client.close())
  return (await client.call('box_whoami')).text()
}

it('people of two issuers with the same subject have accounts of their own, and each a link of their own', async () => {
  const [ours, theirs] = [
    await staff.token({ aud: AUDIENCE, sub: 'ann' }),
    await partners.token({ aud: AUDIENCE, sub: 'ann' }),
  ]
  const link = LINK.exec(await whoIs(ours))![0]
  expect(await paste(theirs, 'of-partners', link)).toBe(403)
  expect(await paste(ours, 'of-staff', link)).toBe(200)
  expect(await whoIs(ours)).toMatch(/^of-staff /)
  expect(await whoIs(theirs)).toMatch(LINK)
  await paste(theirs, 'of-partners')
  expect([await whoIs(ours), await whoIs(theirs)]).toEqual([
    expect.stringMatching(/^of-staff /),
    expect.stringMatching(/^of-partners /),
  ])
})

it('a person whose subject looks like a key does not get the account of that key, nor the other way round', async () => {
  const subjects = ['key:ops', 'ops', 'person:ops', '["key",null,"ops"]', 'key\u0000ops']
  await paste(KEY, 'of-the-key')
  expect(await whoIs(KEY)).toMatch(/^of-the-key /)
  for (const sub of subjects) {
    const token = await staff.token({ aud: AUDIENCE, sub })
    expect([sub, LINK.test(await whoIs(token))]).toEqual([sub, true])
    await paste(token, 'of-a-person')
    expect(await whoIs(token)).toMatch(/^of-a-person /)
    expect(await whoIs(KEY)).toMatch(/^of-the-key /)
  }
})
