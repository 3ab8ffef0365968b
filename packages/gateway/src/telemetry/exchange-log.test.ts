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
import { ClientTag, noteUpstream, ExchangeLog } from './exchange-log.ts'
import type { SeenMessage } from './exchange-record.ts'

const OPTIONS = { size: 3, bodyBytes: 100, sampling: 1 }
const exchange = (init: Partial<ExchangeInit> = {}) =>
  new PlainExchange({
    method: 'tools/call',
    params: { name: 'x' },
    client: { capabilities: {}, version: '2026-07-28' },
    ...init,
  })

function recorded(exchanges: ExchangeLog, init: Partial<ExchangeInit> = {}) {
  const one = exchange(init)
  const record = exchanges.begin(one)
  exchanges.end(record, complete({}), one)
  return record
}

describe('the exchange log', () => {
  it('keeps the last exchanges, newest first, and counts all', () => {
    const exchanges = new ExchangeLog(OPTIONS)
    const records = [1, 2, 3, 4].map(() => recorded(exchanges))
    expect(exchanges.recent(10)).toEqual(records.slice(1).reverse())
    expect(exchanges.recent(1, records[3]!.id)).toEqual([records[2]])
    expect(exchanges.find(records[0]!.id)).toBeUndefined()
    expect(exchanges.total.totals().calls).toBe(4)
  })

  it('counts without keeping anything when it is off', () => {
    const exchanges = new ExchangeLog({ ...OPTIONS, size: 0 })
    recorded(exchanges)
    expect(exchanges.recent(1)).toEqual([])
    expect(exchanges.total.totals().calls).toBe(1)
  })

  it('knows about how long an answer is whose text was not kept', () => {
    const exchanges = new ExchangeLog(OPTIONS, { add: () => {} })
    const one = exchange()
    const record = exchanges.begin(one)
    Object.assign(record, { target: 'notes', tool: 'x' })
    const result = { content: [{ type: 'text', text: 'x'.repeat(1000) }] }
    exchanges.end(record, complete(result), one)
    expect(exchanges.takeUncounted()).toEqual([record])
    expect(record.bytes! / JSON.stringify(result).length).toBeCloseTo(1, 1)
    // What is known is not guessed.
    const known = exchanges.begin(one)
    Object.assign(known, { target: 'notes', tool: 'x', bytes: 5 })
    exchanges.end(known, complete(result), one)
    expect(known.bytes).toBe(5)
  })

  it('keeps messages only while it is watched, and shows every step', () => {
    const exchanges = new ExchangeLog(OPTIONS)
    expect(recorded(exchanges).messages).toBeUndefined()
    const seen: string[] = []
    const stop = exchanges.watch(({ status }) => seen.push(status))
    expect(recorded(exchanges).messages).toHaveLength(2)
    expect(seen).toEqual(['running', 'ok'])
    stop()
    expect(recorded(exchanges).messages).toBeUndefined()
  })

  it('shows that there are exchanges to those who may not read messages, and keeps none for them', () => {
    const exchanges = new ExchangeLog(OPTIONS)
    const seen: string[] = []
    const stop = exchanges.watch(({ status }) => seen.push(status), { messages: false })
    expect(exchanges.watched).toBe(false)
    expect(recorded(exchanges).messages).toBeUndefined()
    expect(seen).toEqual(['running', 'ok'])
    const stopReading = exchanges.watch(() => {})
    expect(recorded(exchanges).messages).toHaveLength(2)
    stopReading()
    stopReading()
    expect(exchanges.watched).toBe(false)
    stop()
    recorded(exchanges)
    expect(seen.filter((status) => status === 'ok')).toHaveLength(2)
  })

  it('keeps nothing of what was refused for load: a flood of it would push out what failed', () => {
    const exchanges = new ExchangeLog(OPTIONS)
    const end = (outcome: Outcome) => {
      const one = exchange()
      const record = exchanges.begin(one)
      exchanges.end(record, outcome, one)
      return record
    }
    const failed = end(failure(new ProtocolError(-32603, 'broken')))
    const refusal = new RefusedForLoad('too much', { reason: 'limit' })
    const refused = Array.from({ length: 10 }, () => end(failure(refusal, refusal)))
    expect(refused.at(-1)).toMatchObject({ status: 'error', error: 'too much', messages: undefined })
    expect(exchanges.recent(100)).toEqual([...refused.slice(-3).reverse(), failed])
    expect(exchanges.failures.all()).toContainEqual(['load', 10])
  })

  it('cuts long messages, and says how long they were', () => {
    const exchanges = new ExchangeLog(OPTIONS)
    exchanges.watch(() => {})
    const [message] = recorded(exchanges, { params: { name: 'x'.repeat(500) } }).messages!
    expect(message!.json.length).toBeLessThanOrEqual(100)
    expect(message!.bytes).toBeGreaterThan(500)
  })

  it('keeps no messages of those outside of the sample, except of the playground', () => {
    const exchanges = new ExchangeLog({ ...OPTIONS, sampling: 0 })
    exchanges.watch(() => {})
    expect(recorded(exchanges).messages).toBeUndefined()
    expect(recorded(exchanges, { serverContext: new ClientTag('playground') }).messages).toHaveLength(2)
  })

  it('counts errors and times for the target that was asked', () => {
    const exchanges = new ExchangeLog(OPTIONS)
    const one = exchange()
    const record = exchanges.begin(one)
    record.target = 'a'
    exchanges.end(record, failure(new ProtocolError(-32603, 'failed')), one)
    expect(record).toMatchObject({ status: 'error', error: 'failed' })
    expect(exchanges.statsOf('a').totals()).toMatchObject({ calls: 1, errors: 1 })
  })

  it('knows the exchanges that a target works on', () => {
    const exchanges = new ExchangeLog(OPTIONS)
    const first = exchanges.begin(exchange())
    first.target = 'a'
    exchanges.begin(exchange({ method: 'subscriptions/listen' })).target = 'a'
    expect(exchanges.runningAt('a')).toEqual([first])
    exchanges.begin(exchange()).target = 'b'
    expect(exchanges.runningAt('a')).toEqual([first])
  })

  const fail = (exchanges: ExchangeLog) => {
    const one = exchange({ params: { name: 'bad', arguments: { password: 'hunter2' } } })
    const record = exchanges.begin(one)
    exchanges.end(record, failure(new ProtocolError(-32603, 'failed')), one)
    return record
  }

  it('keeps what failed, what was slowest and what still runs, whatever comes after them', () => {
    const exchanges = new ExchangeLog(OPTIONS)
    const failed = fail(exchanges)
    const hanging = exchanges.begin(exchange())
    const slow = recorded(exchanges)
    slow.durationMs = 9_000
    for (let count = 0; count < 300; count++) recorded(exchanges)
    for (const record of [failed, hanging, slow]) expect(exchanges.find(record.id)).toBe(record)
    const listed = exchanges.recent(1_000).map(({ id }) => id)
    expect(listed).toEqual([...listed].sort((a, b) => b - a))
    expect(new Set(listed).size).toBe(listed.length)
    expect(listed).toEqual(expect.arrayContaining([failed.id, hanging.id, slow.id]))
    expect(listed).toHaveLength(6)
    expect(exchanges.recent(1_000, slow.id).map(({ id }) => id)).toEqual([hanging.id, failed.id])
    exchanges.clear()
    expect(exchanges.find(failed.id)).toBeUndefined()
  })

  it('keeps what was asked and answered when it failed, though nobody watched', () => {
    const exchanges = new ExchangeLog({ ...OPTIONS, bodyBytes: 1_000 })
    const texts = fail(exchanges).messages!.map(({ json }) => json)
    expect(texts).toHaveLength(2)
    expect(texts[0]).toContain('"bad"')
    expect(texts[0]).not.toContain('hunter2')
    expect(texts[1]).toContain('failed')
    // Whatever the sample.
    const unsampled = new ExchangeLog({ ...OPTIONS, sampling: 0 })
    expect(fail(unsampled).messages).toHaveLength(2)
  })

  it('keeps both hops of what failed or was slow, and nothing of the rest', () => {
    const exchanges = new ExchangeLog({ ...OPTIONS, bodyBytes: 1_000 })
    const run = (ms: number, outcome: Outcome) => {
      const one = exchange({ params: { name: 'a_echo' } })
      const record = exchanges.begin(one)
      Object.assign(record, { began: performance.now() - ms })
      const asked: SeenMessage = { hop: 'target', direction: 'out', message: { params: { name: 'echo' } } }
      noteUpstream(record, { seen: () => [asked, { hop: 'target', direction: 'in', message: outcome }] })
      exchanges.end(record, outcome, one)
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
    const exchanges = new ExchangeLog({ ...OPTIONS, size: 1 })
    const failAs = (session: string) => {
      const one = exchange({ session })
      const record = exchanges.begin(one)
      exchanges.end(record, failure(new ProtocolError(-32603, 'failed')), one)
      return record
    }
    const quiet = failAs('quiet')
    for (let count = 0; count < 2_000; count++) failAs('loud')
    expect(exchanges.find(quiet.id)).toBe(quiet)
    expect(exchanges.recent(5_000).length).toBeLessThan(600)
  })

  it('bounds what survives by its characters', () => {
    const exchanges = new ExchangeLog({ ...OPTIONS, size: 1, bodyBytes: 100_000 })
    const long = 'x'.repeat(90_000)
    for (let count = 0; count < 200; count++) {
      const one = exchange({ params: { name: 'bad', arguments: { long } } })
      exchanges.end(exchanges.begin(one), failure(new ProtocolError(-32603, 'failed')), one)
    }
    const kept = exchanges.recent(1_000).flatMap(({ messages = [] }) => messages)
    expect(kept.reduce((sum, { json }) => sum + json.length, 0)).toBeLessThan(9 * 1024 * 1024)
    expect(kept.length).toBeGreaterThan(50)
  })

  it('lists a question that was refused, with its reason', () => {
    const exchanges = new ExchangeLog(OPTIONS)
    const seen: string[] = []
    exchanges.watch(({ status }) => seen.push(status))
    exchanges.refused('a', 'elicitation/create', 'Nobody can be asked')
    expect(exchanges.recent(1)).toMatchObject([
      { method: 'elicitation/create', target: 'a', status: 'refused', error: 'Nobody can be asked' },
    ])
    expect(seen).toEqual(['refused'])
    expect(exchanges.total.totals().calls).toBe(0)
  })
})
