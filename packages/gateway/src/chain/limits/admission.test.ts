import { describe, expect, it } from 'vitest'
import { complete, RefusedForLoad, type PlainExchange, type Outcome } from '@gantry/mcp/exchange'
import { Server } from '@gantry/mcp/server'
import { answering, chainBench } from '../chain.test.support.ts'
import { Admission, limitsLink } from './admission.ts'

const bench = await chainBench({ a: new Server({ name: 'a' }) })
const call = (session: string) => bench.exchange('tools/call', {}, { session })

function held() {
  let finish: (outcome: Outcome) => void = () => {}
  const outcome = new Promise<Outcome>((resolve) => {
    finish = resolve
  })
  return { next: () => outcome, finish: () => finish(complete({})) }
}

describe('the limit of requests under way', () => {
  it('counts a request until it has ended', async () => {
    const admission = new Admission({ perCaller: 1, total: 1 })
    const { next, finish } = held()
    const running = limitsLink(admission)(call('one'), next)
    expect(admission.inFlight).toBe(1)
    finish()
    await running
    expect(admission.inFlight).toBe(0)
  })

  it('counts one that fails until then, and no longer', async () => {
    const admission = new Admission({ perCaller: 1, total: 1 })
    const failing = limitsLink(admission)(call('one'), () => Promise.reject(new Error('failed')))
    await expect(failing).rejects.toThrow('failed')
    expect(admission.inFlight).toBe(0)
  })

  it('refuses a caller that has its part, for load, and nothing is done', async () => {
    const link = limitsLink(new Admission({ perCaller: 1, total: 1 }))
    const { next, finish } = held()
    const running = link(call('one'), next)
    const second = answering()
    const refused = link(call('one'), second.next)
    await expect(refused).rejects.toBeInstanceOf(RefusedForLoad)
    await expect(refused).rejects.toMatchObject({ status: 429, retryAfter: 1 })
    expect(second.calls).toBe(0)
    finish()
    await running
  })

  it('lets another caller wait for its turn', async () => {
    const admission = new Admission({ perCaller: 1, total: 1 })
    const link = limitsLink(admission)
    const { next, finish } = held()
    const running = link(call('one'), next)
    const other = answering()
    const waiting = link(call('other'), other.next)
    expect(admission.waiting).toBe(1)
    expect(other.calls).toBe(0)
    finish()
    await Promise.all([running, waiting])
    expect(other.calls).toBe(1)
  })

  it('frees the place of a caller that has gone', () => {
    const admission = new Admission({ perCaller: 1, total: 1 })
    const exchange = call('one')
    void limitsLink(admission)(exchange, held().next)
    ;(exchange.origin as PlainExchange).abort()
    expect(admission.inFlight).toBe(0)
  })
})
