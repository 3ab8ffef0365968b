import { afterEach, describe, expect, it } from 'vitest'
import { connect, http, type Client } from '@gantry/mcp/client'
import { modernRequest } from '../support/raw-client.ts'
import { isAlive, rawTarget } from '../support/raw-target.ts'
import { ASKING_SERVER, testGateway, type TestGateway } from '../support/start-gateway.ts'

let gateway: TestGateway | undefined
const clients: Client[] = []

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await gateway?.close()
})

async function start(target: object, config: object = {}): Promise<void> {
  gateway = await testGateway({ mcpServers: { raw: target }, ...config })
}

async function open(era: 'legacy' | 'modern', name = 'nobody', headers = {}): Promise<Client> {
  const client = await connect(http(gateway!.endpoint, { headers }), {
    era,
    elicit: () => ({ action: 'accept', content: { name } }),
  })
  clients.push(client)
  return client
}

const pidOf = async (client: Client): Promise<string> => (await client.call('raw_pid')).text()
const instances = () => gateway!.gateway.target('raw')!.instances
const text = (answer: { message: { result: { content: { text: string }[] } } }): string =>
  answer.message.result.content[0]!.text

describe('isolation: session', () => {
  it('gives every legacy session a process of its own, and modern clients one by who they are', async () => {
    await start(rawTarget({}, { isolation: 'session' }))
    const [a, b] = [await open('legacy'), await open('legacy')]
    const [pidA, pidB] = [await pidOf(a), await pidOf(b)]
    expect(pidA).not.toBe(pidB)
    expect(await pidOf(a)).toBe(pidA)
    const [c, d] = [await open('modern'), await open('modern')]
    expect(await pidOf(c)).toBe(await pidOf(d))
  })

  it('brings questions to the session that they belong to, with calls under way in others', async () => {
    await start(rawTarget({}, { isolation: 'session' }))
    const names = ['Ada', 'Bob', 'Cyd', 'Dan']
    const sessions = await Promise.all(names.map((name) => open('legacy', name)))
    const answers = await Promise.all(sessions.map(async (client) => (await client.call('raw_ask')).text()))
    expect(answers.map((answer) => answer.split(' ')[1])).toEqual(names)
    expect(new Set(answers.map((answer) => answer.split(' ')[0])).size).toBe(4)
  })

  it('makes room by ending the connection that was unused longest, and refuses when all are in use', async () => {
    await start(rawTarget({}, { isolation: 'session', maxInstances: 3 }))
    const first = await open('legacy')
    const old = Number(await pidOf(first))
    const second = await open('legacy')
    await pidOf(second)
    const third = await open('legacy')
    await pidOf(third)
    // The connection that all share comes on top: lists are fetched over it.
    expect(instances().filter(({ key }) => key !== '').length).toBeLessThanOrEqual(3)
    const hanging = [first, second, third].map((client) => client.call('raw_hang').catch(() => {}))
    await expect.poll(() => instances().filter((instance) => instance.slots.used > 0).length).toBe(3)
    const fourth = await open('legacy')
    await expect(fourth.call('raw_pid')).rejects.toThrow(/requests and connections that it can take/)
    await Promise.all([first, second, third].map((client) => client.close()))
    await Promise.all(hanging)
    expect(await pidOf(fourth)).toMatch(/^\d+$/)
    await expect.poll(() => isAlive(old)).toBe(false)
  })
})

describe('isolation: user', () => {
  it('shares a process among the clients of one principal only', async () => {
    await start(rawTarget({}, { isolation: 'user' }), {
      auth: {
        apiKeys: [
          { name: 'ann', key: 'key-of-ann-0123456789' },
          { name: 'ben', key: 'key-of-ben-0123456789' },
        ],
      },
    })
    const as = (key: string) => ({ authorization: `Bearer ${key}` })
    const ann1 = await open('legacy', 'x', as('key-of-ann-0123456789'))
    const ann2 = await open('modern', 'x', as('key-of-ann-0123456789'))
    const ben = await open('modern', 'x', as('key-of-ben-0123456789'))
    expect(await pidOf(ann1)).toBe(await pidOf(ann2))
    expect(await pidOf(ben)).not.toBe(await pidOf(ann1))
  })
})

