import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { LEGACY_REVISIONS } from '../../../protocol/index.ts'
import { Server, tool } from '../../../server/index.ts'
import { officialProblems } from '../../../testing/fixtures/official-schemas.test.node.ts'
import { quiet, until } from '../../../testing/fixtures/raw-peer.test.support.ts'
import { HOST_KINDS, HttpHost } from '../../fixtures/http-hosts.test.node.ts'

const events: string[] = []
let release: () => void = () => {}

function createApp(): Server {
  events.length = 0
  return new Server({
    name: 's',
    tools: {
      echo: tool({ input: z.object({ text: z.string() }), run: ({ text }) => text }),
      who: tool({ run: (_args, ctx) => JSON.stringify(ctx.serverContext ?? null) }),
      steps: tool({
        run: async (_args, ctx) => {
          for (let i = 1; i <= 3; i++) {
            await ctx.progress(i, 3)
            await ctx.log('error', `step ${i}`)
          }
          await new Promise<void>((resolve) => {
            release = resolve
          })
          return 'done'
        },
      }),
      deaf: tool({
        run: (_args, ctx) => {
          ctx.signal.addEventListener('abort', () => events.push('aborted'))
          events.push('running')
          return new Promise(() => {})
        },
      }),
      late: tool({
        run: async (_args, ctx) => {
          setTimeout(() => ctx.log('emergency', 'late'), 10)
          setTimeout(() => ctx.progress(9), 10)
          return 'early'
        },
      }),
      big: tool({
        run: async (_args, ctx) => {
          await ctx.log('emergency', 'first')
          return 'x'.repeat(20_000_000)
        },
      }),
    },
  }) as Server
}

const call = (name: string, args: object = {}, id: string | number = 1, meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta && { _meta: meta }) },
})

