import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Handshake } from '../../telemetry/handshake.ts'
import { presentWarnings } from './present-steps.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function afterProbeOf(seconds: number, answer?: object): Handshake {
  const handshake = new Handshake()
  handshake.begin('spawn')
  handshake.seen('out', { id: 1, method: 'server/discover' })
  vi.advanceTimersByTime(seconds * 1000)
  if (answer) handshake.seen('in', answer)
  handshake.seen('out', { id: 2, method: 'initialize' })
  handshake.seen('in', { id: 2, result: {} })
  return handshake
}

describe('a server that ignores server/discover', () => {
  it('is warned about, with the way to save the time', () => {
    expect(presentWarnings(afterProbeOf(10))).toEqual([
      expect.objectContaining({
        code: 'silent_probe',
        what: expect.stringContaining('cost 10 s'),
        fix: expect.stringContaining('"era": "legacy"'),
      }),
    ])
  })

  it('is not confused with one that is quick to refuse, or slow to do so', () => {
    const refusal = { id: 1, error: { code: -32601, message: 'Method not found' } }
    expect(presentWarnings(afterProbeOf(0, refusal))).toEqual([])
    expect(presentWarnings(afterProbeOf(5, refusal))).toEqual([])
    expect(presentWarnings(afterProbeOf(1))).toEqual([])
  })
})