describe('isolation: call', () => {
  it('starts a process for each call and ends it with the call', async () => {
    await start(rawTarget({}, { isolation: 'call' }))
    const client = await open('modern')
    const pids = await Promise.all([pidOf(client), pidOf(client), pidOf(client)])
    expect(new Set(pids).size).toBe(3)
    await expect.poll(() => pids.filter((pid) => isAlive(Number(pid)))).toEqual([])
  })

  it('keeps the process of a parked call until it is resumed, then ends it', async () => {
    await start(rawTarget({}, { isolation: 'call' }))
    const { endpoint } = gateway!
    const asked = await modernRequest(endpoint, 'tools/call', { name: 'raw_ask' })
    expect(asked.message.result.resultType).toBe('input_required')
    const { inputRequests, requestState } = asked.message.result
    const [key] = Object.keys(inputRequests)
    const waiting = instances().find((instance) => instance.key.startsWith('call:'))!
    const pid = waiting.link!.process!.pid!
    expect(isAlive(pid)).toBe(true)
    const inputResponses = { [key!]: { action: 'accept', content: { name: 'Eve' } } }
    const done = await modernRequest(endpoint, 'tools/call', {
      name: 'raw_ask',
      inputResponses,
      requestState,
    })
    expect(text(done)).toBe(`${pid} Eve`)
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  it('ends the process of a parked call that nobody comes back for', async () => {
    await start(rawTarget({}, { isolation: 'call' }), { server: { limits: { parkedFor: 300 } } })
    await modernRequest(gateway!.endpoint, 'tools/call', { name: 'raw_ask' })
    const pid = instances().find((instance) => instance.key.startsWith('call:'))!.link!.process!.pid!
    expect(isAlive(pid)).toBe(true)
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false)
  })

  it('brings later rounds of a modern server back to the process that began the call', async () => {
    const env = { REVISIONS: '2026-07-28' }
    await start({ command: process.execPath, args: [ASKING_SERVER], env, isolation: 'call' })
    const client = await open('modern', 'Fay')
    expect((await client.call('raw_twice')).text()).toBe('Fay Fay Fay')
    await expect
      .poll(() => instances().filter((instance) => instance.key !== '').length, { timeout: 30_000 })
      .toBe(0)
  })
})

describe('isolation: shared', () => {
  it('refuses a question that could belong to several callers', async () => {
    await start(rawTarget({}, { isolation: 'shared' }))
    const client = await open('modern', 'Gil')
    const hanging = client.call('raw_hang').catch(() => {})
    await expect.poll(() => instances()[0]?.slots.used).toBe(1)
    expect((await client.call('raw_ask')).text()).toMatch(/undefined$/)
    await client.close()
    await hanging
  })
})

describe('no isolation in the configuration', () => {
  const isolates = () => gateway!.gateway.target('raw')!.isolatesByItself

  it('shares one connection as long as the server asks nothing', async () => {
    await start(rawTarget({}))
    const [a, b, c] = [await open('legacy'), await open('legacy'), await open('modern')]
    expect(await pidOf(a)).toBe(await pidOf(b))
    expect(await pidOf(c)).toBe(await pidOf(b))
    expect(isolates()).toBe(false)
  })

  it('gives each session its own connection from the first question on; who was asked stays', async () => {
    await start(rawTarget({}))
    const [ada, bob] = [await open('legacy', 'Ada'), await open('legacy', 'Bob')]
    const shared = await pidOf(ada)
    expect((await ada.call('raw_ask')).text()).toBe(`${shared} Ada`)
    expect(isolates()).toBe(true)
    expect(await pidOf(ada)).toBe(shared)
    const own = await pidOf(bob)
    expect(own).not.toBe(shared)
    expect((await bob.call('raw_ask')).text()).toBe(`${own} Bob`)
  })

  it('lets an open question of one user stand in the way of nobody', async () => {
    await start(rawTarget({}))
    const { endpoint } = gateway!
    const first = await modernRequest(endpoint, 'tools/call', { name: 'raw_ask' })
    expect(first.message.result.resultType).toBe('input_required')
    const others = await Promise.all([
      modernRequest(endpoint, 'tools/call', { name: 'raw_ask' }),
      modernRequest(endpoint, 'tools/call', { name: 'raw_ask' }),
    ])
    for (const { message } of others) expect(message.result.resultType).toBe('input_required')
    const legacy = await open('legacy', 'Cyd')
    expect((await legacy.call('raw_ask')).text()).toMatch(/ Cyd$/)
  })

  it('keeps one anonymous caller after another on one connection', async () => {
    await start(rawTarget({}))
    const client = await open('modern', 'Dan')
    const pid = await pidOf(client)
    expect((await client.call('raw_ask')).text()).toBe(`${pid} Dan`)
    expect((await client.call('raw_ask')).text()).toBe(`${pid} Dan`)
    expect(await pidOf(client)).toBe(pid)
  })

  it('refuses a question that could be for several callers once, and never again', async () => {
    await start(rawTarget({}))
    const [ada, bob] = [await open('legacy', 'Ada'), await open('legacy', 'Bob')]
    const hanging = ada.call('raw_hang').catch(() => {})
    await expect.poll(() => instances()[0]?.slots.used).toBe(1)
    expect((await bob.call('raw_ask')).text()).toMatch(/undefined$/)
    expect((await bob.call('raw_ask')).text()).toMatch(/ Bob$/)
    expect((await ada.call('raw_ask')).text()).toMatch(/ Ada$/)
    await ada.close()
    await hanging
  })

  it('asks again after a call was given up', async () => {
    await start(rawTarget({}))
    const client = await open('modern', 'Eve')
    expect((await client.call('raw_ask')).text()).toMatch(/ Eve$/)
    await expect(client.call('raw_hang', {}, { timeout: 100 })).rejects.toMatchObject({ code: 'timeout' })
    expect((await client.call('raw_ask')).text()).toMatch(/ Eve$/)
  })
})
