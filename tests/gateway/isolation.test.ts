import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
    const own = () => instances().filter(({ key }) => key !== '')
    await expect.poll(() => own().filter(({ slots }) => slots.used > 0).length).toBe(3)
    const fourth = await open('legacy')
    await expect(fourth.call('raw_pid')).rejects.toThrow(/requests and connections that it can take/)
    await Promise.all([first, second, third].map((client) => client.close()))
    await Promise.all(hanging)
    expect(await pidOf(fourth)).toMatch(/^\d+$/)
    await expect.poll(() => isAlive(old)).toBe(false)
  })
})

describe('isolation: session, for modern callers without a name', () => {
  it.each(['session', 'user'])('asks calls at the same time, also the first ones (%s)', async (isolation) => {
    await start(rawTarget({}, { isolation }))
    const client = await open('modern', 'Eve')
    for (let round = 0; round < 3; round++) {
      const results = await Promise.all([1, 2, 3].map(() => client.call('raw_ask')))
      expect(results.map((result) => result.text().split(' ')[1])).toEqual(['Eve', 'Eve', 'Eve'])
    }
    // What was made for single calls ends with them.
    await expect.poll(() => instances().filter(({ key }) => key.startsWith('call:'))).toEqual([])
  })
})

it.each(['session', undefined])(
  'asks the first calls of different tools at the same time (%s)',
  async (isolation) => {
    await start(rawTarget({}, { ...(isolation && { isolation }) }))
    const names = ['Ada', 'Bob', 'Cyd']
    const callers = await Promise.all(names.map((name) => open('modern', name)))
    const late = { nonce: 'Who?', ms: 0, asks: true }
    const answers = await Promise.all([
      callers[0]!.call('raw_ask'),
      callers[1]!.call('raw_late', late),
      callers[2]!.call('raw_ask'),
    ])
    expect(answers.map((answer) => answer.text().split(' ').at(-1))).toEqual(names)
  },
)

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

  it('asks each session of one user, also when several ask at the same time', async () => {
    const key = 'key-of-ann-0123456789'
    await start(rawTarget({}, { isolation: 'user' }), { auth: { apiKeys: [{ name: 'ann', key }] } })
    const names = ['laptop', 'phone', 'desk']
    const sessions = await Promise.all(
      names.map((name) => open('legacy', name, { authorization: `Bearer ${key}` })),
    )
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(sessions.map((session) => session.call('raw_ask')))
      expect(answers.map((answer) => answer.text().split(' ')[1])).toEqual(names)
    }
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
    const pid = waiting.connection!.process!.pid!
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
    const pid = instances().find((instance) => instance.key.startsWith('call:'))!.connection!.process!.pid!
    expect(isAlive(pid)).toBe(true)
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  it('brings later rounds of a modern server back to the process that began the call', async () => {
    const env = { REVISIONS: '2026-07-28' }
    await start({ command: process.execPath, args: [ASKING_SERVER], env, isolation: 'call' })
    const client = await open('modern', 'Fay')
    expect((await client.call('raw_twice')).text()).toBe('Fay Fay Fay')
    await expect.poll(() => instances().filter((instance) => instance.key !== '').length).toBe(0)
  })
})

