import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'
import { Visitor } from '../support/visitor.ts'

const SERVER = fileURLToPath(new URL('../fixtures/account-server.mjs', import.meta.url))
const PEOPLE = {
  ann: 'key-of-ann-0123456789-abcdefgh',
  bob: 'key-of-bob-0123456789-abcdefgh',
} as const
type Name = keyof typeof PEOPLE

const auth = { apiKeys: Object.entries(PEOPLE).map(([name, key]) => ({ name, key })) }
const program = (more: object = {}) => ({
  command: process.execPath,
  args: [SERVER],
  credentials: { kind: 'user', env: { ACCOUNT_TOKEN: 'Your token' } },
  ...more,
})

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function start(config: object): Promise<TestGateway> {
  const gateway = await testGateway({ auth, ...config })
  closing.push(() => gateway.close())
  return gateway
}

interface Abilities {
  era?: 'legacy' | 'modern'
  /** Shows pages to the person. */
  openPage?: (url: string) => unknown
}

async function clientOf(gateway: TestGateway, name: Name, { era = 'modern', openPage }: Abilities = {}) {
  const headers = { authorization: `Bearer ${PEOPLE[name]}` }
  const client: Client = await connect(http(gateway.endpoint, { headers }), {
    era,
    ...(openPage && {
      elicit: (question: { mode?: string; url?: string }) => {
        void openPage(question.url!)
        return { action: 'accept' as const }
      },
    }),
  })
  closing.push(() => client.close())
  return client
}

/** A person at the portal who pastes a token. */
async function paste(gateway: TestGateway, name: Name, token: string, path = '/connect/to/box') {
  const visitor = new Visitor(gateway.url)
  const page = await visitor.signIn(PEOPLE[name], path)
  return visitor.submit(page, { 'secret ACCOUNT_TOKEN': token })
}

const LINK = /http:\S+\/connect\/go\/[\w-]{22}/

