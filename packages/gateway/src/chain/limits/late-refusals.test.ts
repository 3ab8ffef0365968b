import { describe, expect, it } from 'vitest'
import type { AuthInfo, Outcome } from '@gantry/mcp/exchange'
import { Server, tool } from '@gantry/mcp/server'
import { chainBench, liveExchange } from '../chain.test.support.ts'

const app = new Server({ name: 'a', tools: { search: tool({ run: () => 'found' }) } })

async function benchFor(config: Record<string, unknown> = {}) {
  const { gateway } = await chainBench({ a: app }, { limits: { rates: [{ rate: '1/h' }] }, ...config })
  const exchangeBy = (who: string) => {
    const auth = { principal: { kind: 'key', subject: who }, scopes: [], claims: {} } as unknown as AuthInfo
    return liveExchange('tools/call', { name: 'a_search', arguments: {} }, { auth })
  }
  const call = (who: string): Promise<Outcome> =>
    Promise.resolve(gateway.endpoint()!.respond(exchangeBy(who)))
  /** Calls of one caller at the same time. */
  const flood = (times: number, who = 'ann') => {
    const state = { untold: times, toldAt: [] as number[] }
    const began = performance.now()
    const told = Array.from({ length: times }, async () => {
      const { type } = await call(who)
      state.untold--
      state.toldAt.push(performance.now() - began)
      return type
    })
    return Object.assign(state, { all: Promise.all(told) })
  }
  return { gateway, exchangeBy, call, flood }
}

describe('a caller that is refused again and again', () => {
  it('hears of the first refusals at once, and of the rest at a steady pace', async () => {
    const { call, flood } = await benchFor()
    await call('ann')
    const { all, toldAt } = flood(65)
    expect(new Set(await all)).toEqual(new Set(['error']))
    const late = toldAt.slice(50)
    // 15 more at 10 a second.
    expect(late.at(-1)).toBeGreaterThan(1450)
    // One after the other: what comes together takes time from others.
    for (const [at, time] of late.entries()) expect(time).toBeGreaterThan(at * 100 - 10)
  })

  it('takes nothing from others: no time, no place, and not the gateway itself', async () => {
    const { gateway, call, flood } = await benchFor({ server: { limits: { requestsInFlight: 60 } } })
    await call('ann')
    await call('bo')
    const flooded = flood(59)
    const refused = await call('bo')
    expect(refused.type).toBe('error')
    expect(flooded.untold).toBeGreaterThan(0)
    // Their records have ended: how long they wait is no time of the call.
    expect(gateway.admission.inFlight).toBe(0)
    expect(gateway.exchanges.running).toEqual([])
    await flooded.all
    expect(gateway.exchanges.recent(10).every(({ durationMs = 0 }) => durationMs < 500)).toBe(true)
  })

  it.each([0, 50])('is answered at once when it is gone after %i ms', async (after) => {
    const { gateway, exchangeBy, call, flood } = await benchFor()
    await call('ann')
    const flooded = flood(70)
    const exchange = exchangeBy('ann')
    const answered = gateway.endpoint()!.respond(exchange)
    if (after > 0) await new Promise((resolve) => setTimeout(resolve, after))
    exchange.abort()
    const before = performance.now()
    await answered
    expect(performance.now() - before).toBeLessThan(500)
    expect(flooded.untold).toBeGreaterThan(0)
    await flooded.all
  })

  it('waits six seconds at most', async () => {
    const { call, flood } = await benchFor()
    await call('ann')
    const { all, toldAt } = flood(400)
    await all
    expect(Math.max(...toldAt)).toBeLessThan(6500)
  })
})
