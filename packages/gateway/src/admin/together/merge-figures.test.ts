import { expect, it } from 'vitest'
import type { TargetCard, TrafficStats } from '../contract.ts'
import { mergeCards, mergeStats } from './merge-figures.ts'

const stats = (calls: number, p50: number, traffic: TrafficStats['traffic'] = []): TrafficStats => ({
  calls,
  errors: calls / 10,
  ...(calls > 0 && { errorRate: 0.1, p50, p95: 2 * p50 }),
  traffic,
})
const card = (more: Partial<TargetCard>): TargetCard => ({
  name: 'notes',
  kind: 'stdio',
  what: 'notes',
  state: 'ready',
  since: 0,
  counts: { tools: 0, prompts: 0, resources: 0, templates: 0, tokens: 0 },
  stale: false,
  stats: stats(10, 1),
  restarts: 1,
  connections: 1,
  inFlight: 1,
  endpoint: 'http://here/mcp/notes',
  ...more,
})

it('adds up figures; times weigh as much as there were calls', () => {
  const bucket = (at: number, calls: number) => ({ at, calls, errors: 0 })
  const merged = mergeStats([
    stats(30, 2, [bucket(10, 1), bucket(20, 2)]),
    stats(10, 6, [bucket(20, 5), bucket(30, 7)]),
    stats(0, 0),
  ])
  expect(merged).toMatchObject({ calls: 40, errors: 4, errorRate: 0.1, p50: 3, p95: 6 })
  expect(merged.traffic).toEqual([bucket(10, 1), bucket(20, 7)])
  expect(mergeStats([stats(0, 0), stats(0, 0)])).toEqual({ calls: 0, errors: 0, traffic: [] })
})

it('shows a program as the gateway sees it that has it, or that cannot start it', () => {
  const there = card({ transport: 'stdio', usage: { rss: 1, cpuSeconds: 1, processes: 1 } })
  const hop = card({
    transport: 'stdio at another process',
    connections: 1,
    endpoint: 'http://own/mcp/notes',
  })
  const merged = mergeCards([hop, there, hop])
  expect(merged).toMatchObject({ transport: 'stdio', usage: { processes: 1 }, connections: 1, inFlight: 1 })
  expect(merged.endpoint).toBe('http://own/mcp/notes')
  expect(merged.stats.calls).toBe(30)
  const problem = { code: 'exited', what: 'It ended.' }
  expect(mergeCards([card({ state: 'idle' }), card({ state: 'backing-off', problem })]).problem).toEqual(
    problem,
  )
})

it('adds up the connections that each gateway has to a server', () => {
  const at = (times: number[]) => ({ breaks: { at: times, what: 'closed' } })
  const merged = mergeCards([card({ kind: 'url', ...at([3]) }), card({ kind: 'url', ...at([1, 5]) })])
  expect(merged).toMatchObject({ restarts: 2, connections: 2, inFlight: 2, breaks: { at: [1, 3, 5] } })
})