describe('a program that is used with an account of each person', () => {
  it.each(['legacy', 'modern'] as const)(
    'has a process for each, with the token of that person, side by side (%s)',
    async (era) => {
      const gateway = await start({ mcpServers: { box: program() } })
      await paste(gateway, 'ann', 'token-of-ann-1')
      await paste(gateway, 'bob', 'token-of-bob-1')
      const [ann, bob] = [await clientOf(gateway, 'ann', { era }), await clientOf(gateway, 'bob', { era })]
      const calls = await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          const who: Name = at % 2 === 0 ? 'ann' : 'bob'
          return [who, (await (who === 'ann' ? ann : bob).call('box_whoami')).text()] as const
        }),
      )
      for (const [who, text] of calls) expect(text).toMatch(new RegExp(`^token-of-${who}-1 `))
      expect(new Set(calls.map(([, text]) => text)).size).toBe(2)

      // Another token is another process; the other person's stays.
      await paste(gateway, 'ann', 'token-of-ann-2')
      await expect.poll(async () => (await ann.call('box_whoami')).text()).toMatch(/^token-of-ann-2 /)
      expect((await bob.call('box_whoami')).text()).toBe(calls.find(([who]) => who === 'bob')![1])
    },
  )

  it('refuses callers who are nobody in particular, with advice', async () => {
    const gateway = await start({ auth: {}, mcpServers: { box: program() } })
    const client = await connect(gateway.endpoint, { era: 'modern' })
    closing.push(() => client.close())
    const answer = await client.call('box_whoami')
    expect(answer.raw).toMatchObject({ isError: true, _meta: { 'dev.gantry/account': 'no-person' } })
    expect(answer.text()).toContain('Sign in to the gateway, or use a key')
    expect((await new Visitor(gateway.url).open('/connect')).status).toBe(404)
  })

  it('answers a client without pages with a link that works once, for its person alone', async () => {
    const gateway = await start({ mcpServers: { box: program() } })
    const ann = await clientOf(gateway, 'ann')
    const answer = await ann.call('box_whoami')
    expect(answer.raw).toMatchObject({ isError: true, _meta: { 'dev.gantry/account': 'not-connected' } })
    const link = LINK.exec(answer.text())![0]
    // A caller that tries again does not fill the store.
    expect((await ann.call('box_whoami')).text()).toContain(link)
    expect(link).not.toContain(PEOPLE.ann)

    const bob = await new Visitor(gateway.url).signIn(PEOPLE.bob, link)
    expect([bob.status, bob.html]).toEqual([403, expect.stringContaining('made for another person')])
    const visitor = new Visitor(gateway.url)
    const page = await visitor.signIn(PEOPLE.ann, link)
    expect(page.url).toBe(`${gateway.url}/connect/to/box`)
    expect((await visitor.open(link)).status).toBe(410)
    const done = await visitor.submit(page, { 'secret ACCOUNT_TOKEN': 'token-of-ann-1' })
    expect(done.html).toContain('box is connected now')
    expect((await ann.call('box_whoami')).text()).toMatch(/^token-of-ann-1 /)
  })

  it.each(['legacy', 'modern'] as const)(
    'sends a client with pages there, holds the call and finishes it (%s)',
    async (era) => {
      const gateway = await start({ mcpServers: { box: program() } })
      const opened: string[] = []
      const openPage = async (url: string) => {
        opened.push(url)
        await paste(gateway, 'ann', 'token-of-ann-1', url)
      }
      const ann = await clientOf(gateway, 'ann', { era, openPage })
      expect((await ann.call('box_whoami')).text()).toMatch(/^token-of-ann-1 /)
      expect(opened).toEqual([expect.stringMatching(LINK)])
      expect((await ann.call('box_whoami')).text()).toMatch(/^token-of-ann-1 /)
      expect(opened).toHaveLength(1)
    },
  )

  it('that tells strangers nothing offers to connect, and then what it has', async () => {
    const gateway = await start({ mcpServers: { box: program({ env: { MUST_HAVE: '1' } }) } })
    const [ann, bob] = [await clientOf(gateway, 'ann'), await clientOf(gateway, 'bob')]
    const names = async (client: Client) => (await client.listTools().all()).map(({ name }) => name)
    await expect.poll(() => names(ann)).toEqual(['box_connect'])
    const link = LINK.exec((await ann.call('box_connect')).text())![0]
    await paste(gateway, 'ann', 'token-of-ann-1', link)
    expect((await ann.call('box_connect')).text()).toContain('is connected')
    await expect.poll(() => names(ann)).toContain('box_whoami')
    expect((await ann.call('box_whoami')).text()).toMatch(/^token-of-ann-1 /)
    expect(await names(bob)).toEqual(['box_connect'])
  })

  it('that cannot be started says so to those who have connected it, from the first call on', async () => {
    const gateway = await start({ mcpServers: { box: { ...program(), command: 'no-such-program-here' } } })
    await paste(gateway, 'ann', 'token-of-ann-1')
    const [ann, bob] = [await clientOf(gateway, 'ann'), await clientOf(gateway, 'bob')]
    const fails = {
      message: expect.stringMatching(/could not be started|is not available/),
      data: { target: 'box' },
    }
    await expect(ann.call('box_whoami')).rejects.toMatchObject(fails)
    await expect(ann.call('box_whoami')).rejects.toMatchObject(fails)
    await expect(bob.call('box_whoami')).rejects.toMatchObject({ message: 'Unknown tool: box_whoami' })
  })

  it('ends the process of a person who disconnects, and asks again', async () => {
    const gateway = await start({ mcpServers: { box: program() } })
    await paste(gateway, 'ann', 'token-of-ann-1')
    const ann = await clientOf(gateway, 'ann')
    await ann.call('box_whoami')
    const visitor = new Visitor(gateway.url)
    const page = await visitor.signIn(PEOPLE.ann)
    expect(page.html).toMatch(/Last used<\/dt><dd><time/)
    const done = await visitor.submit(page, {}, '/connect/off/box')
    expect(done.html).toContain('box is disconnected now')
    await expect.poll(async () => (await ann.call('box_whoami')).text()).toMatch(LINK)
    const own = gateway.gateway.target('box')!.instances.filter(({ key }) => key.startsWith('user:'))
    expect(own).toEqual([])
  })
})

describe('the page of accounts', () => {
  it('takes no answer that does not come from it, and no redirect elsewhere', async () => {
    const gateway = await start({ mcpServers: { box: program() } })
    const visitor = new Visitor(gateway.url)
    await visitor.signIn(PEOPLE.ann)
    const forged = await visitor.open('/connect/to/box', { 'secret ACCOUNT_TOKEN': 'stolen', proof: 'x' })
    expect(forged.status).toBe(400)
    expect((await new Visitor(gateway.url).open('/connect/to/box', { proof: '' })).status).toBe(403)
    for (const next of [
      '//evil.example/connect',
      '/connect//evil.example',
      '/connect\\@evil.example',
      '/connect/../api/config',
      '/connect/%2e%2e/api/config',
    ]) {
      const elsewhere = await new Visitor(gateway.url).open('/connect/sign-in', { key: PEOPLE.ann, next })
      expect([next, elsewhere.url]).toEqual([next, `${gateway.url}/connect`])
    }
    const wrong = await new Visitor(gateway.url).signIn('no-key-of-anybody-0123456789')
    expect([wrong.status, wrong.html]).toEqual([403, expect.stringContaining('not a key or token')])
  })

  it('shows a person what policy lets them know, and nothing else', async () => {
    const policy = { rules: [{ who: { apiKeys: ['bob'] }, deny: ['box/*'] }] }
    const gateway = await start({ mcpServers: { box: program() }, policy })
    expect((await new Visitor(gateway.url).signIn(PEOPLE.ann)).html).toContain('>box<')
    expect((await new Visitor(gateway.url).signIn(PEOPLE.bob)).html).not.toContain('>box<')
    expect((await new Visitor(gateway.url).signIn(PEOPLE.bob, '/connect/to/box')).status).toBe(404)
  })
})
