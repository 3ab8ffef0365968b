import { fileURLToPath } from 'node:url'
import { connect, http } from '@gantry/mcp/client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { legacyRequest, openSession } from '../support/raw-client.ts'
import { startRedis, type RedisServer } from '../support/redis.ts'
import { startReplicas, type Replicas } from './replicas.ts'

const SERVER = fileURLToPath(new URL('./fixtures/counter-server.mjs', import.meta.url))
const REVISIONS = ['2025-11-25', '2026-07-28']
/** Far below the time limit of a call, far above the two seconds after which a gateway is gone. */
const SOON = 15_000

describe.each(REVISIONS)('a gateway that stands still with its program of revision %s', (revision) => {
  let redis: RedisServer
  let replicas: Replicas
  beforeAll(async () => {
    const counter = { command: process.execPath, args: [SERVER], env: { REVISIONS: revision } }
    // In files, a process that stands still while it writes keeps the others from writing.
    redis = await startRedis()
    replicas = await startReplicas(
      2,
      { mcpServers: { counter } },
      { redis: { url: `redis://127.0.0.1:${redis.port}` } },
    )
  })
  afterAll(async () => {
    for (const { child } of replicas?.all ?? []) child.kill('SIGCONT')
    await replicas?.close()
    await redis?.stop()
  })

  const call = async (at: number, name: string): Promise<string> => {
    const client = await connect(http(replicas.all[at]!.endpoint), { era: 'modern' })
    try {
      return (await client.call(`counter_${name}`)).text()
    } finally {
      await client.close()
    }
  }
  const ownerOf = async (asked: number): Promise<number> => {
    const parent = Number(await call(asked, 'parent'))
    return replicas.all.findIndex(({ child }) => child.pid === parent)
  }

  it('is replaced: calls that wait for it end, and those that may be made twice are made again', async () => {
    const still = await ownerOf(0)
    const other = 1 - still
    const before = await call(other, 'who')
    const patient = call(other, 'patient')
    const once = expect(call(other, 'slowly')).rejects.toMatchObject({
      data: { target: 'counter', mayHaveHappened: true },
    })
    // Both are under way there.
    await expect.poll(() => call(other, 'waiting')).toBe('2')
    const session = await openSession(replicas.all[still]!.endpoint)
    const inSession = async (at: number): Promise<string> => {
      const asked = { name: 'counter_who', arguments: {} }
      const answer = await legacyRequest(replicas.all[at]!.endpoint, 'tools/call', asked, { session })
      return answer.message.result?.content[0].text
    }
    expect(await inSession(other)).toBe(before)
    replicas.all[still]!.child.kill('SIGSTOP')
    const began = Date.now()
    // Its session is taken over, and what waits for it there ends.
    const moved = inSession(other)
    await once
    const after = await patient
    expect(after).not.toBe(before)
    expect(Date.now() - began).toBeLessThan(SOON)
    expect(await call(other, 'who')).toBe(after)
    expect(await moved).toBe(after)

    // What reached it while it stood still is not done by the program that it had.
    const late = call(still, 'who').catch((error) => String(error))
    replicas.all[still]!.child.kill('SIGCONT')
    expect(await late).not.toBe(before)
    await vi.waitFor(async () => expect(await call(still, 'who')).toBe(after), { timeout: SOON })
    expect(await inSession(still)).toBe(after)
    await vi.waitFor(() => expect(() => process.kill(Number(before), 0)).toThrow(), { timeout: SOON })
  })
})
