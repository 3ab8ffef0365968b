import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Server } from '../server/index.ts'
import { atExpiry } from './at-expiry.ts'
import { toFetchHandler } from './fetch-handler.ts'

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

describe('atExpiry', () => {
  it.each([
    ['at the end of the token', 60_000, 60_000],
    ['after a while when the token is at its end already', -10_000, 30_000],
    ['in a month, which no timer can count', 30 * 86_400_000, 30 * 86_400_000],
  ])('ends %s', (_name, lifetime, expected) => {
    const end = vi.fn()
    atExpiry(authUntil(Date.now() + lifetime), end)
    vi.advanceTimersByTime(expected - 1)
    expect(end).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(end).toHaveBeenCalledOnce()
  })

  it('never ends what has no end, or what was called off', () => {
    const end = vi.fn()
    atExpiry(undefined, end)
    atExpiry({ principal: { kind: 'person' as const, subject: 'ann' }, scopes: [], claims: {} }, end)
    atExpiry(authUntil(Date.now() + 60_000), end)()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('streams that only listen', () => {
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
    vi.advanceTimersByTime(60_000)
    expect(await Promise.all(ends)).toHaveLength(2)
    // The session itself lives on, and its client may listen again.
    expect(app.listeners).toBe(1)
    handle.close()
  })
})
