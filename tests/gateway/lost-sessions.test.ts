import { afterEach, describe, expect, it } from 'vitest'
import { connect, http, sse, type Client } from '@gantry/mcp/client'
import { forgetfulTarget, type ForgetfulTarget, type Refusal } from '../support/forgetful-target.ts'
import { forgetfulSseTarget } from '../support/forgetful-sse-target.ts'
import { modernRequest } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const error = (code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null })

const SPELLINGS: Refusal[] = [
  { status: 404, body: '' },
  { status: 404, body: error(-32001, 'Session not found') },
  { status: 400, body: error(-32000, 'Bad Request: No valid session ID provided') },
  { status: 400, body: error(-32000, 'Bad Request: Server not initialized') },
  { status: 400, body: 'Missing session ID' },
  { status: 401, body: 'Unauthorized: Session not found' },
  { status: 200, body: error(-32000, 'Session not found') },
]

async function forgetful(refusal: Refusal = SPELLINGS[0]!): Promise<ForgetfulTarget> {
  const target = await forgetfulTarget(refusal)
  closing.push(() => target.close())
  return target
}

async function gatewayTo(url: string, more: object = {}): Promise<TestGateway> {
  const gateway = await testGateway({ mcpServers: { web: { url, restart: { minDelay: 10 }, ...more } } })
  closing.push(() => gateway.close())
  return gateway
}

async function open(url: string, elicit: () => unknown = () => ({ action: 'decline' })): Promise<Client> {
  const client = await connect(http(url), { era: 'legacy', elicit: elicit as never })
  closing.push(() => client.close())
  return client
}

const initializations = ({
  seen,
}: {
  readonly seen: readonly { readonly rpc: string | undefined }[]
}): number => seen.filter(({ rpc }) => rpc === 'initialize').length

describe.each(SPELLINGS)('a session that is answered with HTTP $status $body', (refusal) => {
  it('is opened again by the SDK, whichever call meets it first, and once for all calls', async () => {
    const target = await forgetful(refusal)
    const client = await open(target.url)
    expect((await client.call('count')).text()).toBe('1')
    target.forget()
    const both = await Promise.all([client.call('count'), client.call('count')])
    expect(both.map((result) => result.text()).sort()).toEqual(['2', '3'])
    expect(initializations(target)).toBe(2)
    target.forget()
    await client.rootsChanged()
    expect((await client.call('count')).text()).toBe('4')
    target.forget()
    await using _ = await client.subscribe('x://thing')
    const heard: string[] = []
    client.on('resourceUpdated', ({ uri }) => heard.push(uri))
    await expect
      .poll(() => {
        target.announce()
        return heard.length
      })
      .toBeGreaterThan(0)
  })

  it('is opened again by the gateway when the health check meets it, without any call', async () => {
    const target = await forgetful(refusal)
    const gateway = await gatewayTo(target.url, { health: { interval: 50, failures: 3 } })
    const client = await open(gateway.endpoint)
    expect((await client.call('web_count')).text()).toBe('1')
    const before = initializations(target)
    target.forget()
    await expect.poll(() => initializations(target)).toBe(before + 1)
    expect((await client.call('web_count')).text()).toBe('2')
    expect(gateway.gateway.target('web')!.state).toBe('ready')
  })
})

/** Everything that a client may do first after its server has forgotten it. */
const FIRST: Record<string, (client: Client) => Promise<unknown>> = {
  notification: (client) => client.rootsChanged(),
  ping: (client) => client.ping(),
  list: (client) => client.listTools({ fresh: true }).all(),
  call: (client) => client.call('count'),
  read: (client) => client.readResource('x://thing'),
  completion: (client) => client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' }),
  level: (client) => client.setLogLevel('error'),
  subscription: (client) => client.subscribe('x://other'),
}

describe.each(Object.keys(FIRST))('a session that a %s finds lost', (first) => {
  it('is opened once, with the subscriptions and the log level that it had', async () => {
    const target = await forgetful(SPELLINGS[2])
    const client = await open(target.url)
    const heard: string[] = []
    client.on('resourceUpdated', ({ uri }) => heard.push(uri))
    await client.setLogLevel('debug')
    await using _ = await client.subscribe('x://thing')
    target.forget({ keepStreams: true })
    await FIRST[first]!(client)
    await client.call('count')
    expect(initializations(target)).toBe(2)
    heard.length = 0
    await expect
      .poll(() => {
        target.announce()
        return heard.length
      })
      .toBeGreaterThan(0)
    const levels = target.seen.filter(
      ({ session, rpc }) => session === 'session-2' && rpc === 'logging/setLevel',
    )
    expect(levels.at(-1)?.level).toBe(first === 'level' ? 'error' : 'debug')
  })
})

