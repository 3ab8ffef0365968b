import { describe, expect, it } from 'vitest'
import { until } from '../testing/fixtures/raw-peer.test.support.ts'
import { HeldBytes, IncomingBodies } from './held-bytes.ts'

const LIMITS = { perCaller: 10, total: 15 }

describe('HeldBytes', () => {
  it('counts each peer and all of them, and says which limit is passed', () => {
    const bytes = new HeldBytes(LIMITS, 1000)
    const mine = bytes.hold('a', () => {})
    expect(mine.set(10)).toBeUndefined()
    expect(mine.set(11)).toBe('perCaller')
    const other = bytes.hold('b', () => {})
    expect(other.set(5)).toBe('total')
    expect(bytes.held).toBe(16)
    mine.set(3)
    expect([bytes.held, bytes.lacks('b', 5), bytes.lacks('c', 8)]).toEqual([8, undefined, 'total'])
    mine.close()
    mine.close()
    other.close()
    expect(bytes.held).toBe(0)
  })

  it('takes one thing that is larger than a limit when nothing else is held', () => {
    const bytes = new HeldBytes(LIMITS, 1000)
    expect(bytes.lacks('a', 100)).toBeUndefined()
    bytes.hold('a', () => {}).set(12)
    expect([bytes.lacks('a', 1), bytes.lacks('b', 1), bytes.lacks('b', 11)]).toEqual([
      'perCaller',
      undefined,
      'total',
    ])
  })

  it('closes what does not move for as long as the time-out, and says so', async () => {
    const bytes = new HeldBytes(LIMITS, 100)
    const over: string[] = []
    const still = bytes.hold('still', () => over.push('still'))
    const moving = bytes.hold('moving', () => over.push('moving'))
    still.set(1)
    moving.set(1)
    expect(bytes.slowest('moving')).toBe(moving)
    await until(() => {
      moving.moved(2)
      return over.length > 0
    })
    expect([over, bytes.held]).toEqual([['still'], 2])
    expect(bytes.slowest(undefined)).toBe(moving)
    moving.close()
  })
})

describe('IncomingBodies', () => {
  const MB = 1024 * 1024

  it('lets bodies that stand still make room for those that move, and single bytes are no movement', async () => {
    const limits = { maxBytes: 20 * MB, timeout: 6000, receiving: { perCaller: 10 * MB, total: 20 * MB } }
    const bodies = new IncomingBodies(limits)
    const refused: string[] = []
    const begin = (sender: string, bytes: number) => {
      const body = bodies.open(sender, ({ status, message }) =>
        refused.push(`${sender} ${status} ${message}`),
      )
      const refusal = bodies.add(body, bytes)
      if (refusal) body.close()
      return { body, refusal }
    }
    const still = begin('still', 9 * MB).body
    const moving = begin('moving', 9 * MB).body
    let late = begin('late', 5 * MB)
    expect(late.refusal).toMatchObject({ status: 429 })
    await until(() => {
      if (refused.length === 0) bodies.add(still, 1)
      moving.moved(moving.bytes)
      late = begin('late', 5 * MB)
      return !late.refusal
    })
    expect(refused).toEqual(['still 408 The body stopped, and others needed its room'])
    expect(bodies.held).toBe(14 * MB)
    moving.close()
    late.body.close()
  })
})
