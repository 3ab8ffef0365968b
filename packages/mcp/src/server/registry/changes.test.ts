import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../jsonrpc/index.ts'
import { LEGACY_REVISIONS } from '../../protocol/index.ts'
import { everywhere } from '../../testing/fixtures/both-eras.test.support.ts'
import { officialProblems } from '../../testing/fixtures/official-schemas.test.node.ts'
import { quiet, RawPeer, until, withEnvelope } from '../../testing/fixtures/raw-peer.test.support.ts'
import { prompt, resource, Server, tool } from '../index.ts'

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

function createApp(): Server {
  return new Server({
    name: 's',
    tools: { a: tool({ run: () => '' }) },
    prompts: { a: prompt({ run: () => '' }) },
    resources: { a: resource({ uri: 'r://1', text: '' }), b: resource({ uri: 'r://2', text: '' }) },
  })
}

async function listening(app: Server, notifications: object): Promise<RawPeer> {
  const peer = new RawPeer(app)
  peer.start('subscriptions/listen', withEnvelope({ notifications }), 'sub')
  await until(() => peer.heardOf('notifications/subscriptions/acknowledged')[0])
  return peer
}

describe('changes', () => {
  it.each(['tools', 'prompts', 'resources'] as const)(
    'a change of the %s reaches every legacy client and every modern listener that asked',
    async (kind) => {
      const app = createApp()
      const legacy = await Promise.all(
        LEGACY_REVISIONS.map(async (revision) => {
          const peer = new RawPeer(app)
          await peer.handshake(revision)
          return peer
        }),
      )
      const asked = await listening(app, { [`${kind}ListChanged`]: true })
      const other = await listening(app, { [`${kind === 'tools' ? 'prompts' : 'tools'}ListChanged`]: true })
      const early = new RawPeer(app)
      await early.request('ping')
      const method = `notifications/${kind}/list_changed`
      const name = kind === 'tools' ? 'Tools' : kind === 'prompts' ? 'Prompts' : 'Resources'
      app[`notify${name}ListChanged`]()
      await until(() => asked.heardOf(method)[0])
      expect(asked.heardOf(method)).toEqual([
        { jsonrpc: '2.0', method, params: { _meta: { [SUBSCRIPTION]: 'sub' } } },
      ])
      for (const peer of legacy) expect(peer.heardOf(method)).toEqual([{ jsonrpc: '2.0', method }])
      expect(other.heardOf(method)).toEqual([])
      // Nothing is pushed to a client that has not said it is ready.
      expect(early.heardOf(method)).toEqual([])
    },
  )

  it('500 registrations in one turn are one change', async () => {
    const app = createApp()
    const old = new RawPeer(app)
    await old.handshake()
    const listener = await listening(app, { toolsListChanged: true })
    for (let i = 0; i < 500; i++) app.tool(`t${i}`, { run: () => '' })
    await quiet()
    for (const peer of [old, listener]) {
      expect(peer.heardOf('notifications/tools/list_changed')).toHaveLength(1)
    }
  })

  it('registering and removing announce themselves', async () => {
    const app = createApp()
    const peer = new RawPeer(app)
    await peer.handshake()
    const kinds = { tools: 2, prompts: 2, resources: 4 }
    const late = [
      () => app.tool('late', { run: () => '' }).tool('late'),
      () => app.prompt('late', { run: () => '' }).prompt('late'),
      () => app.resource({ uri: 'r://9', text: '' }).resource('r://9'),
      () => app.template({ uriTemplate: 'r://{x}', read: () => '' }).template('r://{x}'),
    ]
    for (const register of late) {
      const registration = register()
      await quiet()
      registration.remove()
      await quiet()
    }
    for (const [kind, times] of Object.entries(kinds)) {
      expect(peer.heardOf(`notifications/${kind}/list_changed`)).toHaveLength(times)
    }
  })

  it('clients of every revision hear of it through our own client', async () => {
    let app = createApp()
    const fresh = (): Server => {
      app = createApp()
      return app
    }
    await everywhere(fresh, async ({ client }) => {
      let heard = 0
      client.on('toolsChanged', () => heard++)
      await client.connect()
      await until(() => app.listeners > 0)
      app.tool('late', { run: () => '' })
      await until(() => heard === 1)
    })
  })

  it('what a listener did not ask for, or the server does not have, is not granted', async () => {
    const bare = new Server({ name: 'bare', tools: { a: tool({ run: () => '' }) } })
    const peer = await listening(bare, {
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ['r://1'],
      'gantry/serverLogs': true,
    })
    const [acknowledged] = peer.heardOf('notifications/subscriptions/acknowledged')
    expect(acknowledged).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, _meta: { [SUBSCRIPTION]: 'sub' } },
    })
    expect(officialProblems('2026-07-28', acknowledged)).toEqual([])
    bare.log('emergency', 'to legacy sessions only')
    await quiet()
    expect(peer.heardOf('notifications/message')).toEqual([])
  })

  it('a server that ends says goodbye to its listeners, and nothing is left behind', async () => {
    const app = createApp()
    const peer = await listening(app, { toolsListChanged: true })
    expect(app.listeners).toBe(1)
    app.close()
    const end = await peer.answerTo('sub')
    expect(end).toMatchObject({
      id: 'sub',
      result: { resultType: 'complete', _meta: { [SUBSCRIPTION]: 'sub' } },
    })
    expect(officialProblems('2026-07-28', end, 'subscriptions/listen')).toEqual([])
    expect(app.listeners).toBe(0)
  })

  it('connections that go away leave no listeners', async () => {
    const app = createApp()
    const legacy = new RawPeer(app)
    await legacy.handshake()
    await legacy.request('resources/subscribe', { uri: 'r://1' })
    const modern = await listening(app, { toolsListChanged: true })
    expect(app.listeners).toBe(3)
    modern.notify('notifications/cancelled', { requestId: 'sub' })
    expect(app.listeners).toBe(2)
    legacy.close()
    expect(app.listeners).toBe(0)
    expect(modern.heard.filter(({ id }) => id === 'sub')).toEqual([])
  })
})

