import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Server, type Context } from '../../../server/index.ts'
import type { AuthInfo } from '../../../exchange/index.ts'
import { NEVER, OpenStreams } from './open-streams.ts'
import { toFetchHandler } from './fetch-handler.ts'

const KEY = { kind: 'key', subject: 'ann' } as const

const authUntil = (expiresAt: number) => ({
  principal: { kind: 'person' as const, subject: 'ann' },
  scopes: [],
  claims: {},
  expiresAt,
})

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('open streams', () => {
  const head = { method: 'GET', url: '/', headers: {} }
  const open = (auth: AuthInfo | undefined, end = vi.fn()) => ({
    place: -1,
    until: NEVER,
    waitsSince: NEVER,
    context: { head, auth },
    keepAlive() {},
    end,
  })

  it.each([
    ['at the end of the token', 60_000, 60_000],
    ['after a while when the token is at its end already', -10_000, 5_000],
    ['in a month, which no timer can count', 30 * 86_400_000, 30 * 86_400_000],
  ])('end %s', (_name, lifetime, expected) => {
    const streams = new OpenStreams()
    const stream = open(authUntil(Date.now() + lifetime))
    streams.expire(stream)
    vi.advanceTimersByTime(expected - 1)
    expect(stream.end).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(stream.end).toHaveBeenCalledExactlyOnceWith('expired')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('end one after the other with one timer', () => {
    const streams = new OpenStreams()
    const all = [60_000, 20_000, 40_000].map((lifetime) => open(authUntil(Date.now() + lifetime)))
    for (const stream of all) streams.expire(stream)
    expect(vi.getTimerCount()).toBe(1)
    const ended = () => all.map(({ end }) => end.mock.calls.length)
    vi.advanceTimersByTime(20_000)
    expect(ended()).toEqual([0, 1, 0])
    vi.advanceTimersByTime(20_000)
    expect(ended()).toEqual([0, 1, 1])
    vi.advanceTimersByTime(20_000)
    expect(ended()).toEqual([1, 1, 1])
  })

  it('never end without a reason', () => {
    const streams = new OpenStreams()
    const { expiresAt: _at, ...endless } = authUntil(0)
    const late = open(authUntil(Date.now() + 60_000))
    for (const stream of [open(undefined), open(endless), late]) streams.expire(stream)
    streams.delete(late)
    streams.add(late)
    vi.advanceTimersByTime(50_000)
    streams.delete(late)
    vi.advanceTimersByTime(50_000)
    expect(late.end).not.toHaveBeenCalled()
  })

  it('end when a guard does not let their callers in as they are', async () => {
    const streams = new OpenStreams()
    const ann = authUntil(Date.now() + 60_000)
    const all = [ann, { ...ann, scopes: ['admin'] }, { ...ann, principal: KEY }, undefined].map((auth) =>
      open(auth),
    )
    for (const stream of all) streams.add(stream)
    await streams.recheck(() => ({ ok: true, auth: ann }))
    expect(all.map(({ end }) => end.mock.calls.length)).toEqual([0, 1, 1, 1])
    await streams.recheck(() => {
      throw new Error('broken')
    })
    expect(all[0]!.end).toHaveBeenCalledExactlyOnceWith('revoked')
  })
})

describe('streams of a service', () => {
  const LISTEN = {
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: {
      notifications: { toolsListChanged: true },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }
  const INITIALIZE = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }

  it('end with the token that opened them, in both eras', async () => {
    const app = new Server({ name: 'test', tools: { a: { run: () => 'a' } } })
    const guard = () => ({ ok: true as const, auth: authUntil(Date.now() + 60_000) })
    const handle = toFetchHandler(app, { guard })
    const post = (message: object, headers: Record<string, string>) =>
      handle(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
          body: JSON.stringify(message),
        }),
      )
    const listening = await post(LISTEN, {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    })
    const session = (await post(INITIALIZE, {})).headers.get('mcp-session-id')!
    const headers = { accept: 'text/event-stream', 'mcp-session-id': session }
    const standalone = await handle(new Request('http://localhost/mcp', { headers }))
    const ends = [listening, standalone].map((response) => response.text())
    expect(app.listeners).toBe(2)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await Promise.all(ends)).toHaveLength(2)
    // The session itself lives on, and its client may listen again.
    expect(app.listeners).toBe(1)
    handle.close()
  })

  const CALL = { name: 'work', arguments: {}, _meta: { progressToken: 1 } }

  async function working() {
    const app = new Server({
      name: 'test',
      tools: {
        work: {
          run: async (_args: unknown, ctx: Context) => {
            await ctx.progress(1, 2)
            return new Promise<string>(() => {})
          },
        },
      },
    })
    const handle = toFetchHandler(app, { guard: () => ({ ok: true, auth: authUntil(UNTIL) }) })
    const send = (init: RequestInit) => handle(new Request('http://localhost/mcp', init))
    const post = (message: object, headers: Record<string, string> = {}) => {
      const accept = 'application/json, text/event-stream'
      const common = { 'content-type': 'application/json', accept }
      return send({ method: 'POST', headers: { ...common, ...headers }, body: JSON.stringify(message) })
    }
    const session = (await post(INITIALIZE)).headers.get('mcp-session-id')!
    return { handle, send, post, session }
  }
  const UNTIL = 1_060_000

  it('end with the token, whatever they are: calls, resumed streams and HTTP+SSE', async () => {
    const { handle, send, post, session } = await working()
    const inSession = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: CALL }
    const legacy = await post(call, inSession)
    const dropped = await post({ ...call, id: 3 }, inSession)
    const reader = dropped.body!.getReader()
    const lastEventId = /id: (\S+)/.exec(new TextDecoder().decode((await reader.read()).value))![1]!
    await reader.cancel()
    const accept = 'text/event-stream'
    const resumed = await send({ headers: { ...inSession, accept, 'last-event-id': lastEventId } })
    const sse = await send({ headers: { accept } })
    const _meta = { ...LISTEN.params._meta, progressToken: 1 }
    const modern = await post(
      { ...call, params: { ...CALL, _meta } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'work' },
    )
    const all = [legacy, resumed, sse, modern]
    expect(all.map(({ headers }) => headers.get('content-type'))).toEqual(all.map(() => accept))
    let ended = 0
    const ends = all.map(async (response) => {
      const text = await response.text()
      ended++
      return text
    })
    await vi.advanceTimersByTimeAsync(UNTIL - Date.now() - 1)
    expect(ended).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(await Promise.all(ends)).toHaveLength(4)
    handle.close()
  })
})
