import { describe, expect, it } from 'vitest'
import { Sealer } from '../../../exchange/index.ts'
import { Server, tool } from '../../../server/index.ts'
import { quiet, until } from '../../../testing/fixtures/raw-peer.test.support.ts'
import { HOST_KINDS, HttpHost } from '../../fixtures/http-hosts.test.node.ts'

let finish: (text: string) => void = () => {}
let hold: Promise<string>
const seen: string[] = []

function createApp(): Server {
  seen.length = 0
  return new Server({
    name: 's',
    tools: {
      echo: tool({ run: ({ text }) => String(text) }),
      ask: tool({ run: async (_args, ctx) => `said ${await ctx.confirm('Sure?')}` }),
      job: tool({
        run: async (_args, ctx) => {
          await ctx.log('error', 'started')
          seen.push('started')
          ctx.signal.addEventListener('abort', () => seen.push('aborted'))
          return new Promise((resolve) => {
            finish = resolve
          })
        },
      }),
      held: tool({
        run: () => {
          seen.push('held')
          return hold
        },
      }),
      detached: tool({
        run: async (_args, ctx) => {
          ctx.detach(5)
          return 'worked on'
        },
      }),
      progress: tool({
        run: async (_args, ctx) => {
          await ctx.progress(1)
          return 'done'
        },
      }),
    },
  }) as Server
}

const call = (name: string, id: string | number = 1, meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: { text: 'hi' }, ...(meta && { _meta: meta }) },
})
/** Ids that could be taken for a sealed one: with a mark, and with another last sign. */
const otherSpellings = (id: string): string[] => [
  `${id}~1`,
  `${id}, ${id}`,
  `${id}~a b`,
  ...['A', 'B', 'C', 'D', 'g', 'w', '_']
    .filter((sign) => !id.endsWith(sign))
    .map((sign) => id.slice(0, -1) + sign),
]
const stream = (headers: Record<string, string>): RequestInit => ({
  method: 'GET',
  headers: { accept: 'text/event-stream', ...headers },
})

