import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { modernRequest } from '../support/raw-client.ts'
import { Browser, companyGateway } from '../support/company.ts'
import { RotatingWorld } from '../support/rotating-world.ts'
import { signIn } from '../support/sign-in-client.ts'
import { testGateway } from '../support/start-gateway.ts'
import { Visitor } from '../support/visitor.ts'

const PEOPLE: Record<string, string> = {
  ann: 'key-of-ann-0123456789-abcdefgh',
  bob: 'key-of-bob-0123456789-abcdefgh',
}
const auth = { apiKeys: Object.entries(PEOPLE).map(([name, key]) => ({ name, key })) }

const closing: (() => unknown)[] = []
let world: RotatingWorld
beforeEach(async () => {
  world = await new RotatingWorld().start()
  closing.push(() => world.stop())
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const config = () => ({ auth, mcpServers: { web: { url: world.web.url, credentials: 'user' } } })

async function clientOf(endpoint: string, credential: string): Promise<Client> {
  const client = await connect(http(endpoint, { headers: { authorization: `Bearer ${credential}` } }), {
    era: 'modern',
  })
  closing.push(() => client.close())
  return client
}

/** A person at the portal who logs in at the target with an account of the same name. */
async function logIn(url: string, name: string): Promise<string> {
  world.account = name
  const visitor = new Visitor(url)
  return (await visitor.submit(await visitor.signIn(PEOPLE[name]!, '/connect/to/web'))).html
}

const WHO = (name: string) => new RegExp(`^Bearer at\\.${name}\\.\\d+$`)

describe('a server where each person logs in', () => {
  it('is called with the account of each, by one registration; a disconnected account is revoked', async () => {
    const gateway = await testGateway(config())
    closing.push(() => gateway.close())
    const [ann, bob] = [
      await clientOf(gateway.endpoint, PEOPLE.ann!),
      await clientOf(gateway.endpoint, PEOPLE.bob!),
    ]
    expect(await logIn(gateway.url, 'ann')).toContain('web is connected now')
    expect(await logIn(gateway.url, 'bob')).toContain('renewed by itself')
    for (const [client, name] of [
      [ann, 'ann'],
      [bob, 'bob'],
      [ann, 'ann'],
    ] as const) {
      await expect
        .poll(async () => (await client.listTools().all()).map((one) => one.name))
        .toContain('web_who')
      expect((await client.call('web_who')).text()).toMatch(WHO(name))
    }
    expect(world.as.asked('/register')).toHaveLength(1)

    const visitor = new Visitor(gateway.url)
    await visitor.submit(await visitor.signIn(PEOPLE.ann!), {}, '/connect/off/web')
    expect(world.revoked.filter((token) => token.includes('.ann.'))).toHaveLength(2)
    await expect.poll(async () => (await ann.call('web_connect')).text()).toContain('/connect/go/')
    expect((await bob.call('web_who')).text()).toMatch(WHO('bob'))
  })

  it('keeps what a renewal gives although its caller has left and the gateway stops meanwhile', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'gantry-stop-'))
    closing.push(() => rm(stateDir, { recursive: true, force: true }))
    const first = await testGateway({ ...config(), stateDir })
    world.expiresIn = 2
    await logIn(first.url, 'ann')
    world.expiresIn = 3600
    let answer!: () => void
    const redeemed = new Promise<void>((seen) => {
      world.answering = () => {
        seen()
        return new Promise((resolve) => {
          answer = resolve
        })
      }
    })
    const leaving = new AbortController()
    const headers = { authorization: `Bearer ${PEOPLE.ann}` }
    // The connection is open when the token has ended, so that nobody waits for it while the gateway stops.
    const answered = await modernRequest(first.endpoint, 'tools/call', { name: 'web_who' }, { headers })
    expect(answered.text).toContain('at.ann.')
    await sleep(2000)
    const { signal } = leaving
    const call = modernRequest(first.endpoint, 'tools/call', { name: 'web_who' }, { headers, signal }).catch(
      () => {},
    )
    await redeemed
    leaving.abort()
    await call
    const stopped = first.close()
    setTimeout(answer, 1000)
    await stopped

    world.answering = async () => {}
    const second = await testGateway({ ...config(), stateDir })
    closing.push(() => second.close())
    const ann = await clientOf(second.endpoint, PEOPLE.ann!)
    await expect.poll(async () => (await ann.listTools().all()).map((one) => one.name)).toContain('web_who')
    expect((await ann.call('web_who')).text()).toMatch(WHO('ann'))
    expect(world.redemptions).toHaveLength(1)
  }, 30_000)

  it('takes the answer of an authorization server from the person who began, once', async () => {
    const gateway = await testGateway(config())
    closing.push(() => gateway.close())
    const [ann, bob] = [new Visitor(gateway.url), new Visitor(gateway.url)]
    const page = await ann.signIn(PEOPLE.ann!, '/connect/to/web')
    await bob.signIn(PEOPLE.bob!)
    // Bob is made to open the address with which Ann would come back.
    let back = ''
    const authorize = world.as.routes.get('GET /authorize')!
    world.as.on('GET /authorize', async (seen) => {
      back = ((await authorize(seen)) as { headers: { location: string } }).headers.location
      return { text: 'the login page' }
    })
    await ann.submit(page)
    const stolen = await bob.open(back)
    expect([stolen.status, stolen.html]).toEqual([403, expect.stringContaining('begun by another person')])
    expect((await ann.open(back)).html).toContain('has ended, or was finished already')
    expect((await bob.open('/connect/callback?state=forged&code=x')).status).toBe(400)
    expect((await bob.open('/connect')).html).toContain('Not connected.')
  })
})

it('a caller is exchanged for an account without a question', async () => {
  const exchange = {
    kind: 'exchange',
    tokenUrl: `${world.as.url}/token`,
    clientId: 'gantry',
    audience: 'web',
  }
  const gateway = await companyGateway({ mcpServers: { web: { url: world.web.url, credentials: exchange } } })
  closing.push(() => gateway.close())
  const { json } = await signIn(gateway, new Browser('ann'))
  const client = await clientOf(gateway.endpoint, json.access_token)
  await expect.poll(async () => (await client.listTools().all()).map(({ name }) => name)).toContain('web_who')
  expect((await client.call('web_who')).text()).toMatch(/^Bearer at\.exchanged\.\d+$/)
  expect(world.exchanged[0]?.get('subject_token')).toBe(json.access_token)
  expect(world.exchanged[0]?.get('audience')).toBe('web')
})
