import { describe, expect, it } from 'vitest'
import { MemoryContinuations, type ParkedCall } from '../exchange/index.ts'
import { Server, tool } from '../server/index.ts'
import { RawPeer } from '../testing/fixtures/raw-peer.test.support.ts'
import { HttpHost } from './fixtures/http-hosts.test.node.ts'
import type { Guard } from './http/server/reply.ts'

const app = (): Server => new Server({ name: 's', tools: { ping: tool({ run: () => 'pong' }) } }) as Server

const guard: Guard = ({ headers }) => ({
  ok: true,
  auth: { principal: { kind: 'key', subject: headers.authorization ?? '' }, scopes: [], claims: {} },
})

const pings = (count: number): object[] =>
  Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))

describe('what one request and one caller may take', () => {
  it('a batch of 1,000 messages is answered, and a longer one is refused as a whole', async () => {
    await using host = await HttpHost.open('node', app())
    const session = await host.session('2025-03-26')
    expect(await (await host.post(pings(1000), session)).json()).toHaveLength(1000)
    const refused = await host.post(pings(1001), session)
    expect([refused.status, (await refused.json()).error.message]).toEqual([
      400,
      'Invalid request: a batch may have 1000 messages',
    ])
  })

  it('the same holds on a pipe', async () => {
    const peer = new RawPeer(app())
    const clientInfo = { name: 'c', version: '1' }
    await peer.request('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo })
    peer.send(JSON.stringify(pings(1001)))
    expect((await peer.answerTo(null)).error).toMatchObject({ message: expect.stringContaining('1000') })
  })

  it('sessions in use of one principal are refused beyond its share, and another opens its own', async () => {
    const limits = { sessions: { perCaller: 2, total: 10 } }
    await using host = await HttpHost.open('node', app(), { guard, limits })
    // Streams that nothing refers to are closed when memory is cleaned up.
    const streams: Response[] = []
    const openAndUse = async (authorization: string): Promise<number> => {
      const session = await host.session('2025-11-25', {}, { authorization })
      const headers = { accept: 'text/event-stream', ...session }
      streams.push(await host.request({ method: 'GET', headers }))
      return streams.at(-1)!.status
    }
    expect([await openAndUse('a'), await openAndUse('a')]).toEqual([200, 200])
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }
    const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
    const refused = await host.post(hello, { authorization: 'a' })
    expect([refused.status, (await refused.json()).error.data.reason]).toEqual([429, 'sessions'])
    expect(await openAndUse('b')).toBe(200)
  })

  it('calls that wait for an answer are parked up to the share of their caller', () => {
    const parked = new MemoryContinuations({ maxParked: 3, maxParkedOfCaller: 2 })
    const callOf = (caller: string): ParkedCall => ({
      caller,
      accepts: () => true,
      resume: () => Promise.reject(new Error('unused')),
      expire: () => {},
    })
    const first = parked.park(callOf('a'))!
    expect([parked.park(callOf('a')), parked.park(callOf('a'))]).toEqual([expect.any(String), undefined])
    expect([parked.park(callOf('b')), parked.park(callOf('b'))]).toEqual([expect.any(String), undefined])
    parked.take(first)
    expect(parked.park(callOf('a'))).toEqual(expect.any(String))
  })
})
