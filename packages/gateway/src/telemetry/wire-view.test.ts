import { describe, expect, it } from 'vitest'
import { complete, failure, PlainExchange, ProtocolError, type ExchangeInit } from '@gantry/mcp/exchange'
import { ClientTag, WireView } from './wire-view.ts'

const OPTIONS = { size: 3, bodyBytes: 100, sampling: 1 }
const exchange = (init: Partial<ExchangeInit> = {}) =>
  new PlainExchange({
    method: 'tools/call',
    params: { name: 'x' },
    client: { capabilities: {}, version: '2026-07-28' },
    ...init,
  })

function recorded(view: WireView, init: Partial<ExchangeInit> = {}) {
  const one = exchange(init)
  const record = view.begin(one)
  view.end(record, complete({}), one)
  return record
}

describe('the wire view', () => {
  it('keeps the last exchanges, newest first, and counts all', () => {
    const view = new WireView(OPTIONS)
    const records = [1, 2, 3, 4].map(() => recorded(view))
    expect(view.recent(10)).toEqual(records.slice(1).reverse())
    expect(view.recent(1, records[3]!.id)).toEqual([records[2]])
    expect(view.find(records[0]!.id)).toBeUndefined()
    expect(view.total.totals().calls).toBe(4)
  })

  it('counts without keeping anything when it is off', () => {
    const view = new WireView({ ...OPTIONS, size: 0 })
    recorded(view)
    expect(view.recent(1)).toEqual([])
    expect(view.total.totals().calls).toBe(1)
  })

  it('keeps messages only while somebody watches, and shows every step', () => {
    const view = new WireView(OPTIONS)
    expect(recorded(view).messages).toBeUndefined()
    const seen: string[] = []
    const stop = view.watch(({ status }) => seen.push(status))
    expect(recorded(view).messages).toHaveLength(2)
    expect(seen).toEqual(['running', 'ok'])
    stop()
    expect(recorded(view).messages).toBeUndefined()
  })

  it('cuts long messages, and says how long they were', () => {
    const view = new WireView(OPTIONS)
    view.watch(() => {})
    const [message] = recorded(view, { params: { name: 'x'.repeat(500) } }).messages!
    expect(message!.json.length).toBeLessThanOrEqual(100)
    expect(message!.bytes).toBeGreaterThan(500)
  })

  it('keeps no messages of those outside of the sample, except of the playground', () => {
    const view = new WireView({ ...OPTIONS, sampling: 0 })
    view.watch(() => {})
    expect(recorded(view).messages).toBeUndefined()
    expect(recorded(view, { serverContext: new ClientTag('playground') }).messages).toHaveLength(2)
  })

  it('counts errors and times for the target that was asked', () => {
    const view = new WireView(OPTIONS)
    const one = exchange()
    const record = view.begin(one)
    record.target = 'a'
    view.end(record, failure(new ProtocolError(-32603, 'failed')), one)
    expect(record).toMatchObject({ status: 'error', error: 'failed' })
    expect(view.statsOf('a').totals()).toMatchObject({ calls: 1, errors: 1 })
  })

  it('knows the only exchange that a target works on', () => {
    const view = new WireView(OPTIONS)
    const first = view.begin(exchange())
    first.target = 'a'
    expect(view.onlyRunning('a')).toBe(first)
    view.begin(exchange({ method: 'subscriptions/listen' })).target = 'a'
    expect(view.onlyRunning('a')).toBe(first)
    view.begin(exchange()).target = 'a'
    expect(view.onlyRunning('a')).toBeUndefined()
  })
})