describe('resource updates', () => {
  it('exactly the subscribers of both eras hear of an update', async () => {
    const app = createApp()
    const subscribed = new RawPeer(app)
    await subscribed.handshake()
    expect(await subscribed.request('resources/subscribe', { uri: 'r://1' })).toMatchObject({ result: {} })
    const elsewhere = new RawPeer(app)
    await elsewhere.handshake()
    await elsewhere.request('resources/subscribe', { uri: 'r://2' })
    const listener = await listening(app, { resourceSubscriptions: ['r://1', 'r://3'] })
    const method = 'notifications/resources/updated'
    app.notifyResourceUpdated('r://1')
    await until(() => listener.heardOf(method)[0])
    expect(listener.heardOf(method)).toEqual([
      { jsonrpc: '2.0', method, params: { uri: 'r://1', _meta: { [SUBSCRIPTION]: 'sub' } } },
    ])
    expect(subscribed.heardOf(method)).toEqual([{ jsonrpc: '2.0', method, params: { uri: 'r://1' } }])
    expect(elsewhere.heardOf(method)).toEqual([])
  })

  it('unsubscribing ends it; doing either twice is fine', async () => {
    const app = createApp()
    const peer = new RawPeer(app)
    await peer.handshake()
    const uri = 'r://1'
    for (const method of ['resources/subscribe', 'resources/subscribe']) {
      expect(await peer.request(method, { uri })).toMatchObject({ result: {} })
    }
    app.notifyResourceUpdated(uri)
    await until(() => peer.heardOf('notifications/resources/updated').length === 1)
    for (const method of ['resources/unsubscribe', 'resources/unsubscribe']) {
      expect(await peer.request(method, { uri })).toMatchObject({ result: {} })
    }
    app.notifyResourceUpdated(uri)
    await quiet()
    expect(peer.heardOf('notifications/resources/updated')).toHaveLength(1)
    expect(await peer.request('resources/subscribe', { uri: 7 })).toMatchObject({ error: { code: -32602 } })
  })

  it('a client cannot subscribe without end', async () => {
    const app = createApp()
    const peer = new RawPeer(app)
    await peer.handshake()
    for (let i = 0; i < 10_000; i++) peer.start('resources/subscribe', { uri: `r://${i}` }, i + 100)
    await until(() => app.listeners > 10_000 - 1)
    expect(await peer.request('resources/subscribe', { uri: 'r://more' })).toMatchObject({
      error: { code: -32600 },
    })
    peer.close()
    expect(app.listeners).toBe(0)
  })
})