describe.each([400, 404])('a session over HTTP+SSE that is answered with HTTP %i', (status) => {
  const COUNTS = Array.from({ length: 10 }, (_, index) => index + 2)

  it('is opened once for all calls on their way, which are made again, directly and through the gateway', async () => {
    const target = await forgetfulSseTarget(status)
    closing.push(() => target.close())
    const direct = await connect(sse(target.url), { era: 'legacy' })
    closing.push(() => direct.close())
    const calls = (client: Client, name: string) => Promise.all(COUNTS.map(() => client.call(name)))
    const counted = (results: Awaited<ReturnType<typeof calls>>) =>
      results.map((result) => Number(result.text())).toSorted((a, b) => a - b)
    await direct.call('count')
    target.forget()
    expect(counted(await calls(direct, 'count'))).toEqual(COUNTS)
    expect(initializations(target)).toBe(2)
    await direct.close()
    const gateway = await gatewayTo(target.url)
    const through = await open(gateway.endpoint)
    await through.call('web_count')
    target.forget()
    expect(counted(await calls(through, 'web_count'))).toEqual(COUNTS.map((count) => count + 11))
    expect(initializations(target)).toBe(4)
  })

  it('has its subscriptions again when the health check finds it', async () => {
    const target = await forgetfulSseTarget(status)
    closing.push(() => target.close())
    const gateway = await gatewayTo(target.url, { health: { interval: 50, failures: 3 } })
    const client = await open(gateway.endpoint)
    const heard: string[] = []
    client.on('resourceUpdated', ({ uri }) => heard.push(uri))
    await using _ = await client.subscribe('web+x://thing')
    const before = initializations(target)
    target.forget()
    await expect.poll(() => initializations(target)).toBe(before + 1)
    await expect
      .poll(() => {
        target.announce()
        return heard.length
      })
      .toBeGreaterThan(0)
  })
})

describe.each([200, 400])('an error of a tool that speaks of a session, with HTTP %i', (status) => {
  it('is what the caller gets, and the tool is called once', async () => {
    const target = await forgetful()
    const direct = await open(target.url)
    const { endpoint } = await gatewayTo(target.url)
    const through = await open(endpoint)
    const failure = { code: -32000, message: expect.stringContaining('log in at the bank') }
    await expect(direct.call('bank', { status })).rejects.toMatchObject(failure)
    await expect(through.call('web_bank', { status })).rejects.toMatchObject(failure)
    expect(target.seen.filter(({ rpc }) => rpc === 'tools/call')).toHaveLength(2)
    expect(initializations(target)).toBe(2)
  })
})

describe('a session that was lost', () => {
  it('may be lost again and again', async () => {
    const target = await forgetful()
    const direct = await open(target.url)
    const { endpoint } = await gatewayTo(target.url, { restart: { minDelay: 10, maxDelay: 20 } })
    const through = await open(endpoint)
    for (let round = 0; round < 4; round++) {
      await direct.call('count')
      await through.call('web_count')
      target.forget()
    }
    expect((await through.call('web_count')).text()).toBe('9')
  })

  it('has its subscriptions again, through the gateway', async () => {
    const target = await forgetful()
    const gateway = await gatewayTo(target.url, { health: { interval: 50 } })
    const client = await open(gateway.endpoint)
    const heard: string[] = []
    client.on('resourceUpdated', ({ uri }) => heard.push(uri))
    await using _ = await client.subscribe('web+x://thing')
    const hears = () =>
      expect
        .poll(() => {
          target.announce()
          return heard.length
        })
        .toBeGreaterThan(0)
    await hears()
    target.forget()
    await expect
      .poll(() => target.seen.findLast(({ rpc }) => rpc === 'resources/subscribe')?.session)
      .toBe('session-2')
    heard.length = 0
    await hears()
  })

  it('has its log level again', async () => {
    const target = await forgetful()
    const client = await open(target.url)
    await client.setLogLevel('debug')
    await using _ = await client.subscribe('x://thing')
    // Nothing is asked: its stream finds out.
    target.forget()
    await expect
      .poll(() => target.seen.filter(({ rpc }) => rpc === 'logging/setLevel').map(({ session }) => session))
      .toEqual(['session-1', 'session-2'])
  })

  it('takes a call with a question with it, and the call is not sent again', async () => {
    const target = await forgetful()
    const gateway = await gatewayTo(target.url)
    const client = await open(gateway.endpoint, () => {
      target.forget()
      return { action: 'accept', content: { name: 'Ada' } }
    })
    await expect(client.call('web_ask')).rejects.toMatchObject({ data: { mayHaveHappened: true } })
    expect(target.seen.filter(({ rpc }) => rpc === 'tools/call')).toHaveLength(1)
    expect((await client.call('web_count')).text()).toBe('1')
  })

  it('takes a parked call of a modern client with it, and the next call works', async () => {
    const target = await forgetful()
    const { endpoint } = await gatewayTo(target.url)
    const asked = await modernRequest(endpoint, 'tools/call', { name: 'web_ask' })
    const { inputRequests, requestState } = asked.message.result
    target.forget()
    const inputResponses = { [Object.keys(inputRequests)[0]!]: { action: 'decline' } }
    const params = { name: 'web_ask', inputResponses, requestState }
    const failed = await modernRequest(endpoint, 'tools/call', params)
    expect(failed.message.error ?? failed.message.result).toMatchObject({ data: { target: 'web' } })
    const next = await modernRequest(endpoint, 'tools/call', { name: 'web_count' })
    expect(next.message.result.content).toMatchObject([{ text: '1' }])
  })
})
