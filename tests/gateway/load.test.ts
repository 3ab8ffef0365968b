import { afterEach, describe, expect, it } from 'vitest'
import { prompt, Server, tool } from '@gantry/mcp/server'
import {
  listenRaw,
  legacyRequest,
  modernRequest,
  openSession,
  type RawAnswer,
} from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const KEYS = { greedy: 'a-long-enough-key-for-the-greedy', modest: 'a-long-enough-key-for-the-modest' }
type Caller = keyof typeof KEYS

/** Calls that are being worked on, in the order of their beginning; each waits until it is let go. */
let running: { who: string; go: () => void }[] = []

const app = new Server({
  name: 'app',
  tools: {
    slow: tool({
      run: (args: unknown) =>
        new Promise<string>((resolve) => {
          running.push({ who: String((args as { who?: unknown }).who), go: () => resolve('done') })
        }),
    }),
    quick: tool({ run: () => 'quick' }),
  },
  prompts: {
    greet: prompt({
      arguments: {
        who: {
          complete: () =>
            new Promise<string[]>((resolve) => {
              running.push({ who: 'completion', go: () => resolve(['world']) })
            }),
        },
      },
      run: () => 'hello',
    }),
  },
})

let gateway: TestGateway
afterEach(async () => {
  letAllGo()
  await gateway.close()
})

async function start(config: { target?: object; limits?: object; keys?: boolean }): Promise<void> {
  running = []
  const apiKeys = Object.entries(KEYS).map(([name, key]) => ({ name, key, scopes: ['gantry:metrics'] }))
  gateway = await testGateway(
    {
      mcpServers: { app: { module: 'app', ...config.target } },
      server: { limits: config.limits ?? {} },
      ...(config.keys !== false && { auth: { apiKeys } }),
    },
    { embedded: new Map([['app', app]]) },
  )
}

const as = (caller: Caller) => ({ authorization: `Bearer ${KEYS[caller]}` })

const call = (name: string, caller: Caller): Promise<RawAnswer> =>
  modernRequest(
    gateway.endpoint,
    'tools/call',
    { name: `app_${name}`, arguments: { who: caller } },
    { headers: as(caller) },
  )

function letAllGo(): void {
  for (const { go } of running.splice(0)) go()
}

async function until(look: () => boolean): Promise<void> {
  while (!look()) await new Promise((resolve) => setTimeout(resolve, 2))
}

function expectRefused(answer: RawAnswer): void {
  expect(answer.status).toBe(429)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(answer.message.error.data).toMatchObject({ reason: 'busy', retryAfter: expect.any(Number) })
}

describe('the limit of requests in flight', () => {
  it('refuses a caller that has its part with 429; another waits for the next place and is served', async () => {
    await start({ limits: { requestsInFlight: 2, callerShare: 1 } })
    const slow = [call('slow', 'greedy'), call('slow', 'greedy')]
    await until(() => running.length === 2)
    expectRefused(await call('quick', 'greedy'))
    const modest = call('quick', 'modest')
    await until(() => gateway.gateway.admission.waiting === 1)
    running.shift()!.go()
    expect((await modest).status).toBe(200)
    letAllGo()
    for (const answer of slow) expect((await answer).status).toBe(200)
    expect((await call('quick', 'greedy')).status).toBe(200)
  })

  it.each(['slow', 'completion'])(
    'leaves room for others when one caller takes its share with calls that never end (%s)',
    async (kind) => {
      await start({ limits: { requestsInFlight: 8 } })
      const ref = { type: 'ref/prompt', name: 'app_greet' }
      const params = { ref, argument: { name: 'who', value: 'w' } }
      const flood = Array.from({ length: 50 }, () =>
        kind === 'slow'
          ? call('slow', 'greedy')
          : modernRequest(gateway.endpoint, 'completion/complete', params, { headers: as('greedy') }),
      )
      let answered = 0
      for (const answer of flood) void answer.then(() => answered++)
      // The rest is refused: what came after the others are let go would find room.
      await until(() => running.length === 4 && answered === 46)
      expect((await call('quick', 'modest')).status).toBe(200)
      expect(gateway.gateway.admission.waiting).toBe(0)
      letAllGo()
      const answers = await Promise.all(flood)
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
      for (const answer of answers.filter(({ status }) => status !== 200)) expectRefused(answer)
    },
  )

  it('is one limit for all endpoints', async () => {
    await start({ limits: { requestsInFlight: 1 } })
    const slow = call('slow', 'greedy')
    await until(() => running.length === 1)
    const params = { name: 'quick', arguments: {} }
    expectRefused(
      await modernRequest(`${gateway.endpoint}/app`, 'tools/call', params, { headers: as('greedy') }),
    )
    letAllGo()
    await slow
  })

  it('says the same to legacy sessions, which are callers of their own without a key', async () => {
    await start({ keys: false, limits: { requestsInFlight: 1 } })
    const [mine, other] = [await openSession(gateway.endpoint), await openSession(gateway.endpoint)]
    const params = { name: 'app_slow', arguments: { who: 'mine' } }
    const slow = legacyRequest(gateway.endpoint, 'tools/call', params, { session: mine })
    await until(() => running.length === 1)
    const quick = { name: 'app_quick', arguments: {} }
    expectRefused(await legacyRequest(gateway.endpoint, 'tools/call', quick, { session: mine }))
    const waiting = legacyRequest(gateway.endpoint, 'tools/call', quick, { session: other })
    letAllGo()
    expect((await waiting).status).toBe(200)
    await slow
  })

  it('forgets a caller that gives up waiting', async () => {
    await start({ limits: { requestsInFlight: 1 } })
    const slow = call('slow', 'greedy')
    await until(() => running.length === 1)
    const abort = new AbortController()
    const params = { name: 'app_slow', arguments: { who: 'modest' } }
    const given = modernRequest(gateway.endpoint, 'tools/call', params, {
      headers: as('modest'),
      signal: abort.signal,
    })
    await until(() => gateway.gateway.admission.waiting === 1)
    abort.abort()
    await expect(given).rejects.toThrow()
    await until(() => gateway.gateway.admission.waiting === 0)
    letAllGo()
    expect((await slow).status).toBe(200)
    expect((await call('quick', 'greedy')).status).toBe(200)
    expect(running).toEqual([])
  })
})

