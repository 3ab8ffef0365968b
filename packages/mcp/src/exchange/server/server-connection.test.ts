import { describe, expect, it } from 'vitest'
import type { Handle, Served } from '../index.ts'
import { ServerConnection } from './server-connection.ts'
import { RawPeer, quiet, until, withEnvelope } from '../../testing/fixtures/raw-peer.test.support.ts'
import { envelope } from '../../testing/fixtures/both-eras.test.support.ts'
import { Server, tool } from '../../server/index.ts'
import { complete } from '../exchange.ts'

function served(respond: Handle, more: Partial<Served> = {}): Served {
  return { info: { name: 's', version: '1' }, respond, ...more }
}

describe('a connection', () => {
  it.each(['legacy', 'modern'])(
    'a cancelled %s request is over at once, whatever its handler does; its id is free again',
    async (era) => {
      const finish: (() => void)[] = []
      const sent: string[] = []
      const connection = new ServerConnection(
        served((exchange) =>
          exchange.params.wait
            ? new Promise((resolve) => finish.push(() => resolve(complete({ old: true }))))
            : complete({ fresh: true }),
        ),
        { send: (text) => sent.push(text) },
      )
      const meta = era === 'modern' ? envelope() : {}
      const request = (wait: boolean) => ({
        jsonrpc: '2.0',
        id: 'x',
        method: 'some/method',
        params: { wait, ...meta },
      })
      connection.receive(request(true))
      expect(connection.inFlight).toBe(1)
      const idle = connection.idle()
      connection.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } })
      expect(connection.inFlight).toBe(0)
      await idle
      connection.receive(request(true))
      connection.receive(request(false))
      finish[0]!()
      await quiet()
      expect(connection.inFlight).toBe(1)
      expect(sent).toHaveLength(1)
      expect(JSON.parse(sent[0]!)).toMatchObject({ id: 'x', error: { code: -32600 } })
      finish[1]!()
      await until(() => sent.length === 2)
      expect(JSON.parse(sent[1]!)).toMatchObject({ id: 'x', result: { old: true } })
    },
  )

  it.each([false, true])('answers initialize before what was sent with it, strict: %s', async (strict) => {
    const sent: string[] = []
    let discoveries = 0
    const connection = new ServerConnection(
      served(
        async ({ method, client }) => {
          if (method !== 'server/discover') return complete({ for: client.info?.name })
          discoveries++
          for (let turn = 0; turn < 20; turn++) await undefined
          return complete({ capabilities: { logging: {} } })
        },
        { strict },
      ),
      { send: (text) => sent.push(text) },
    )
    const say = (message: object) => connection.receive({ jsonrpc: '2.0', ...message })
    const clientInfo = { name: 'eager', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    say({ id: 1, method: 'initialize', params })
    say({ method: 'notifications/initialized' })
    say({ id: 2, method: 'tools/list' })
    say({ id: 3, method: 'ping' })
    say({ id: 4, method: 'logging/setLevel', params: { level: 'error' } })
    say({ id: 5, method: 'tools/list' })
    say({ id: 2, method: 'tools/list' })
    say({ method: 'notifications/cancelled', params: { requestId: 5 } })
    expect(connection.inFlight).toBe(4)
    await connection.idle()
    expect(discoveries).toBe(1)
    const heard = sent.map((text) => JSON.parse(text))
    // The duplicate of a request that waits is refused at once; what was cancelled is not answered.
    expect(heard.shift()).toMatchObject({ id: 2, error: { code: -32600 } })
    expect(heard.shift()).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } })
    expect(new Set(heard.map(({ id }) => id))).toEqual(new Set([2, 3, 4]))
    expect(heard.find(({ id }) => id === 2)).toMatchObject({ result: { for: 'eager' } })
  })

  it('tells of no change before it has answered initialize, whatever was sent with it', async () => {
    const run = () => 'x'
    const app = new Server({ name: 's', tools: { a: tool({ run }) } })
    app.use(async ({ method }, next) => {
      if (method === 'server/discover') {
        await quiet()
        app.tool('b', { run })
        await quiet()
      }
      return next()
    })
    const peer = new RawPeer(app)
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }
    peer.start('initialize', params, 1)
    peer.notify('notifications/initialized')
    await until(() => peer.heard.some(({ id }) => id === 1))
    expect(peer.heard[0]).toMatchObject({ id: 1 })
  })

  it('one id cannot be in flight in both eras at once', async () => {
    const app = new Server({ name: 's', tools: { never: tool({ run: () => new Promise(() => {}) }) } })
    const peer = new RawPeer(app)
    const params = { name: 'never' }
    peer.start('tools/call', params, 1)
    peer.start('tools/call', withEnvelope(params), 1)
    peer.start('tools/call', withEnvelope(params), 2)
    peer.start('tools/call', params, 2)
    await until(() => peer.heard.length === 2)
    expect(peer.heard).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: 2, error: { code: -32600 } },
    ])
  })

  it('unknown, malformed and late cancellations are ignored', async () => {
    const peer = new RawPeer(new Server({ name: 's' }))
    for (const params of [
      {},
      { requestId: 'none' },
      { requestId: null },
      { requestId: {} },
      { requestId: '__proto__' },
    ]) {
      peer.notify('notifications/cancelled', params)
    }
    expect(await peer.request('ping')).toMatchObject({ result: {} })
    expect(peer.heard).toHaveLength(1)
  })

  it('nothing is said about a request after its answer', async () => {
    const app = new Server({
      name: 's',
      tools: {
        late: tool({
          run: async (_args, ctx) => {
            setTimeout(() => ctx.log('emergency', 'late'), 2)
            setTimeout(() => ctx.progress(1), 2)
            setTimeout(() => ctx.confirm('Sure?').catch(() => {}), 2)
            return 'early'
          },
        }),
      },
    })
    const peer = new RawPeer(app)
    await peer.handshake('2025-11-25', { elicitation: {} })
    await peer.request('tools/call', { name: 'late', _meta: { progressToken: 1 } })
    await peer.modern('tools/call', { name: 'late', _meta: { progressToken: 1 } }, { elicitation: {} })
    await quiet(20)
    expect(peer.heard.filter(({ method }) => method !== undefined)).toEqual([])
  })

  it('a connection that closes aborts everything and hears nothing more', async () => {
    const aborted: string[] = []
    const app = new Server({
      name: 's',
      tools: {
        never: tool({
          run: (_args, ctx) => {
            ctx.signal.addEventListener('abort', () => aborted.push(ctx.protocolVersion))
            return new Promise(() => {})
          },
        }),
      },
    })
    const peer = new RawPeer(app)
    peer.start('tools/call', { name: 'never' })
    peer.start('tools/call', withEnvelope({ name: 'never' }))
    await quiet(1)
    peer.close()
    expect(aborted.sort()).toEqual(['2025-11-25', '2026-07-28'])
    peer.start('ping')
    await quiet()
    expect(peer.heard).toEqual([])
  })

  it('more requests than allowed at once are refused, not kept', async () => {
    const sent: string[] = []
    const connection = new ServerConnection(
      served(() => new Promise(() => {})),
      { send: (text) => sent.push(text), maxInFlight: 3 },
    )
    for (let id = 1; id <= 5; id++) connection.receive({ jsonrpc: '2.0', id, method: 'some/method' })
    expect(connection.inFlight).toBe(3)
    expect(sent.map((text) => JSON.parse(text))).toMatchObject([
      { id: 4, error: { code: -32600 } },
      { id: 5, error: { code: -32600 } },
    ])
  })

  it.each([
    () => {
      throw new Error('secret')
    },
    () => Promise.reject(new Error('secret')),
    () => undefined as never,
    () => Promise.resolve(undefined as never),
    () => ({ type: 'complete', result: { n: 1n } }) as never,
    () => Promise.resolve({ type: 'error', error: { code: 1, message: 'x', data: { n: 1n } } } as never),
  ] as Handle[])('whatever stands behind the edge, the client gets an answer (%#)', async (respond) => {
    const reports: unknown[] = []
    const peer = new RawPeer(served(respond, { onInternalError: (thrown) => reports.push(thrown) }))
    for (const answer of [await peer.request('some/method'), await peer.modern('some/method')]) {
      expect(answer).toMatchObject({ error: { code: -32603, message: 'Internal error' } })
    }
    expect(reports.length).toBeGreaterThan(0)
    const uri = 'x'
    expect(await peer.request('resources/subscribe', { uri })).toHaveProperty('error')
  })

  it('batches are for 2025-03-26 only', async () => {
    const peer = new RawPeer(new Server({ name: 's' }))
    const batch = '[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"x"},7]'
    peer.send(batch)
    expect(await peer.answerTo(null)).toMatchObject({ error: { code: -32600 } })
    await peer.handshake('2025-03-26')
    peer.heard.length = 0
    peer.send(batch)
    peer.send('[]')
    await until(() => peer.heard.length === 2)
    expect(peer.heard.find(Array.isArray)).toMatchObject([
      { id: 'a', result: {} },
      { id: null, error: { code: -32600 } },
    ])
  })
})