describe('isolation: shared', () => {
  it('refuses a question that could belong to several callers', async () => {
    await start(rawTarget({}, { isolation: 'shared' }))
    const client = await open('modern', 'Gil')
    const hanging = client.call('raw_hang').catch(() => {})
    await expect.poll(() => instances()[0]?.slots.used).toBe(1)
    const { exchanges } = gateway!.gateway
    const stop = exchanges.watch(() => {})
    expect((await client.call('raw_ask')).text()).toMatch(/undefined$/)
    stop()
    const [refused] = exchanges.recent(100).filter(({ status }) => status === 'refused')
    expect(refused).toMatchObject({ target: 'raw', method: 'elicitation/create' })
    expect(refused!.error).toContain('a new call may work; 2 calls are in flight, set "isolation": "session"')
    const [call] = exchanges.recent(100).filter(({ name }) => name === 'raw_ask')
    const said = call!.messages!.filter(({ hop }) => hop === 'target').map(({ json }) => json)
    expect(said.join()).toContain('"elicitation/create"')
    expect(said.join()).toContain('names none of them')
    await client.close()
    await hanging
  })

  it('lists a question that the client cannot be asked, with the reason', async () => {
    await start(rawTarget({}, { isolation: 'shared' }))
    const client = await connect(gateway!.endpoint, { era: 'legacy' })
    await client.call('raw_ask').catch(() => {})
    const [refused] = gateway!.gateway.exchanges.recent(100).filter(({ status }) => status === 'refused')
    expect(refused).toMatchObject({ target: 'raw', method: 'elicitation/create' })
    expect(refused!.error).toBe('The client did not declare the elicitation capability')
    await client.close()
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

  it.each([
    ['ask', 'ask'],
    ['peek', 'peek'],
    ['ask', 'peek'],
    ['peek', 'ask'],
  ])('asks all of the first calls that come at the same time (%s and %s)', async (...tools) => {
    await start(rawTarget({}))
    const names = ['Ada', 'Bob', 'Cyd', 'Dan']
    const open4 = await Promise.all(names.map((name, at) => open(at < 2 ? 'modern' : 'legacy', name)))
    const called = open4.map((client, at) => client.call(`raw_${tools[at % 2]}`))
    const answers = (await Promise.all(called)).map((answer) => answer.text())
    expect(answers.map((answer) => answer.split(' ')[1])).toEqual(names)
    // One whose call has ended leaves its connection to the next.
    expect(new Set(answers.map((answer) => answer.split(' ')[0])).size).toBeGreaterThan(1)
  })

  it('asks for resources as well, read for the first time beside the first calls of a tool', async () => {
    await start(rawTarget({ subscribeDelay: 1 }))
    const names = ['Ada', 'Bob', 'Cyd', 'Dan']
    const callers = await Promise.all(names.map((name, at) => open(at < 2 ? 'modern' : 'legacy', name)))
    const answers = await Promise.all(
      callers.map(async (caller, at) => {
        if (at % 2 === 0) return (await caller.call('raw_ask')).text().split(' ')[1]
        return (await caller.readResource('raw+raw://thing')).contents[0]
      }),
    )
    const read = (text: string) => expect.objectContaining({ text })
    expect(answers).toEqual(['Ada', read('Bob'), 'Cyd', read('Dan')])
  })

  it('keeps a question until the calls of others have ended', async () => {
    await start(rawTarget({}))
    const [ada, bob] = [await open('legacy', 'Ada'), await open('modern', 'Bob')]
    await ada.call('raw_late', { nonce: 'first', ms: 0 })
    const late = ada.call('raw_late', { nonce: 'late', ms: 500 })
    await expect.poll(() => instances()[0]?.slots.used).toBe(1)
    const answers = [(await bob.call('raw_ask')).text(), (await late).text()]
    expect(answers).toEqual([expect.stringMatching(/ Bob$/), 'late'])
  })

  it('refuses a question when a call that may have caused it is given up, and never again', async () => {
    await start(rawTarget({}))
    const [ada, bob] = [await open('legacy', 'Ada'), await open('legacy', 'Bob')]
    const abort = new AbortController()
    const hanging = ada.call('raw_hang', {}, { signal: abort.signal }).catch(() => {})
    await expect.poll(() => instances()[0]?.slots.used).toBe(1)
    const refused = bob.call('raw_ask')
    await expect.poll(isolates, { timeout: 5000 }).toBe(true)
    abort.abort()
    expect((await refused).text()).toMatch(/undefined$/)
    await hanging
    expect((await bob.call('raw_ask')).text()).toMatch(/ Bob$/)
    expect((await ada.call('raw_ask')).text()).toMatch(/ Ada$/)
  })

  it('makes nobody wait for long, or twice, for a first call that never ends', async () => {
    await start(rawTarget({}))
    const [ada, bob] = [await open('modern', 'Ada'), await open('modern', 'Bob')]
    const hanging = ada.call('raw_hang').catch(() => {})
    await expect.poll(() => instances()[0]?.slots.used).toBe(1)
    const abort = new AbortController()
    const waiting = bob.call('raw_late', { nonce: 'given up', ms: 0 }, { signal: abort.signal })
    abort.abort()
    await expect(waiting).rejects.toThrow()
    await pidOf(bob)
    expect((await bob.call('raw_late', { nonce: 'mine', ms: 0 })).text()).toBe('mine')
    const others = await Promise.all(
      [1, 2, 3].map(async (n) => (await bob.call('raw_late', { nonce: `${n}`, ms: 0 })).text()),
    )
    expect(others).toEqual(['1', '2', '3'])
    expect(instances()).toHaveLength(1)
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

  it('goes on with the same processes after a call was given up: one for what asks, one for the rest', async () => {
    await start(rawTarget({}))
    const client = await open('modern', 'Eve')
    const pid = await pidOf(client)
    expect((await client.call('raw_ask')).text()).toBe(`${pid} Eve`)
    await client.call('raw_hang', {}, { timeout: 100 }).catch(() => {})
    expect(await pidOf(client)).toBe(pid)
    const asked = (await client.call('raw_ask')).text()
    expect(asked).toMatch(/ Eve$/)
    expect((await client.call('raw_ask')).text()).toBe(asked)
    expect(await pidOf(client)).toBe(pid)
    expect(instances()).toHaveLength(2)
  })

  it('never shows a question of a call that was given up to the next anonymous caller', async () => {
    await start(rawTarget({}))
    const [client, questions] = [await open('modern', 'Eve'), [] as string[]]
    expect((await client.call('raw_ask')).text()).toMatch(/ Eve$/)
    await client.call('raw_stubborn', { ms: 300 }, { timeout: 100 }).catch(() => {})
    const other = await connect(gateway!.endpoint, {
      era: 'modern',
      elicit: ({ message }) => {
        questions.push(String(message))
        return { action: 'accept', content: { name: 'Fay' } }
      },
    })
    clients.push(other)
    // A call that asked nothing so far shares the process with the one that was given up.
    await other.call('raw_late', { nonce: 'mine', ms: 600 })
    expect((await other.call('raw_ask')).text()).toMatch(/ Fay$/)
    expect(questions).toEqual(['Name?'])
  })

  it('refuses questions of several callers once, and not again after a restart', async () => {
    const stateDir = await mkdtemp(join(tmpdir(), 'gantry-asking-'))
    const askBoth = async () => {
      await start(rawTarget({}), { stateDir })
      const both = await Promise.all(['Ada', 'Bob'].map((name) => open('legacy', name)))
      const call = async (asks: boolean) => {
        const called = both.map((one) => one.call('raw_late', { nonce: 'x', ms: 300, asks }))
        return (await Promise.all(called)).map((answer) => answer.text())
      }
      // A tool that has ended once without a question counts as one that asks nothing.
      const answers = [await call(false), await call(true)]
      await Promise.all(clients.splice(0).map((client) => client.close()))
      await gateway!.close()
      return answers
    }
    expect(await askBoth()).toEqual([
      ['x', 'x'],
      ['undefined', 'undefined'],
    ])
    expect(await askBoth()).toEqual([
      ['x', 'x'],
      ['Ada', 'Bob'],
    ])
    await rm(stateDir, { recursive: true })
  })

  it('learns what asks from a question that it has to refuse', async () => {
    await start(rawTarget({}))
    const client = await open('modern', 'Eve')
    expect((await client.call('raw_ask')).text()).toMatch(/ Eve$/)
    await client.call('raw_hang', {}, { timeout: 100 }).catch(() => {})
    const late = async () => (await client.call('raw_late', { nonce: 'Who?', ms: 0, asks: true })).text()
    expect([await late(), await late()]).toEqual(['undefined', 'Eve'])
  })
})