it('a caller that goes away has its place back, and the slot of a target that works on stays taken', async () => {
  await start({ limits: { requestsInFlight: 1 } })
  const abort = new AbortController()
  const params = { name: 'app_slow', arguments: { who: 'greedy' } }
  const given = modernRequest(gateway.endpoint, 'tools/call', params, {
    headers: as('greedy'),
    signal: abort.signal,
  })
  await until(() => running.length === 1)
  abort.abort()
  await expect(given).rejects.toThrow()
  await until(() => gateway.gateway.admission.inFlight === 0)
  expect(gateway.gateway.target('app')!.main.slots.used).toBe(1)
  expect((await call('quick', 'greedy')).status).toBe(200)
  letAllGo()
  await until(() => gateway.gateway.target('app')!.main.slots.used === 0)
  expect(gateway.gateway.admission.inFlight).toBe(0)
})

describe('the limit of a target', () => {
  it('gives callers turns: one with many slow calls does not starve another', async () => {
    await start({ target: { concurrency: 1, queue: 50 } })
    const many = Array.from({ length: 20 }, () => call('slow', 'greedy'))
    await until(() => running.length === 1)
    await until(() => gateway.gateway.target('app')!.main.slots.waiting === 19)
    const one = call('slow', 'modest')
    await until(() => gateway.gateway.target('app')!.main.slots.waiting === 20)
    const order: string[] = []
    for (let count = 0; count < 3; count++) {
      await until(() => running.length === 1)
      order.push(running[0]!.who)
      letAllGo()
    }
    expect(order).toContain('modest')
    expect((await one).status).toBe(200)
    const rest = setInterval(letAllGo, 1)
    await Promise.all(many)
    clearInterval(rest)
  })

  it('refuses the caller whose queue is full with 429, and nobody else', async () => {
    await start({ target: { concurrency: 1, queue: 1 } })
    const slow = [call('slow', 'greedy'), call('slow', 'greedy')]
    await until(() => gateway.gateway.target('app')!.main.slots.waiting === 1)
    const refused = await call('quick', 'greedy')
    expectRefused(refused)
    expect(refused.message.error.data.target).toBe('app')
    const modest = call('quick', 'modest')
    const letting = setInterval(letAllGo, 1)
    expect((await modest).status).toBe(200)
    await Promise.all(slow)
    clearInterval(letting)
  })
})

it('gantry_requests_in_flight counts work, and no listeners', async () => {
  await start({})
  const inFlight = async (): Promise<number> => {
    const response = await fetch(`${gateway.url}/metrics`, { headers: as('modest') })
    return Number(/^gantry_requests_in_flight (\d+)$/m.exec(await response.text())![1])
  }
  const abort = new AbortController()
  const heard: unknown[] = []
  const params = { notifications: { toolsListChanged: true } }
  const listening = listenRaw(gateway.endpoint, params, {}, abort.signal, (message) => heard.push(message), {
    headers: as('modest'),
  })
  await until(() => heard.length > 0)
  expect(await inFlight()).toBe(0)
  const slow = call('slow', 'greedy')
  await until(() => running.length === 1)
  expect(await inFlight()).toBe(1)
  letAllGo()
  await slow
  abort.abort()
  await listening
})
