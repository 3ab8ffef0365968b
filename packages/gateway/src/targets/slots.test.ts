import { Canceller } from '@gantry/mcp/exchange'
import { describe, expect, it } from 'vitest'
import { Slots } from './slots.ts'
import { StartGate } from './start-gate.ts'

describe('Slots', () => {
  it('gives out so many, lets so many wait in order, and refuses the rest', async () => {
    const slots = new Slots(1, 2)
    expect(slots.take()).toBe(true)
    const order: number[] = []
    const first = Promise.resolve(slots.take()).then(() => order.push(1))
    const second = Promise.resolve(slots.take()).then(() => order.push(2))
    expect(slots.take()).toBeUndefined()
    slots.release()
    await first
    slots.release()
    await second
    expect(order).toEqual([1, 2])
    expect(slots.used).toBe(1)
  })

  it('forgets who gave up waiting', async () => {
    const slots = new Slots(1, 5)
    slots.take()
    const abort = new Canceller()
    const waiting = slots.take(abort) as Promise<void>
    abort.abort(new Error('gave up'))
    await expect(waiting).rejects.toThrow('gave up')
    expect(slots.waiting).toBe(0)
    slots.release()
    expect(slots.used).toBe(0)
  })

  it('admits those who wait when there is more room', async () => {
    const slots = new Slots(1, 5)
    slots.take()
    const waiting = slots.take() as Promise<void>
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