describe.each(HOST_KINDS)('over HTTP with the %s handler', (kind) => {
  it('every legacy revision on the endpoint that serves the modern one', async () => {
    await using host = await HttpHost.open(kind, createApp())
    for (const revision of LEGACY_REVISIONS) {
      const session = await host.session(revision)
      const answer = await host.post(call('echo', { text: revision }), session)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('application/json')
      const body = await answer.json()
      expect(body).toMatchObject({ id: 1, result: { content: [{ text: revision }] } })
      expect(officialProblems(revision, body, 'tools/call')).toEqual([])
    }
    const modern = await host.modern('tools/call', { name: 'echo', arguments: { text: 'x' } })
    expect(modern.status).toBe(200)
    expect(modern.headers.get('mcp-session-id')).toBeNull()
    expect(officialProblems('2026-07-28', await modern.json(), 'tools/call')).toEqual([])
  })

  it('answers as an event stream to those who prefer one, except where a status says more', async () => {
    await using host = await HttpHost.open(kind, createApp())
    const accept = { accept: 'text/event-stream, application/json' }
    const session = await host.session()
    const legacy = await host.post(call('echo', { text: 'x' }), { ...session, ...accept })
    const modern = await host.modern(
      'tools/call',
      { name: 'echo', arguments: { text: 'x' } },
      { headers: accept },
    )
    for (const answer of [legacy, modern]) {
      expect(answer.headers.get('content-type')).toBe('text/event-stream')
      expect(await answer.text()).toMatch(/data: {.*"text":"x"/)
    }
    const unknown = await host.modern('no/such', {}, { headers: accept })
    expect(unknown.status).toBe(404)
    expect(unknown.headers.get('content-type')).toBe('application/json')
  })

  it('request-scoped notifications are sent live, before the result', async () => {
    await using host = await HttpHost.open(kind, createApp())
    const session = await host.session()
    const token = { progressToken: 'p' }
    for (const ask of [
      () => host.post(call('steps', {}, 1, token), session),
      () =>
        host.modern('tools/call', {
          name: 'steps',
          _meta: { ...token, 'io.modelcontextprotocol/logLevel': 'debug' },
        }),
    ]) {
      const response = await ask()
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      expect(response.headers.get('x-accel-buffering')).toBe('no')
      const stream = host.events(response)
      for (let i = 1; i <= 3; i++) {
        expect(await stream.message()).toEqual({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken: 'p', progress: i, total: 3 },
        })
        expect(await stream.message()).toMatchObject({ method: 'notifications/message' })
      }
      // Only now may it end.
      release()
      expect(await stream.message()).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } })
      expect(await stream.message()).toBeUndefined()
    }
  })

  it('an answer without notifications is a plain body', async () => {
    await using host = await HttpHost.open(kind, createApp())
    const response = await host.modern('tools/call', { name: 'late' })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({ result: { content: [{ text: 'early' }] } })
    // What a handler says after its answer goes nowhere, and hurts nobody.
    await quiet(40)
    expect((await host.modern('tools/list')).status).toBe(200)
  })

  it('a silent answer gets comment lines, so that nobody takes it for dead', async () => {
    await using host = await HttpHost.open(kind, createApp(), { keepAlive: 20 })
    const stream = host.events(await host.modern('tools/call', { name: 'deaf' }))
    expect(await stream.next()).toEqual({ comment: '' })
    await stream.cancel()
    const session = await host.session()
    const legacy = host.events(await host.post(call('deaf'), session))
    expect(await legacy.next()).toMatchObject({ data: '' })
    expect(await legacy.next()).toEqual({ comment: '' })
    await legacy.cancel()
  })

  it('a per-request context reaches the handler and nobody else', async () => {
    const context = (header: (name: string) => string | undefined): unknown => ({ user: header('x-user') })
    await using host = await HttpHost.open(kind, createApp(), { context })
    const users = Array.from({ length: 20 }, (_, i) => `user${i}`)
    const answers = await Promise.all(
      users.map(async (user) =>
        (await host.modern('tools/call', { name: 'who' }, { headers: { 'x-user': user } })).json(),
      ),
    )
    for (const [i, answer] of answers.entries()) {
      expect(answer).toMatchObject({ result: { content: [{ text: JSON.stringify({ user: users[i] }) }] } })
    }
    const session = await host.session()
    for (const user of ['ada', 'bob']) {
      const answer = await host.post(call('who'), { ...session, 'x-user': user })
      expect(await answer.json()).toMatchObject({ result: { content: [{ text: JSON.stringify({ user }) }] } })
    }
  })

  it('notifications get 202 and an empty body', async () => {
    await using host = await HttpHost.open(kind, createApp())
    const session = await host.session()
    for (const response of [
      await host.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session),
      await host.post({ jsonrpc: '2.0', id: 99, result: {} }, session),
      await host.post({ jsonrpc: '2.0', method: 'x' }, { 'mcp-protocol-version': '2026-07-28' }),
    ]) {
      expect(response.status).toBe(202)
      expect(await response.text()).toBe('')
    }
  })

  it.each([
    ['{', 400, -32700],
    ['', 400, -32700],
    ['\uFEFF{"jsonrpc":"2.0","id":1,"method":"ping"}', 400, -32700],
    ['null', 400, -32600],
    ['[]', 400, -32600],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}', 400, -32600],
  ])('the body %j → %i with %i', async (body, status, code) => {
    await using host = await HttpHost.open(kind, createApp())
    const response = await host.post(body)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code } })
  })

  it('methods, media types, hosts and origins are checked', async () => {
    await using host = await HttpHost.open(kind, createApp())
    const statusOf = async (init: RequestInit): Promise<number> => {
      const response = await host.request(init)
      await response.body?.cancel()
      return response.status
    }
    const body = '{}'
    const json = { 'content-type': 'application/json' }
    expect(await statusOf({ method: 'PUT', body })).toBe(405)
    expect(await statusOf({ method: 'GET', headers: { accept: 'application/json' } })).toBe(405)
    expect(await statusOf({ method: 'GET', headers: { accept: 'text/html,*/*;q=0.8' } })).toBe(405)
    expect(await statusOf({ method: 'DELETE' })).toBe(405)
    expect(await statusOf({ method: 'POST', body, headers: { 'content-type': 'text/plain' } })).toBe(415)
    expect(await statusOf({ method: 'POST', body, headers: { ...json, accept: 'text/html' } })).toBe(406)
    expect(
      await statusOf({ method: 'POST', body, headers: { ...json, origin: 'https://evil.example' } }),
    ).toBe(403)
    expect(await statusOf({ method: 'POST', body, headers: { ...json, origin: 'null' } })).toBe(403)
    expect(await statusOf({ method: 'POST', body, headers: { ...json, origin: 'http://localhost:1' } })).toBe(
      400,
    )
    const session = { 'mcp-session-id': 'unknown', accept: 'text/event-stream' }
    expect(await statusOf({ method: 'GET', headers: session })).toBe(404)
    expect(await statusOf({ method: 'DELETE', headers: session })).toBe(404)
    expect((await host.modern('nope')).status).toBe(404)
    expect((await host.modern('tools/list', {}, { headers: { 'mcp-method': 'x' } })).status).toBe(400)
    const listen = { notifications: {} }
    const plain = { headers: { accept: 'application/json' } }
    expect((await host.modern('subscriptions/listen', listen, plain)).status).toBe(406)
  })

  it('a GET with any Accept that covers event streams opens the stream of the old transport', async () => {
    await using host = await HttpHost.open(kind, createApp())
    for (const accept of ['*/*', 'text/*', 'TEXT/EVENT-STREAM', 'application/json, */*;q=0.5']) {
      const opened = await host.request({ method: 'GET', headers: { accept } })
      expect([accept, opened.status]).toEqual([accept, 200])
      expect(opened.headers.get('content-type')).toBe('text/event-stream')
      await opened.body?.cancel()
    }
  })

  it.each(['tasks/get', 'tasks/cancel', 'tasks/update'])(
    '%s without Mcp-Name is read by its body; one that differs is refused',
    async (method) => {
      await using host = await HttpHost.open(kind, createApp())
      const code = async (headers: Record<string, string>): Promise<number> => {
        const answer = await host.modern(method, { taskId: 'a' }, { headers })
        return (await answer.json()).error.code
      }
      expect(await code({})).not.toBe(-32020)
      expect(await code({ 'mcp-name': 'a' })).not.toBe(-32020)
      expect(await code({ 'mcp-name': 'b' })).toBe(-32020)
    },
  )

  it('a body over its limit → 413 with a clear error and a report', async () => {
    const reports: unknown[] = []
    await using host = await HttpHost.open(kind, createApp(), {
      maxBodyBytes: 1_000,
      onProtocolError: (error) => reports.push(error),
    })
    const error = { code: -32600, message: 'Invalid request: the body is larger than 1000 bytes' }
    const announced = await host.post('x'.repeat(2_000))
    expect(announced.status).toBe(413)
    expect(await announced.json()).toEqual({ jsonrpc: '2.0', id: null, error })
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(600))
      },
    })
    const headers = { 'content-type': 'application/json' }
    const streamed = await host
      .request({ method: 'POST', headers, body, duplex: 'half' } as RequestInit)
      .then((response) => response.status)
      .catch(() => 413)
    expect(streamed).toBe(413)
    await until(() => reports.length === 2)
    expect(reports).toEqual([error, error])
  })

  it('one large message to a quick reader is not taken for a slow one', async () => {
    await using host = await HttpHost.open(kind, createApp())
    const response = await host.modern('tools/call', {
      name: 'big',
      _meta: { 'io.modelcontextprotocol/logLevel': 'debug' },
    })
    const frames = (await response.text()).split('\n\n')
    expect(frames[0]).toContain('notifications/message')
    expect(frames[1]!.length).toBeGreaterThan(20_000_000)
  })

  it('a modern client that goes away cancels its request, and nothing is left of it', async () => {
    await using host = await HttpHost.open(kind, createApp())
    const gone = new AbortController()
    const answer = host.modern('tools/call', { name: 'deaf' }, { signal: gone.signal })
    answer.catch(() => {})
    await until(() => events.includes('running'))
    expect(host.service.waiting).toBe(1)
    gone.abort()
    await until(() => events.includes('aborted'))
    expect(host.service.waiting).toBe(0)
  })

  it('the same id twice in flight → −32600; a cancelled request’s stream closes at once', async () => {
    await using host = await HttpHost.open(kind, createApp())
    const session = await host.session()
    const first = host.post(call('deaf', {}, 'twin'), session)
    await until(() => events.includes('running'))
    const second = await host.post(call('echo', { text: 'x' }, 'twin'), session)
    expect(await second.json()).toMatchObject({ id: 'twin', error: { code: -32600 } })
    const cancelled = { method: 'notifications/cancelled', params: { requestId: 'twin' } }
    await host.post({ jsonrpc: '2.0', ...cancelled }, session)
    const answer = await first
    expect([answer.status, await answer.text()]).toEqual([202, ''])
    expect(events).toContain('aborted')
    expect(host.service.waiting).toBe(0)
    // Its id is free again.
    const third = await host.post(call('echo', { text: 'again' }, 'twin'), session)
    expect(await third.json()).toMatchObject({ result: { content: [{ text: 'again' }] } })
  })

  it('a listener hears changes on its stream until it goes, and then is forgotten', async () => {
    const app = createApp()
    await using host = await HttpHost.open(kind, app)
    const gone = new AbortController()
    const response = await host.modern(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true } },
      { id: 'l', signal: gone.signal },
    )
    const stream = host.events(response)
    expect(await stream.message()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    app.tool('late-comer', { run: () => '' })
    expect(await stream.message()).toMatchObject({ method: 'notifications/tools/list_changed' })
    expect(app.listeners).toBe(1)
    gone.abort()
    await stream.cancel().catch(() => {})
    await until(() => app.listeners === 0)
    expect(host.service.waiting).toBe(0)
  })

  it('a context or guard that throws is an internal error, and the next request is served', async () => {
    let broken = true
    const context = (): unknown => {
      if (broken) throw new Error('secret')
      return undefined
    }
    await using host = await HttpHost.open(kind, createApp(), { context })
    const refused = await host.modern('tools/list')
    expect(refused.status).toBe(500)
    expect(await refused.text()).not.toContain('secret')
    broken = false
    expect((await host.modern('tools/list')).status).toBe(200)
    await using guarded = await HttpHost.open(kind, createApp(), {
      guard: () => Promise.reject(new Error('secret')),
    })
    expect((await guarded.modern('tools/list')).status).toBe(500)
  })

  it('a misspelt option is refused: without its guard a server would be open', async () => {
    const options = { gaurd: () => Promise.reject(new Error('never asked')) }
    await expect(HttpHost.open(kind, createApp(), options as object)).rejects.toThrow(
      'A handler has no option "gaurd"; its options are allowedHosts, ',
    )
  })
})
