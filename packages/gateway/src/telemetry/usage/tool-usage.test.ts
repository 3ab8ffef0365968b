import { describe, expect, it } from 'vitest'
import { createMemoryStore, type Store } from '../../store/index.ts'
import type { ExchangeRecord } from '../exchange-record.ts'
import { roughLength } from '../stats.ts'
import { ToolUsage } from './tool-usage.ts'

const HOUR = 3_600_000
const NOW = Date.parse('2026-03-05T12:34:00Z')

function open(store: Store): ToolUsage {
  const onError = (error: unknown) => expect.unreachable(String(error))
  return new ToolUsage({ store, uncounted: () => [], onError })
}

type Change = Partial<Omit<ExchangeRecord, 'client'>> & { client?: Partial<ExchangeRecord['client']> }

function call(change: Change): ExchangeRecord {
  return {
    at: NOW,
    target: 'notes',
    tool: 'echo',
    status: 'ok',
    durationMs: 10,
    bytesIn: 10,
    bytes: 100,
    ...change,
    client: {
      name: 'editor',
      version: '2026-07-28',
      session: undefined,
      principal: undefined,
      ...change.client,
    },
  } as ExchangeRecord
}

describe('the usage of tools', () => {
  it('counts calls, failures, times and sizes of each tool', async () => {
    const usage = open(createMemoryStore())
    for (const durationMs of [10, 10, 1_000]) {
      usage.add([call({ durationMs, status: durationMs === 1_000 ? 'tool-error' : 'ok' })])
    }
    usage.add([call({ tool: 'sum' })])
    const [echo, sum] = await usage.read('1h', 'tool', NOW)
    expect(echo).toMatchObject({
      target: 'notes',
      tool: 'echo',
      counts: { calls: 3, errors: 1, bytesIn: 30, bytesOut: 300, lastAt: NOW },
    })
    expect(echo!.counts.percentile(0.5)).toBeGreaterThan(8)
    expect(echo!.counts.percentile(0.5)).toBeLessThan(12)
    expect(echo!.counts.percentile(0.95)).toBeGreaterThan(800)
    expect(sum).toMatchObject({ tool: 'sum', counts: { calls: 1, errors: 0 } })
    await usage.close()
  })

  it('gives the calls of the hour, the day and the week, also those of earlier runs', async () => {
    const store = createMemoryStore()
    for (const hours of [0, 2, 30, 200]) {
      const run = open(store)
      run.add([call({ at: NOW - hours * HOUR })])
      await run.close()
    }
    const usage = open(store)
    const calls = async (range: '1h' | '24h' | '7d') =>
      (await usage.read(range, 'tool', NOW))[0]!.counts.calls
    expect([await calls('1h'), await calls('24h'), await calls('7d')]).toEqual([1, 2, 3])
  })

  it('tells clients or people apart when asked', async () => {
    const usage = open(createMemoryStore())
    const person = (subject: string) => ({ kind: 'person' as const, issuer: 'https://id.example', subject })
    usage.add([call({ client: { name: 'editor', principal: person('ada') } })])
    usage.add([call({ client: { name: 'script', principal: person('ada') } })])
    usage.add([call({ client: { name: 'script', principal: person('bob') } })])
    const clients = await usage.read('24h', 'client', NOW)
    expect(clients.map(({ client, counts }) => [client, counts.calls])).toEqual([
      ['editor', 1],
      ['script', 2],
    ])
    const people = await usage.read('24h', 'principal', NOW)
    expect(people.map(({ principal, counts }) => [principal, counts.calls])).toEqual([
      ['person:ada (https://id.example)', 2],
      ['person:bob (https://id.example)', 1],
    ])
    await usage.close()
  })

  it('counts every call in bounded room when callers make up names', async () => {
    const usage = open(createMemoryStore())
    for (let at = 0; at < 6_000; at++) usage.add([call({ tool: `t${at}`, client: { name: `c${at}` } })])
    const found = await usage.read('24h', 'tool', NOW)
    expect(found.length).toBeLessThanOrEqual(4_001)
    expect(found.reduce((sum, { counts }) => sum + counts.calls, 0)).toBe(6_000)
    expect(found.find(({ tool }) => tool === undefined)!.counts.calls).toBeGreaterThan(0)
    await usage.close()
  })

  it('goes on, and says why, when the store takes nothing', async () => {
    const errors: unknown[] = []
    const usage = new ToolUsage({
      store: createMemoryStore({ maxBytes: 10 }),
      uncounted: () => [call({})],
      onError: (error) => errors.push(error),
    })
    expect(await usage.read('1h', 'tool', NOW)).toEqual([])
    expect(errors).not.toEqual([])
    await usage.close()
  })
})

describe('the rough length of a value', () => {
  it('is near the length of its JSON', () => {
    for (const value of [{}, { a: 1, text: 'hello', list: [1, 2, { b: null }] }, 'text', [true, false]]) {
      const exact = JSON.stringify(value).length
      expect(Math.abs(roughLength(value) - exact)).toBeLessThanOrEqual(4 + exact / 3)
    }
    expect(roughLength(undefined)).toBe(0)
  })

  it('costs little for a value that is made long', () => {
    const wide = Array.from({ length: 1_000_000 }, () => 1)
    expect(roughLength([wide, wide, wide])).toBeGreaterThan(1_000_000)
    let deep: unknown = 1
    for (let level = 0; level < 10_000; level++) deep = [deep]
    expect(roughLength(deep)).toBeGreaterThan(1_000)
  })
})