describe('log messages', () => {
  const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
  const createLogging = (): Server =>
    new Server({
      name: 's',
      tools: {
        log: tool({
          run: async (_args, ctx) => {
            for (const level of levels) await ctx.log(level, { level }, 'logger')
            return 'logged'
          },
        }),
      },
    })
  const heardLevels = (peer: RawPeer): unknown[] =>
    peer.heardOf('notifications/message').map(({ params }) => (params as JsonObject).level)

  it('logging/setLevel is per session', async () => {
    const app = createLogging()
    const loud = new RawPeer(app)
    const silent = new RawPeer(app)
    for (const peer of [loud, silent]) await peer.handshake()
    await loud.request('logging/setLevel', { level: 'debug' })
    await silent.request('logging/setLevel', { level: 'alert' })
    for (const peer of [loud, silent]) await peer.request('tools/call', { name: 'log' })
    expect(heardLevels(loud)).toEqual(levels)
    expect(heardLevels(silent)).toEqual(['alert', 'emergency'])
    expect(loud.heardOf('notifications/message')[0]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'debug', logger: 'logger', data: { level: 'debug' } },
    })
    app.log('critical', 'for everybody')
    await until(() => heardLevels(loud).length === levels.length + 1)
    expect(heardLevels(silent)).toHaveLength(2)
  })

  it.each([undefined, 'loud', 7, null, 'DEBUG'])('the level %j → −32602', async (level) => {
    const peer = new RawPeer(createLogging())
    await peer.handshake()
    expect(await peer.request('logging/setLevel', { level })).toMatchObject({ error: { code: -32602 } })
  })

  it('on modern the level is per request, and without one nothing is sent', async () => {
    const peer = new RawPeer(createLogging())
    await peer.modern('tools/call', { name: 'log' })
    expect(heardLevels(peer)).toEqual([])
    await peer.modern('tools/call', {
      name: 'log',
      _meta: { 'io.modelcontextprotocol/logLevel': 'critical' },
    })
    expect(heardLevels(peer)).toEqual(['critical', 'alert', 'emergency'])
  })
})

describe('progress', () => {
  const app = new Server({
    name: 'progress',
    tools: {
      count: tool({
        run: async (_args, ctx) => {
          for (const step of [0, 1, 1, 0.5, Number.NaN, 2, Number.POSITIVE_INFINITY, 3])
            await ctx.progress(step)
          return 'counted'
        },
      }),
    },
  })

  it('only ever increases, in every revision', async () => {
    await everywhere(app, async ({ client }) => {
      const steps: number[] = []
      await client.call('count', {}, { onProgress: ({ progress }) => steps.push(progress) })
      expect(steps).toEqual([0, 1, 2, 3])
    })
  })

  it.each([undefined, null, {}, [], true])('is not reported under the token %j', async (progressToken) => {
    const peer = new RawPeer(app)
    const answer = await peer.modern('tools/call', { name: 'count', _meta: { progressToken } })
    expect(answer).toHaveProperty('result')
    expect(peer.heardOf('notifications/progress')).toEqual([])
  })
})
