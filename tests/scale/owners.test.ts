import { fileURLToPath } from 'node:url'
import { connect, http } from '@gantry/mcp/client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startReplicas, type Replicas } from './replicas.ts'

const SERVER = fileURLToPath(new URL('./fixtures/counter-server.mjs', import.meta.url))
const REVISIONS = ['2025-11-25', '2026-07-28']

describe.each(REVISIONS)('a program of revision %s behind three gateways', (revision) => {
  let replicas: Replicas
  beforeAll(async () => {
    const counter = { command: process.execPath, args: [SERVER], env: { REVISIONS: revision } }
    replicas = await startReplicas(3, { mcpServers: { counter } })
  })
  afterAll(() => replicas?.close())

  const call = async (at: number, name: string, args = {}, era: 'legacy' | 'modern' = 'modern') => {
    const client = await connect(http(replicas.all[at]!.endpoint), {
      era,
      elicit: () => ({ action: 'accept', content: { name: `from ${at}` } }),
    })
    try {
      const result = await client.call(`counter_${name}`, args)
      return (result.content[0] as { text: string }).text
    } finally {
      await client.close()
    }
  }

  /** A connection that was open to a gateway may fail once more after its death. */
  const soonKnown = (at: number) => vi.waitFor(() => call(at, 'who'), { timeout: 15_000, interval: 100 })

  it('runs once, whichever gateway is asked', async () => {
    const seen = await Promise.all([0, 1, 2].map((at) => call(at, 'who')))
    expect(new Set(seen).size).toBe(1)
    const counts: number[] = []
    for (const at of [0, 1, 2, 0, 1, 2]) counts.push(Number(await call(at, 'count')))
    expect(counts).toEqual([1, 2, 3, 4, 5, 6])
  })

  it.each(['legacy', 'modern'] as const)('asks %s clients of every gateway', async (era) => {
    for (const at of [0, 1, 2]) expect(await call(at, 'greet', {}, era)).toBe(`Hello, from ${at}!`)
  })

  it('is found again when its gateway is started anew at the same address', async () => {
    const owner = Number(await call(0, 'parent'))
    const at = replicas.all.findIndex(({ child }) => child.pid === owner)
    await replicas.restart(at)
    const seen = await Promise.all([0, 1, 2].map(soonKnown))
    expect(new Set(seen).size).toBe(1)
  })

  it('is taken over within seconds when its gateway is killed', async () => {
    const before = await soonKnown(0)
    const owner = Number(await call(0, 'parent'))
    const victim = replicas.all.findIndex(({ child }) => child.pid === owner)
    const others = [0, 1, 2].filter((at) => at !== victim)
    await replicas.all[victim]!.kill()
    const began = Date.now()
    const after = await Promise.all(others.map(soonKnown))
    expect(new Set(after).size).toBe(1)
    expect(after[0]).not.toBe(before)
    expect(Date.now() - began).toBeLessThan(15_000)
  })
})
