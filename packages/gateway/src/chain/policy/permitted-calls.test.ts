import { expect, it } from 'vitest'
import { keyPrincipal } from '../../model/index.ts'
import { createMemoryStore, type Store } from '../../store/index.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import { PermittedCalls } from './permitted-calls.ts'

const HOUR = 3_600_000
const exchange = (who: string, name: string) =>
  ({
    auth: { principal: keyPrincipal(who), scopes: [], claims: {} },
    resolved: { kind: 'tools', name, catalog: { target: { name: 'one' } } },
  }) as unknown as GatewayExchange

const upTo = (most: number) => (count: (window: number) => number) => ({ allowed: count(HOUR) < most })

it('lets through exactly as many calls as a rule permits, in all processes together', async () => {
  const store: Store = createMemoryStore()
  // Each stands for a process: they share nothing but the store.
  const processes = [new PermittedCalls(store), new PermittedCalls(store), new PermittedCalls(store)]
  const decide = (at: number, who = 'ann', name = 'tool') =>
    processes[at % processes.length]!.decide(exchange(who, name), [HOUR], upTo(10))
  const decisions = await Promise.all(Array.from({ length: 60 }, (_, at) => decide(at)))
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(10)
  expect(await decide(0)).toEqual({ allowed: false })
  expect(await decide(0, 'bob')).toEqual({ allowed: true })
  expect(await decide(0, 'ann', 'other')).toEqual({ allowed: true })
  await store.close()
})

it('counts no call that is denied', async () => {
  const store = createMemoryStore()
  const counts = new PermittedCalls(store)
  const asked = exchange('ann', 'tool')
  for (let at = 0; at < 5; at++) await counts.decide(asked, [HOUR], () => ({ allowed: false }))
  expect(await counts.decide(asked, [HOUR], upTo(1))).toEqual({ allowed: true })
  expect(await counts.decide(asked, [HOUR], upTo(1))).toEqual({ allowed: false })
  await store.close()
})

it('goes on after a decision that could not be made', async () => {
  const store = createMemoryStore()
  const counts = new PermittedCalls(store)
  const failing = counts.decide(exchange('ann', 'tool'), [HOUR], () => {
    throw new Error('no')
  })
  const next = counts.decide(exchange('ann', 'tool'), [HOUR], upTo(1))
  await expect(failing).rejects.toThrow('no')
  expect(await next).toEqual({ allowed: true })
  expect(await counts.decide(exchange('ann', 'tool'), [HOUR], upTo(1))).toEqual({ allowed: false })
  await store.close()
})
