import { expect, it } from 'vitest'
import { OperationDurations, type SeriesKey } from './operation-durations.ts'

const NAME = 'mcp.server.operation.duration'
const KEY: SeriesKey = {
  method: 'tools/call',
  name: 'a',
  version: 'v',
  transport: 'http',
  address: '',
  end: '',
}

function record(
  durations: OperationDurations,
  change: Partial<SeriesKey>,
  more: Record<string, string> = {},
) {
  const key = { ...KEY, ...change }
  const labels = { name: key.name, end: key.end, ...more }
  return durations.record(NAME, 0.1, key, { labels: () => labels })
}

const series = (durations: OperationDurations) => [...durations.all()].flatMap(([, all]) => all)

it('counts like requests in one series', () => {
  const durations = new OperationDurations()
  const first = record(durations, {})
  expect(record(durations, {})).toBe(first)
  expect(record(durations, { end: '-32603' })).not.toBe(first)
  expect(series(durations).map(({ count }) => count)).toEqual([2, 1])
})

it.each([
  ['names', (at: number) => ({ name: `tool ${at}` })],
  // A target chooses the codes of its errors.
  ['codes', (at: number) => ({ end: `${at}` })],
])('has a bounded number of series, whatever %s there are, and loses no call', (_, change) => {
  const durations = new OperationDurations()
  const known = record(durations, { name: 'known' })
  for (let at = 0; at < 5_000; at++) record(durations, change(at))
  const all = series(durations)
  expect(all.length).toBeLessThan(2_010)
  expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(5_001)
  expect(all.find(({ attributes }) => attributes['otel.metric.overflow'])?.count).toBeGreaterThan(2_900)
  // What was there before goes on.
  expect(record(durations, { name: 'known' })).toBe(known)
})

it('gives resources no series of their own', () => {
  const durations = new OperationDurations()
  for (let at = 0; at < 100; at++)
    record(durations, { name: '', end: `${at}` }, { end: '', 'mcp.resource.uri': `memo://${at}` })
  expect(series(durations)).toHaveLength(1)
  expect(series(durations)[0]!.attributes).not.toHaveProperty('mcp.resource.uri')
})
