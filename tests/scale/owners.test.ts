import { fileURLToPath } from 'node:url'
import { connect, http } from '@gantry/mcp/client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createAdminClient } from '../../packages/gateway/src/admin/contract.ts'
import type { SourceProcess } from '../support/source-process.ts'
import { startReplicas, type Replicas } from './replicas.ts'

const SERVER = fileURLToPath(new URL('./fixtures/counter-server.mjs', import.meta.url))
const adminOf = ({ url, token }: SourceProcess) => createAdminClient({ url, token })
const cardOf = async (one: SourceProcess, name: string) =>
  (await adminOf(one).call('targets', {})).targets.find((card) => card.name === name)!

const REVISIONS = ['2025-11-25', '2026-07-28']

describe.each(REVISIONS)('a program of revision %s behind three gateways', (revision) => {
  let replicas: Replicas
  beforeAll(async () => {
    const counter = { command: process.execPath, args: [SERVER], env: { REVISIONS: revision } }
    const broken = { command: 'no-such-program-anywhere' }
    replicas = await startReplicas(3, { mcpServers: { counter, broken } })
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

  it('is shown as what it is at every gateway, also where it does not run', async () => {
    await Promise.all([0, 1, 2].map((at) => call(at, 'who')))
    const shown = await Promise.all(replicas.all.map((one) => cardOf(one, 'counter')))
    const era = revision === '2026-07-28' ? 'modern' : 'legacy'
    for (const one of shown) expect(one).toMatchObject({ state: 'ready', era, revision, transport: 'stdio' })
    const logs = await Promise.all(
      replicas.all.map((one) => adminOf(one).call('log', { query: { target: 'counter' } })),
    )
    const ready = logs.flatMap(({ lines }) => lines).filter(({ message }) => message.includes('ready'))
    expect(ready.length).toBeGreaterThan(2)
    for (const { message, detail } of ready) expect(`${message} ${detail}`).toContain(`${era} ${revision}`)
    const whys = await Promise.all(
      replicas.all.map((one) => adminOf(one).call('why', { query: { name: 'counter_who' } })),
    )
    expect(new Set(whys.map(({ chain }) => JSON.stringify(chain))).size).toBe(1)
  })

  it('says at every gateway why a program does not start', async () => {
    const why = (one: SourceProcess) =>
      vi.waitFor(async () => (await cardOf(one, 'broken')).problem!.what, 10_000)
    const told = await Promise.all(replicas.all.map(why))
    for (const one of told) expect(one).toContain('Could not start "no-such-program-anywhere"')
  })

  it('says nothing at its port for the others to those who are none of them', async () => {
    for (const path of [
      'hop/counter',
      'hop/nothing',
      'tasks/',
      'tasks/counter',
      'tasks/nothing',
      'session/mcp',
      'x',
    ]) {
      const { status } = await fetch(`http://127.0.0.1:${replicas.ports[0]}/${path}`, { method: 'POST' })
      expect([path, status]).toEqual([path, 401])
    }
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
