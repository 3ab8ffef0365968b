import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, http } from '@gantry/mcp/client'
import { Browser, companyGateway, type CompanyGateway } from '../support/company.ts'
import { Keeper, OFFICIAL } from '../support/official-login.ts'
import { modernRequest } from '../support/raw-client.ts'
import { RotatingWorld } from '../support/rotating-world.ts'
import { signIn } from '../support/sign-in-client.ts'
import { Visitor } from '../support/visitor.ts'

const SERVER = fileURLToPath(new URL('../fixtures/account-server.mjs', import.meta.url))

const KEY = 'key-of-a-script-0123456789-abcdefgh'

const closing: (() => unknown)[] = []
let world: RotatingWorld
let gateway: CompanyGateway
beforeEach(async () => {
  world = await new RotatingWorld().start()
  closing.push(() => world.stop())
  const box = {
    command: process.execPath,
    args: [SERVER],
    credentials: { kind: 'user', env: { ACCOUNT_TOKEN: 'Your token' } },
  }
  const exchange = { kind: 'exchange', tokenUrl: `${world.as.url}/token`, clientId: 'gantry' }
  const orders = { url: world.web.url, credentials: exchange }
  gateway = await companyGateway({
    mcpServers: { web: { url: world.web.url, credentials: 'user' }, box, orders },
    policy: { rules: [{ when: 'has(claims.email) && claims.email == "bob@example.com"', deny: ['web/*'] }] },
    auth: { apiKeys: [{ name: 'script', key: KEY }] },
  })
  closing.push(() => gateway.close())
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A person who connects what the consent page offers. */
function connecting(): Browser {
  const browser = new Browser('ann')
  browser.connects = true
  browser.secret = 'token-of-ann-1'
  return browser
}

const LINK = /http:\S+\/connect\/go\/[\w-]{22}/

/** 1.32 answers 403 by refreshing its token, which cannot bring another scope. */
const STEPPING_UP = OFFICIAL.filter(([name]) => name !== '1.32')

describe.each(STEPPING_UP)('the official client %s, without URL elicitation', (_, open) => {
  it('is sent to sign in again when an account is missing, and our page runs the login there', async () => {
    let person = new Browser('ann')
    const keeper = new Keeper(() => person)
    const peer = open(gateway.endpoint, keeper)
    closing.push(() => peer.close())
    await expect(peer.connect()).rejects.toThrow(/unauthorized/i)
    await peer.finish(keeper.answer)
    expect(person.pages.at(-1)).toContain('<strong>web</strong>: not connected')
    await peer.connect()

    // Answered with 403 `insufficient_scope`, so it asks the person once more, and not with a name in it.
    person = connecting()
    await expect(peer.call('box_whoami')).rejects.toThrow()
    expect(keeper.visits).toBe(2)
    expect(person.pages[0]).toContain('<strong>box</strong>: not connected, and needed now')
    expect(person.pages.at(-1)).toContain('<strong>box</strong>: connected')
    await peer.finish(keeper.answer)
    expect(await peer.call('box_whoami')).toMatch(/^token-of-ann-1 /)
    await expect.poll(() => peer.call('web_who')).toMatch(/^Bearer at\.ann\.\d+$/)
    expect(keeper.visits).toBe(2)
  }, 60_000)
})

describe.each(OFFICIAL)('the official client %s, whose user connects during sign-in', (_, open) => {
  it('is not asked again', async () => {
    const person = connecting()
    const keeper = new Keeper(() => person)
    const peer = open(gateway.endpoint, keeper)
    closing.push(() => peer.close())
    await expect(peer.connect()).rejects.toThrow(/unauthorized/i)
    await peer.finish(keeper.answer)
    await peer.connect()
    expect(await peer.call('box_whoami')).toMatch(/^token-of-ann-1 /)
    await expect.poll(() => peer.call('web_who')).toMatch(/^Bearer at\.ann\.\d+$/)
    expect(keeper.visits).toBe(1)
  }, 60_000)
})

describe.each(OFFICIAL)('the official client %s, which opens pages', (_, open) => {
  it('has its call finished when the person has connected on the page', async () => {
    const person = new Browser('ann')
    person.secret = 'token-of-ann-1'
    const keeper = new Keeper(() => person)
    const opened: string[] = []
    const peer = open(gateway.endpoint, keeper, (url) => {
      opened.push(url)
      void person.browse(url, (at) => at.includes('/connect?done='))
    })
    closing.push(() => peer.close())
    await expect(peer.connect()).rejects.toThrow(/unauthorized/i)
    await peer.finish(keeper.answer)
    await peer.connect()
    expect(await peer.call('box_whoami')).toMatch(/^token-of-ann-1 /)
    expect(opened).toEqual([expect.stringMatching(LINK)])
    // It was asked by the page alone: it was not sent to sign in again.
    expect(keeper.visits).toBe(1)
  }, 60_000)
})

describe.each(OFFICIAL)('the official client %s, for a target with an exchange', (_, open) => {
  it('is asked for nothing', async () => {
    const keeper = new Keeper()
    const peer = open(gateway.endpoint, keeper)
    closing.push(() => peer.close())
    await expect(peer.connect()).rejects.toThrow(/unauthorized/i)
    await peer.finish(keeper.answer)
    await peer.connect()
    await expect.poll(() => peer.call('orders_who')).toMatch(/^Bearer at\.exchanged\.\d+$/)
    expect(keeper.visits).toBe(1)
  }, 60_000)
})

describe.each(OFFICIAL)('the official client %s, with a key and no other ability', (_, open) => {
  it('gets a link as the result of its call, and repeats the call when its user has been there', async () => {
    const keeper = new Keeper()
    keeper.saved.set('tokens', { access_token: KEY, token_type: 'Bearer' })
    const peer = open(gateway.endpoint, keeper)
    closing.push(() => peer.close())
    await peer.connect()
    const link = LINK.exec(await peer.call('box_whoami'))![0]
    expect(link).not.toContain(KEY)
    const visitor = new Visitor(gateway.url)
    const page = await visitor.submit(await visitor.open(link), { key: KEY }, '/connect/sign-in')
    const done = await visitor.submit(page, { 'secret ACCOUNT_TOKEN': 'token-of-a-script' })
    expect(done.html).toContain('box is connected now')
    expect(await peer.call('box_whoami')).toMatch(/^token-of-a-script /)
    expect(keeper.visits).toBe(0)
  }, 60_000)
})

it('the official client 1.32, which only refreshes its token, gets the link with the same call', async () => {
  const keeper = new Keeper()
  const [, open] = OFFICIAL[0]!
  const peer = open(gateway.endpoint, keeper)
  closing.push(() => peer.close())
  await expect(peer.connect()).rejects.toThrow(/unauthorized/i)
  await peer.finish(keeper.answer)
  await peer.connect()
  expect(await peer.call('box_whoami')).toMatch(LINK)
  expect([keeper.visits, keeper.refreshes]).toEqual([1, 2])
})

describe('a client that comes back without the scope', () => {
  it('was told a scope and a link with the first answer, and gets the link as a result after that', async () => {
    const { json } = await signIn(gateway, new Browser('ann'))
    const headers = { authorization: `Bearer ${json.access_token}` }
    const first = await modernRequest(gateway.endpoint, 'tools/call', { name: 'box_whoami' }, { headers })
    expect(first.status).toBe(403)
    expect(first.headers.get('www-authenticate')).toMatch(
      /error="insufficient_scope".* scope="[^"]*\bconnect:box"/,
    )
    expect(first.text).toMatch(LINK)
    const client = await connect(http(gateway.endpoint, { headers }), { era: 'modern' })
    closing.push(() => client.close())
    const second = await client.call('box_whoami')
    expect(second.raw).toMatchObject({ isError: true, _meta: { 'dev.gantry/account': 'not-connected' } })
    expect(second.text()).toMatch(LINK)
  })

  it('is not sent again when it has the scope and the person has connected nothing', async () => {
    const { json } = await signIn(gateway, new Browser('ann'), { scope: 'connect:box' })
    expect(json.scope.split(' ')).toContain('connect:box')
    const client = await connect(
      http(gateway.endpoint, { headers: { authorization: `Bearer ${json.access_token}` } }),
      { era: 'modern' },
    )
    closing.push(() => client.close())
    expect((await client.call('box_whoami')).text()).toMatch(LINK)
  })
})

it('the consent page offers what the person may know, and the metadata names nothing of it', async () => {
  const person = new Browser('bob')
  await signIn(gateway, person)
  expect(person.pages.at(-1)).toContain('<strong>box</strong>')
  expect(person.pages.at(-1)).not.toContain('<strong>web</strong>')
  for (const path of [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/mcp',
  ]) {
    expect(await (await fetch(gateway.url + path)).text()).not.toContain('connect:')
  }
})

it('what one person connects in the browser of another’s sign-in stays with the one who logged in', async () => {
  const ann = connecting()
  await signIn(gateway, ann)
  // The same cookies, and another person at the identity provider.
  const bob = await signIn(gateway, new Browser('bob'))
  const headers = { authorization: `Bearer ${bob.json.access_token}` }
  const answer = await modernRequest(gateway.endpoint, 'tools/call', { name: 'box_whoami' }, { headers })
  expect(answer.status).toBe(403)
})
