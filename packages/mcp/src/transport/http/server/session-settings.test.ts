import { describe, expect, it } from 'vitest'
import { Sealer } from '../../../exchange/index.ts'
import type { KeptSettings, SessionSettings } from '../../../exchange/legacy/server/session-settings.ts'
import { Server, tool } from '../../../server/index.ts'
import { until } from '../../../testing/fixtures/raw-peer.test.support.ts'
import { HOST_KINDS, HttpHost } from '../../fixtures/http-hosts.test.node.ts'

const URI = 'test://note'
const OTHER = 'test://other'

function createApp(): Server {
  const app = new Server({
    name: 's',
    capabilities: { logging: {} },
    resources: [
      { uri: URI, name: 'note', text: 'one' },
      { uri: OTHER, name: 'other', text: 'two' },
    ],
    tools: { touch: tool({ run: () => 'touched' }) },
  })
  return app as Server
}

class Kept implements KeptSettings {
  readonly rows = new Map<string, SessionSettings | 'ended'>()
  writes = 0
  isAway = false

  async keep(session: string, settings: SessionSettings | 'ended'): Promise<void> {
    this.writes++
    // As long as a store needs: the request waits for it.
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (this.isAway) throw new Error('the store is away')
    this.rows.set(session, settings)
  }

  end = (session: string): Promise<void> => this.keep(session, 'ended')
  find = async (session: string): Promise<SessionSettings | 'ended' | undefined> => this.rows.get(session)
}

const ask = (method: string, params: object = {}, id = 1) => ({ jsonrpc: '2.0', id, method, params })

describe.each(HOST_KINDS)('what a client asked of its session, over %s', (kind) => {
  const open = async (kept: Kept, app: Server = createApp()): Promise<HttpHost> =>
    HttpHost.open(kind, app, {
      sealer: new Sealer(['a secret of some length']),
      sessions: { settings: kept },
    })

  it('is there again where the session goes on, and its client hears what it may have missed', async () => {
    const kept = new Kept()
    await using before = await open(kept)
    const session = await before.session()
    await before.post(ask('logging/setLevel', { level: 'error' }), session)
    for (const uri of [URI, OTHER]) await before.post(ask('resources/subscribe', { uri }), session)
    await before.post(ask('resources/unsubscribe', { uri: OTHER }), session)
    expect([...kept.rows.values()]).toEqual([{ logLevel: 'error', resources: [URI] }])
    const app = createApp()
    await using after = await open(kept, app)
    const listening = after.events(
      await after.request({ method: 'GET', headers: { accept: 'text/event-stream', ...session } }),
    )
    const methods: string[] = []
    const read = (async () => {
      for (let next = await listening.next(); next; next = await listening.next()) {
        if (next.data) methods.push(JSON.parse(next.data).method)
      }
    })()
    await until(() => methods.includes('notifications/resources/updated'))
    expect(methods).toEqual(
      expect.arrayContaining(['notifications/tools/list_changed', 'notifications/resources/list_changed']),
    )
    expect([...after.service.sessions.all.values()][0]!.session.logLevel).toBe('error')
    methods.length = 0
    app.notifyResourceUpdated(OTHER)
    app.notifyResourceUpdated(URI)
    await until(() => methods.length > 0)
    expect(methods).toEqual(['notifications/resources/updated'])
    await listening.cancel()
    await read
  })

  it('is not written when nothing is asked', async () => {
    const kept = new Kept()
    await using host = await open(kept)
    const session = await host.session()
    await host.post(ask('tools/list'), session)
    await host.post(ask('resources/subscribe', { uri: 'test://unknown' }), session)
    const written = kept.writes
    await host.post(ask('logging/setLevel', { level: 'loud' }), session)
    expect(kept.writes).toBe(written)
    await host.post(ask('logging/setLevel', { level: 'debug' }), session)
    expect(kept.rows.size).toBe(1)
  })

  it('is over for every process when the client has ended its session', async () => {
    const kept = new Kept()
    await using here = await open(kept)
    await using there = await open(kept)
    const session = await here.session()
    await here.post(ask('logging/setLevel', { level: 'debug' }), session)
    expect((await there.post(ask('ping'), session)).status).toBe(200)
    const other = await here.session()
    expect((await here.request({ method: 'DELETE', headers: session })).status).toBe(204)
    await using later = await open(kept)
    expect((await later.post(ask('ping'), session)).status).toBe(404)
    expect((await later.post(ask('ping'), other)).status).toBe(200)
  })

  it('is over where it was ended, also when it cannot be kept', async () => {
    const kept = new Kept()
    await using host = await open(kept)
    const session = await host.session()
    kept.isAway = true
    // Both are still looking for the session, which this process has forgotten.
    host.service.letGo()
    const asked = [host.request({ method: 'DELETE', headers: session }), host.post(ask('ping'), session)]
    const [ended] = await Promise.all(asked)
    expect(ended!.status).toBe(204)
    expect((await host.post(ask('ping'), session)).status).toBe(404)
    expect(host.service.sessions.all.size).toBe(0)
  })

  it('is asked for again when it could not be kept, and the session ends all the same', async () => {
    const kept = new Kept()
    await using host = await open(kept)
    const session = await host.session()
    const setLevel = async (level: string): Promise<object> =>
      (await host.post(ask('logging/setLevel', { level }), session)).json()
    kept.isAway = true
    expect(await setLevel('error')).toMatchObject({ error: { code: -32603 } })
    kept.isAway = false
    expect(await setLevel('alert')).toMatchObject({ result: {} })
    expect([...kept.rows.values()]).toMatchObject([{ logLevel: 'alert' }])
    kept.isAway = true
    expect((await host.request({ method: 'DELETE', headers: session })).ok).toBe(true)
    await until(() => kept.writes === 3)
  })

  it('is written in the order in which it was asked', async () => {
    const kept = new Kept()
    await using host = await open(kept)
    const session = await host.session()
    const levels = ['debug', 'error', 'info', 'alert']
    await Promise.all(levels.map((level, at) => host.post(ask('logging/setLevel', { level }, at), session)))
    const [{ logLevel }] = [...kept.rows.values()] as [SessionSettings]
    expect(logLevel).toBe([...host.service.sessions.all.values()][0]!.session.logLevel)
  })
})
