import { Canceller } from '@gantry/mcp/exchange'
import { describe, expect, it } from 'vitest'
import { Slots } from './instance.ts'
import { StartGate } from './start-gate.ts'

const me = (): string => 'me'

describe('Slots', () => {
  it('gives out so many, lets so many wait in order, and refuses the rest', async () => {
    const slots = new Slots(1, 2)
    expect(slots.take(me)).toBe(true)
    const order: number[] = []
    const first = Promise.resolve(slots.take(me)).then(() => order.push(1))
    const second = Promise.resolve(slots.take(me)).then(() => order.push(2))
    expect(slots.take(me)).toBeUndefined()
    slots.release()
    await first
    slots.release()
    await second
    expect(order).toEqual([1, 2])
    expect(slots.used).toBe(1)
  })

  it('lets callers take turns, in whatever order and number their calls come', async () => {
    const slots = new Slots(1, 3)
    slots.take(() => 'greedy')
    const order: string[] = []
    const ask = (caller: string): unknown => {
      const slot = slots.take(() => caller)
      void (slot as Promise<void> | undefined)?.then(() => order.push(caller))
      return slot
    }
    for (let count = 0; count < 3; count++) ask('greedy')
    expect(ask('greedy')).toBeUndefined()
    expect(ask('modest')).toBeInstanceOf(Promise)
    expect(ask('other')).toBeInstanceOf(Promise)
    for (let count = 0; count < 5; count++) {
      slots.release()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(order).toEqual(['greedy', 'modest', 'other', 'greedy', 'greedy'])
  })

  it('forgets who gave up waiting', async () => {
    const slots = new Slots(1, 5)
    slots.take(me)
    const abort = new Canceller()
    const waiting = slots.take(me, abort) as Promise<void>
    abort.abort(new Error('gave up'))
    await expect(waiting).rejects.toThrow('gave up')
    expect(slots.waiting).toBe(0)
    slots.release()
    expect(slots.used).toBe(0)
  })

  it('admits those who wait when there is more room', async () => {
    const slots = new Slots(1, 5)
    slots.take(me)
    const waiting = slots.take(me) as Promise<void>
    slots.resize(2, 5)
    await waiting
    expect(slots.used).toBe(2)
  })
})

describe('StartGate', () => {
  it('runs so many at a time, and not those who gave up before their turn', async () => {
    const gate = new StartGate(1)
    let release = (): void => {}
    const first = gate.run(
      () =>
        new Promise<void>((resolve) => {
          release = resolve
        }),
    )
    const abort = new AbortController()
    let ran = false
    const given = gate.run(async () => {
      ran = true
    }, abort.signal)
    const last = gate.run(async () => 'last')
    abort.abort(new Error('stopped'))
    await expect(given).rejects.toThrow('stopped')
    release()
    await first
    expect(await last).toBe('last')
    expect(ran).toBe(false)
  })
})
