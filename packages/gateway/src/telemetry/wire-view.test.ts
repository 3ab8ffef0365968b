import { describe, expect, it } from 'vitest'
import {
  complete,
  failure,
  PlainExchange,
  ProtocolError,
  RefusedForLoad,
  type ExchangeInit,
  type Outcome,
} from '@gantry/mcp/exchange'
import { ClientTag, noteUpstream, WireView } from './wire-view.ts'

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

  it('knows about how long an answer is whose text was not kept', () => {
    const view = new WireView(OPTIONS, { add: () => {} })
    const one = exchange()
    const record = view.begin(one)
    Object.assign(record, { target: 'notes', tool: 'x' })
    const result = { content: [{ type: 'text', text: 'x'.repeat(1000) }] }
    view.end(record, complete(result), one)
    expect(view.takeUncounted()).toEqual([record])
    expect(record.bytes! / JSON.stringify(result).length).toBeCloseTo(1, 1)
    // What is known is not guessed.
    const known = view.begin(one)
    Object.assign(known, { target: 'notes', tool: 'x', bytes: 5 })
    view.end(known, complete(result), one)
    expect(known.bytes).toBe(5)
  })

  it('keeps messages only while it is watched, and shows every step', () => {
    const view = new WireView(OPTIONS)
    expect(recorded(view).messages).toBeUndefined()
    const seen: string[] = []
    const stop = view.watch(({ status }) => seen.push(status))
    expect(recorded(view).messages).toHaveLength(2)
    expect(seen).toEqual(['running', 'ok'])
    stop()
    expect(recorded(view).messages).toBeUndefined()
  })

  it('shows that there are exchanges to those who may not read messages, and keeps none for them', () => {
    const view = new WireView(OPTIONS)
    const seen: string[] = []
    const stop = view.watch(({ status }) => seen.push(status), { messages: false })
    expect(view.watched).toBe(false)
    expect(recorded(view).messages).toBeUndefined()
    expect(seen).toEqual(['running', 'ok'])
    const stopReading = view.watch(() => {})
    expect(recorded(view).messages).toHaveLength(2)
    stopReading()
    stopReading()
    expect(view.watched).toBe(false)
    stop()
    recorded(view)
    expect(seen.filter((status) => status === 'ok')).toHaveLength(2)
  })

  it('keeps nothing of what was refused for load: a flood of it would push out what failed', () => {
    const view = new WireView(OPTIONS)
    const end = (outcome: Outcome) => {
      const one = exchange()
      const record = view.begin(one)
      view.end(record, outcome, one)
      return record
    }
    const failed = end(failure(new ProtocolError(-32603, 'broken')))
    const refusal = new RefusedForLoad('too much', { reason: 'limit' })
    const refused = Array.from({ length: 10 }, () => end(failure(refusal, refusal)))
    expect(refused.at(-1)).toMatchObject({ status: 'error', error: 'too much', messages: undefined })
    expect(view.recent(100)).toEqual([...refused.slice(-3).reverse(), failed])
    expect(view.failures.all()).toContainEqual(['load', 10])
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

  it('knows the exchanges that a target works on', () => {
    const view = new WireView(OPTIONS)
    const first = view.begin(exchange())
    first.target = 'a'
    view.begin(exchange({ method: 'subscriptions/listen' })).target = 'a'
    expect(view.runningAt('a')).toEqual([first])
    view.begin(exchange()).target = 'b'
    expect(view.runningAt('a')).toEqual([first])
  })

  const fail = (view: WireView) => {
    const one = exchange({ params: { name: 'bad', arguments: { password: 'hunter2' } } })
    const record = view.begin(one)
    view.end(record, failure(new ProtocolError(-32603, 'failed')), one)
    return record
  }

  it('keeps what failed, what was slowest and what still runs, whatever comes after them', () => {
    const view = new WireView(OPTIONS)
    const failed = fail(view)
    const hanging = view.begin(exchange())
    const slow = recorded(view)
    slow.durationMs = 9_000
    for (let count = 0; count < 300; count++) recorded(view)
    for (const record of [failed, hanging, slow]) expect(view.find(record.id)).toBe(record)
    const listed = view.recent(1_000).map(({ id }) => id)
    expect(listed).toEqual([...listed].sort((a, b) => b - a))
    expect(new Set(listed).size).toBe(listed.length)
    expect(listed).toEqual(expect.arrayContaining([failed.id, hanging.id, slow.id]))
    expect(listed).toHaveLength(6)
    expect(view.recent(1_000, slow.id).map(({ id }) => id)).toEqual([hanging.id, failed.id])
    view.clear()
    expect(view.find(failed.id)).toBeUndefined()
  })

  it('keeps what was asked and answered when it failed, though nobody watched', () => {
    const view = new WireView({ ...OPTIONS, bodyBytes: 1_000 })
    const texts = fail(view).messages!.map(({ json }) => json)
    expect(texts).toHaveLength(2)
    expect(texts[0]).toContain('"bad"')
    expect(texts[0]).not.toContain('hunter2')
    expect(texts[1]).toContain('failed')
    // Whatever the sample.
    const unsampled = new WireView({ ...OPTIONS, sampling: 0 })
    expect(fail(unsampled).messages).toHaveLength(2)
  })

  it('keeps both hops of what failed or was slow, and nothing of the rest', () => {
    const view = new WireView({ ...OPTIONS, bodyBytes: 1_000 })
    const run = (ms: number, outcome: Outcome) => {
      const one = exchange({ params: { name: 'a_echo' } })
      const record = view.begin(one)
      Object.assign(record, { began: performance.now() - ms })
      noteUpstream(record, { hop: 'target', direction: 'out', message: { params: { name: 'echo' } } })
      noteUpstream(record, { hop: 'target', direction: 'in', message: outcome })
      view.end(record, outcome, one)
      expect(record.upstream).toBeUndefined()
      return record.messages?.map(({ hop, direction }) => `${hop} ${direction}`)
    }
    const whole = ['client in', 'target out', 'target in', 'client out']
    expect(run(1, failure(new ProtocolError(-32603, 'failed')))).toEqual(whole)
    expect(run(500, complete({}))).toEqual(whole)
    expect(run(1, complete({}))).toBeUndefined()
    // Only the slowest: a slow target does not make every exchange be written down.
    for (let count = 0; count < 200; count++) run(1_000, complete({}))
    expect(run(400, complete({}))).toBeUndefined()
    expect(run(2_000, complete({}))).toEqual(whole)
  })

  it('keeps failures of one caller while another floods it', () => {
    const view = new WireView({ ...OPTIONS, size: 1 })
    const failAs = (session: string) => {
      const one = exchange({ session })
      const record = view.begin(one)
      view.end(record, failure(new ProtocolError(-32603, 'failed')), one)
      return record
    }
    const quiet = failAs('quiet')
    for (let count = 0; count < 2_000; count++) failAs('loud')
    expect(view.find(quiet.id)).toBe(quiet)
    expect(view.recent(5_000).length).toBeLessThan(600)
  })

  it('bounds what survives by its characters', () => {
    const view = new WireView({ ...OPTIONS, size: 1, bodyBytes: 100_000 })
    const long = 'x'.repeat(90_000)
    for (let count = 0; count < 200; count++) {
      const one = exchange({ params: { name: 'bad', arguments: { long } } })
      view.end(view.begin(one), failure(new ProtocolError(-32603, 'failed')), one)
    }
    const kept = view.recent(1_000).flatMap(({ messages = [] }) => messages)
    expect(kept.reduce((sum, { json }) => sum + json.length, 0)).toBeLessThan(9 * 1024 * 1024)
    expect(kept.length).toBeGreaterThan(50)
  })

  it('lists a question that was refused, with its reason', () => {
    const view = new WireView(OPTIONS)
    const seen: string[] = []
    view.watch(({ status }) => seen.push(status))
    view.refused('a', 'elicitation/create', 'Nobody can be asked')
    expect(view.recent(1)).toMatchObject([
      { method: 'elicitation/create', target: 'a', status: 'refused', error: 'Nobody can be asked' },
    ])
    expect(seen).toEqual(['refused'])
    expect(view.total.totals().calls).toBe(0)
  })
})
