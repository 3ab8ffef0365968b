import { describe, expect, it } from 'vitest'
import { cancellationOf, Canceller, PlainExchange, type ExchangeInit } from './plain-exchange.ts'
import { deriveExchange } from './derive-exchange.ts'
import type { Exchange, Notification } from './exchange.ts'

const notification: Notification = { method: 'notifications/progress', params: { progress: 1 } }

function original(init: Partial<ExchangeInit> = {}): PlainExchange {
  return new PlainExchange({
    method: 'tools/call',
    params: { name: 'echo' },
    client: { info: { name: 'test', version: '1' }, capabilities: {}, version: '2026-07-28' },
    auth: { token: 'secret' } as ExchangeInit['auth'],
    logLevel: 'info',
    serverContext: { user: 7 },
    headers: { host: 'localhost' },
    session: 'one',
    detach: () => {},
    ask: async () => ({}),
    ...init,
  })
}

describe('deriveExchange', () => {
  it('keeps every part that is not replaced', () => {
    const exchange = original()
    const derived = deriveExchange(exchange, { params: { name: 'other' } })
    expect(derived.params).toEqual({ name: 'other' })
    expect(derived.signal).toBe(exchange.signal)
    expect(derived.cancellation).toBe(exchange)
    expect(derived.session).toBe('one')
    const { params: _params, origin, ...others } = { ...derived }
    expect(origin).toBe(exchange)
    for (const [key, value] of Object.entries(others))
      expect([key, value]).toEqual([key, Reflect.get(exchange, key)])
    const parts = Object.keys(exchange).filter((key) => !['aborted', 'reason', 'params'].includes(key))
    // Only links of a chain and tracing set these, on exchanges of their own.
    expect(Object.keys(others).sort()).toEqual([...parts, 'asTask', 'sending'].sort())
  })

  it('may end before the original, and not the other way round', () => {
    const exchange = original()
    const early = new Canceller()
    const derived = deriveExchange(exchange, { cancellation: early })
    early.abort('over')
    expect([derived.signal.aborted, derived.signal.reason, exchange.signal.aborted]).toEqual([
      true,
      'over',
      false,
    ])
    expect(cancellationOf(derived)).toBe(early)
  })

  it('sends notifications where the original sends them, or elsewhere', () => {
    const seen: Notification[] = []
    const elsewhere: Notification[] = []
    const exchange: Exchange = original({ notify: (one) => seen.push(one) })
    deriveExchange(exchange, {}).notify(notification)
    deriveExchange(exchange, { notify: (one) => elsewhere.push(one) }).notify(notification)
    expect([seen, elsewhere]).toEqual([[notification], [notification]])
  })

  it('can take away the means to ask', () => {
    expect(deriveExchange(original(), { ask: undefined }).ask).toBeUndefined()
  })
})
