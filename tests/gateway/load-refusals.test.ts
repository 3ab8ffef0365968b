import { afterAll, describe, expect, it } from 'vitest'
import { connect, sse } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { legacyRequest, modernRequest, openSession } from '../support/raw-client.ts'
import { testGateway } from '../support/start-gateway.ts'

let release: () => void = () => {}
let started = 0
const app = new Server({
  name: 'a',
  tools: {
    slow: tool({
      run: () =>
        new Promise<string>((resolve) => {
          started++
          release = () => resolve('slow')
        }),
    }),
    quick: tool({ run: () => 'quick' }),
  },
})
const open = await Promise.all(
  [{ server: { limits: { requestsInFlight: 1 } } }, { defaults: { concurrency: 1, queue: 0 } }].map(
    (limits) =>
      testGateway({ mcpServers: { a: { module: 'a' } }, ...limits }, { embedded: new Map([['a', app]]) }),
  ),
)
afterAll(() => Promise.all(open.map((gateway) => gateway.close())))

/** What a caller gets who calls while its own call takes the only place. */
async function whileBusy<T>(call: (name: string) => Promise<T>): Promise<T> {
  const before = started
  const slow = call('a_slow')
  await expect.poll(() => started).toBe(before + 1)
  try {
    return await call('a_quick')
  } finally {
    release()
    await slow
  }
}

describe('load', () => {
  describe.each([
    ['the gateway', open[0]!, undefined],
    ['its target', open[1]!, 'a'],
  ])('refuses what is too much for %s', (_what, gateway, target) => {
    const data = { reason: 'busy', retryAfter: 1, ...(target !== undefined && { target }) }

    it('with 429 and Retry-After, and the same in the error, for a modern client', async () => {
      const { status, headers, message } = await whileBusy((name) =>
        modernRequest(gateway.endpoint, 'tools/call', { name }),
      )
      expect([status, headers.get('retry-after')]).toEqual([429, '1'])
      expect(message.error).toMatchObject({ code: -32603, data })
    })

    it('with 429 and Retry-After, and the same in the error, for a legacy client', async () => {
      const session = await openSession(gateway.endpoint)
      const { status, headers, message } = await whileBusy((name) =>
        legacyRequest(gateway.endpoint, 'tools/call', { name }, { session }),
      )
      expect([status, headers.get('retry-after')]).toEqual([429, '1'])
      expect(message.error).toMatchObject({ code: -32603, data })
    })

    it('with the error on the stream of HTTP+SSE', async () => {
      await using client = await connect(sse(`${gateway.url}/sse`))
      const refused = await whileBusy((name) => client.call(name).catch((error: unknown) => error))
      expect(refused).toMatchObject({ code: -32603, data })
    })
  })
})

describe('a limit that is used up', async () => {
  const rates = [{ name: 'once', for: ['a/quick'], rate: '1/h' }]
  const gateway = await testGateway(
    { mcpServers: { a: { module: 'a' } }, views: { desk: { use: ['a/*'] } }, limits: { rates } },
    { embedded: new Map([['a', app]]) },
  )
  afterAll(() => gateway.close())
  await modernRequest(gateway.endpoint, 'tools/call', { name: 'a_quick' })
  const data = { reason: 'limit', limit: 'once', retryAfter: expect.any(Number) }
  const isInTime = (headers: Headers): boolean => {
    const seconds = Number(headers.get('retry-after'))
    return seconds > 3000 && seconds <= 3600
  }

  it.each(['', '/a', '/desk'])('refuses a modern client at %j, with 429 and Retry-After', async (place) => {
    const name = place === '/a' ? 'quick' : 'a_quick'
    const { status, headers, message } = await modernRequest(gateway.endpoint + place, 'tools/call', { name })
    expect([status, isInTime(headers)]).toEqual([429, true])
    expect(message.error).toMatchObject({ code: -32603, data })
  })

  it('refuses a legacy client in the same way', async () => {
    // A session without credentials is a caller of its own.
    const session = await openSession(gateway.endpoint)
    const call = () => legacyRequest(gateway.endpoint, 'tools/call', { name: 'a_quick' }, { session })
    expect((await call()).message.result).toBeDefined()
    const { status, headers, message } = await call()
    expect([status, isInTime(headers)]).toEqual([429, true])
    expect(message.error).toMatchObject({ code: -32603, data })
  })

  it('says so on the stream of HTTP+SSE', async () => {
    await using client = await connect(sse(`${gateway.url}/sse`))
    await client.call('a_quick')
    const refused = await client.call('a_quick').catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: -32603, data })
  })
})