describe.each(HOST_KINDS)('legacy sessions with the %s handler', (kind) => {
  it('a session is needed, named, and ends with DELETE', async () => {
    await using host = await HttpHost.open(kind, createApp())
    expect((await host.post(call('echo'))).status).toBe(400)
    expect((await host.post(call('echo'), { 'mcp-session-id': 'nobody' })).status).toBe(404)
    const session = await host.session()
    expect((await host.post(call('echo'), session)).status).toBe(200)
    expect(host.service.sessions.all.size).toBe(1)
    expect((await host.request({ method: 'DELETE', headers: session })).status).toBe(204)
    expect(host.service.sessions.all.size).toBe(0)
    expect((await host.post(call('echo'), session)).status).toBe(404)
  })

  it.each(['1999-01-01', 'latest', '', '2025-11-25, 2025-11-25'])(
    'the version header %j, which we do not speak, → 400, and no header is fine',
    async (version) => {
      await using host = await HttpHost.open(kind, createApp())
      const { 'mcp-protocol-version': _, ...session } = await host.session()
      const ping = { jsonrpc: '2.0', id: 7, method: 'ping' }
      const refused = await host.post(ping, { ...session, 'MCP-Protocol-Version': version })
      expect(refused.status).toBe(400)
      expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('version') } })
      expect((await host.post(ping, session)).status).toBe(200)
    },
  )

  it('a refused initialize leaves no session', async () => {
    await using host = await HttpHost.open(kind, createApp())
    const response = await host.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })
    expect(await response.json()).toMatchObject({ error: { code: -32602 } })
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect(host.service.sessions.all.size).toBe(0)
  })

  it('changes go out on the standalone stream, and a newer one takes over', async () => {
    const app = createApp()
    await using host = await HttpHost.open(kind, app)
    const session = await host.session()
    const first = host.events(await host.request(stream(session)))
    expect(await first.next()).toMatchObject({ id: expect.any(String), data: '' })
    app.tool('a', { run: () => '' })
    expect(await first.message()).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    const second = host.events(await host.request(stream(session)))
    expect(await first.message()).toBeUndefined()
    app.tool('b', { run: () => '' })
    expect(await second.message()).toMatchObject({ method: 'notifications/tools/list_changed' })
    expect(host.service.waiting).toBe(1)
    await second.cancel()
    await until(() => host.service.waiting === 0)
  })

  it('what is said while the client is still opening its stream waits for it, within bounds', async () => {
    const app = createApp()
    await using host = await HttpHost.open(kind, app)
    const session = await host.session()
    for (let i = 0; i < 100; i++) app.log('error', `early ${i}`)
    app.log('error', 'x'.repeat(100_000))
    app.tool('a', { run: () => '' })
    const events = host.events(await host.request(stream(session)))
    expect(await events.message()).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    app.log('error', 'now')
    expect(await events.message()).toMatchObject({ params: { data: 'now' } })
    await events.cancel()
  })

  it('a broken stream is taken up where it broke, and nothing comes twice', async () => {
    await using host = await HttpHost.open(kind, createApp())
    const session = await host.session()
    const gone = new AbortController()
    const response = await host.post(call('job', 7), session, gone.signal)
    const broken = host.events(response)
    const primed = await broken.next()
    expect(await broken.next()).toMatchObject({ data: expect.stringContaining('started') })
    gone.abort()
    await broken.cancel().catch(() => {})
    await quiet(20)
    // A disconnect is not a cancellation until 2025-11-25: the work goes on.
    expect(seen).toEqual(['started'])
    finish('finished meanwhile')
    await quiet(5)
    const resumed = host.events(await host.request(stream({ ...session, 'last-event-id': primed!.id! })))
    expect(await resumed.message()).toMatchObject({ method: 'notifications/message' })
    const last = await resumed.next()
    expect(JSON.parse(last!.data!)).toMatchObject({
      id: 7,
      result: { content: [{ text: 'finished meanwhile' }] },
    })
    expect(await resumed.next()).toBeUndefined()
    const again = host.events(await host.request(stream({ ...session, 'last-event-id': last!.id! })))
    expect(await again.next()).toBeUndefined()
    expect(host.service.waiting).toBe(0)
  })

  it.each(['', 'x', '1_', '_1', '9_9', '1_99999999999999999999', '__proto__'])(
    'the last event id %j of no stream opens a new one',
    async (id) => {
      await using host = await HttpHost.open(kind, createApp())
      const session = await host.session()
      const response = await host.request(stream({ ...session, 'last-event-id': id }))
      expect(response.status).toBe(200)
      await response.body!.cancel()
    },
  )

  it('a handler may let go of its stream; the answer waits for the client to come back', async () => {
    await using host = await HttpHost.open(kind, createApp())
    const session = await host.session()
    const first = host.events(await host.post(call('detached', 3), session))
    const primed = await first.next()
    expect(primed).toMatchObject({ retry: '5', data: '' })
    expect(await first.next()).toBeUndefined()
    const back = host.events(await host.request(stream({ ...session, 'last-event-id': primed!.id! })))
    expect(await back.message()).toMatchObject({ id: 3, result: { content: [{ text: 'worked on' }] } })
  })

  it('a question goes out on the stream of its call, and its answer comes by POST', async () => {
    await using host = await HttpHost.open(kind, createApp())
    const session = await host.session('2025-06-18', { elicitation: {} })
    const answering = host.events(await host.post(call('ask', 'q'), session))
    const question = (await answering.message())!
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Sure?' } })
    // Another session cannot answer it.
    const other = await host.session('2025-06-18', { elicitation: {} })
    const answer = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: {} } }
    await host.post(answer, other)
    await host.post(answer, session)
    expect(await answering.message()).toMatchObject({ id: 'q', result: { content: [{ text: 'said true' }] } })
  })

  it('a session belongs to who opened it', async () => {
    const guard = ({ headers }: { headers: Readonly<Record<string, string | undefined>> }) => ({
      ok: true as const,
      auth: {
        principal: { kind: 'person' as const, subject: headers.authorization ?? 'nobody' },
        scopes: [],
        claims: {},
      },
    })
    await using host = await HttpHost.open(kind, createApp(), { guard })
    const session = await host.session('2025-11-25', {}, { authorization: 'ada' })
    expect((await host.post(call('echo'), session)).status).toBe(200)
    const stolen = { ...session, authorization: 'bob' }
    expect((await host.post(call('echo'), stolen)).status).toBe(404)
    expect((await host.request(stream(stolen))).status).toBe(404)
    expect((await host.request({ method: 'DELETE', headers: stolen })).status).toBe(404)
    expect((await host.post(call('echo'), session)).status).toBe(200)
  })

  it('sessions end when nobody uses them, and the longest unused make room', async () => {
    const app = createApp()
    await using host = await HttpHost.open(kind, app, { sessions: { maxSessions: 3, idleTimeout: 60_000 } })
    const sessions = [await host.session(), await host.session(), await host.session()]
    await quiet(3)
    await host.post(call('echo'), sessions[0])
    await host.session()
    expect(host.service.sessions.all.size).toBe(3)
    expect((await host.post(call('echo'), sessions[1])).status).toBe(404)
    expect((await host.post(call('echo'), sessions[0])).status).toBe(200)
    expect(app.listeners).toBe(3)
    await using short = await HttpHost.open(kind, createApp(), {
      sessions: { maxSessions: 3, idleTimeout: 50 },
    })
    const connected = await short.session()
    const kept = await short.request(stream(connected))
    await short.session()
    await until(() => short.service.sessions.all.size === 1)
    expect((await short.post(call('echo'), connected)).status).toBe(200)
    await kept.body!.cancel()
  })

  it('ending a session frees its work, its streams and its listeners', async () => {
    const app = createApp()
    await using host = await HttpHost.open(kind, app)
    const session = await host.session()
    const job = host.events(await host.post(call('job'), session))
    await job.message()
    const standalone = host.events(await host.request(stream(session)))
    await standalone.next()
    expect([app.listeners, host.service.waiting]).toEqual([1, 2])
    await host.request({ method: 'DELETE', headers: session })
    expect(seen).toEqual(['started', 'aborted'])
    expect(await job.message()).toBeUndefined()
    expect(await standalone.message()).toBeUndefined()
    expect([app.listeners, host.service.waiting, host.service.sessions.all.size]).toEqual([0, 0, 0])
  })

  it('what is kept for clients that come back is bounded', async () => {
    await using host = await HttpHost.open(kind, createApp(), {
      events: { maxEvents: 10, maxCharacters: 5_000 },
    })
    const session = await host.session()
    const ids: string[] = []
    for (let i = 0; i < 50; i++) {
      const answer = host.events(await host.post(call('progress', i, { progressToken: i }), session))
      ids.push((await answer.next())!.id!)
      await answer.all()
    }
    const old = host.events(await host.request(stream({ ...session, 'last-event-id': ids[0]! })))
    expect(await old.message()).toMatchObject({ id: 0, error: { code: -32603 } })
  })

  it('batches are answered where 2025-03-26 allows them', async () => {
    await using host = await HttpHost.open(kind, createApp())
    const batch = [
      call('echo', 1),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
      { jsonrpc: '2.0', id: 3, method: 'nope' },
      7,
    ]
    const old = await host.session('2025-03-26')
    const answer = (await (await host.post(batch, old)).json()) as { id: unknown }[]
    expect(answer.map(({ id }) => id)).toEqual([1, 2, 3, null])
    const silent = await host.post([{ jsonrpc: '2.0', method: 'notifications/initialized' }], old)
    expect([silent.status, await silent.text()]).toEqual([202, ''])
    for (const version of ['2024-11-05', '2025-06-18', '2025-11-25']) {
      expect((await host.post(batch, await host.session(version))).status).toBe(400)
    }
  })

  it('without sessions nothing is kept, revisions are honoured and progress still streams', async () => {
    const app = createApp()
    await using host = await HttpHost.open(kind, app, { statelessLegacy: true })
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }
    const init = await host.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    expect(init.headers.get('mcp-session-id')).toBeNull()
    expect(await init.json()).toMatchObject({
      result: { protocolVersion: '2025-06-18', capabilities: { tools: {} } },
    })
    const version = { 'mcp-protocol-version': '2025-06-18' }
    const streamed = await host.post(call('progress', 1, { progressToken: 1 }), version)
    const [progress, result] = await host.events(streamed).all()
    expect(progress).toMatchObject({ method: 'notifications/progress' })
    expect(result).toMatchObject({ result: { content: [{ text: 'done' }] } })
    const gone = new AbortController()
    host.post(call('job'), version, gone.signal).catch(() => {})
    await until(() => seen.includes('started'))
    gone.abort()
    await until(() => seen.includes('aborted'))
    expect([host.service.sessions.all.size, host.service.waiting, app.listeners]).toEqual([0, 0, 0])
    expect((await host.request(stream({}))).status).toBe(405)
  })

  it('a server without legacy revisions says so with 400 and names what it speaks', async () => {
    const app = new Server({ name: 's', revisions: ['2026-07-28'], tools: { a: tool({ run: () => '' }) } })
    await using host = await HttpHost.open(kind, app)
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    }
    const init = await host.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    expect(init.status).toBe(400)
    expect(await init.text()).toContain('2026-07-28')
    expect((await host.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(400)
    expect((await host.request(stream({}))).status).toBe(405)
    expect((await host.request({ method: 'DELETE', headers: { 'mcp-session-id': 'x' } })).status).not.toBe(
      500,
    )
    expect(host.service.sessions.all.size).toBe(0)
  })

  it('sealed session ids survive a restart, but not their end', async () => {
    const sealer = new Sealer(['a secret of some length'])
    await using before = await HttpHost.open(kind, createApp(), { sealer })
    const session = await before.session('2025-06-18')
    await using after = await HttpHost.open(kind, createApp(), { sealer })
    expect(await (await after.post(call('echo'), session)).json()).toMatchObject({ result: {} })
    const [first] = [...after.service.sessions.all.values()]
    expect(first!.session.client.version).toBe('2025-06-18')
    await after.request({ method: 'DELETE', headers: session })
    expect((await after.post(call('echo'), session)).status).toBe(404)
    for (const other of otherSpellings(session['mcp-session-id']!)) {
      expect((await after.post(call('echo'), { ...session, 'mcp-session-id': other })).status).toBe(404)
    }
    const large = await before.session('2025-06-18', { experimental: { x: { text: 'x'.repeat(10_000) } } })
    expect(large['mcp-session-id']!.length).toBeLessThan(5_000)
  })

  it('a session id has the mark of its process, and is known to another', async () => {
    const markSessionId = (id: string): string => `${id}~here`
    const sealer = new Sealer(['a secret of some length'])
    await using plain = await HttpHost.open(kind, createApp(), { markSessionId })
    expect((await plain.session())['mcp-session-id']).toMatch(/~here$/)
    await using before = await HttpHost.open(kind, createApp(), { markSessionId, sealer })
    const session = await before.session()
    expect(session['mcp-session-id']).toMatch(/~here$/)
    await using after = await HttpHost.open(kind, createApp(), { sealer })
    expect((await after.post(call('echo'), session)).status).toBe(200)
  })

  it('a stream of before a restart is not mistaken for one of after it', async () => {
    const sealer = new Sealer(['a secret of some length'])
    await using before = await HttpHost.open(kind, createApp(), { sealer })
    const session = await before.session()
    const listening = before.events(await before.request(stream(session)))
    const { id } = (await listening.next())!
    await listening.cancel()
    await using after = await HttpHost.open(kind, createApp(), { sealer })
    let release: (text: string) => void = () => {}
    hold = new Promise((resolve) => {
      release = resolve
    })
    const answers = [1, 2, 3, 4].map((each) => after.post(call('held', each), session))
    await until(() => seen.length === 4)
    const again = after.events(await after.request(stream({ ...session, 'last-event-id': id! })))
    await again.next()
    release('held')
    for (const answer of answers) expect(await (await answer).json()).toMatchObject({ result: {} })
    await again.cancel()
  })

  it.each([7, 'seven', 'ä"\\_.', 'x'.repeat(40)])(
    'who comes back for an answer that nobody has any more is told so (request %j)',
    async (id) => {
      const sealer = new Sealer(['a secret of some length'])
      await using before = await HttpHost.open(kind, createApp(), { sealer })
      const session = await before.session()
      const broken = before.events(await before.post(call('job', id), session))
      const { id: last } = (await broken.next())!
      await broken.cancel()
      await using after = await HttpHost.open(kind, createApp(), { sealer })
      const back = after.events(await after.request(stream({ ...session, 'last-event-id': last! })))
      const error = { code: -32603, message: expect.stringContaining('may have been done') }
      expect(await back.message()).toEqual({ jsonrpc: '2.0', id, error })
      expect(await back.message()).toBeUndefined()
      expect(after.service.waiting).toBe(0)
    },
  )

  it('HTTP+SSE of 2024-11-05 on the same endpoint', async () => {
    const app = createApp()
    await using host = await HttpHost.open(kind, app, { sessions: { maxSessions: 1 } })
    const opened = host.events(await host.request(stream({})))
    const endpoint = await opened.next()
    expect(endpoint).toMatchObject({ event: 'endpoint', data: expect.stringMatching(/^\/mcp\?/) })
    expect((await host.request(stream({}))).status).toBe(429)
    await opened.cancel()
    await until(() => host.service.waiting === 0)
  })
})
