import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Handshake } from '../../telemetry/handshake.ts'
import { presentWarnings } from './present-steps.ts'

const asIs = (text: string): string => text

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function askedTwice(seconds = 10, answer?: object): Handshake {
  const handshake = new Handshake()
  handshake.begin('spawn')
  handshake.seen('out', { id: 1, method: 'server/discover' })
  vi.advanceTimersByTime(seconds * 1000)
  if (answer) handshake.seen('in', answer)
  handshake.seen('out', { id: 2, method: 'initialize' })
  return handshake
}

function afterProbeOf(seconds: number, answer?: object): Handshake {
  const handshake = askedTwice(seconds, answer)
  handshake.seen('in', { id: 2, result: {} })
  return handshake
}

const REFUSAL = { id: 1, error: { code: -32601, message: 'Method not found' } }

describe('a server that is slow to start', () => {
  it('gets no advice about its era: it answers late, or it was started again in the newer one', () => {
    const late = afterProbeOf(10)
    late.seen('in', REFUSAL)
    expect(presentWarnings(late, asIs)).toEqual([])
    const dual = afterProbeOf(10)
    dual.opening('stdio')
    dual.seen('out', { id: 1, method: 'server/discover' })
    dual.seen('in', { id: 1, result: { supportedVersions: ['2026-07-28'] } })
    expect(presentWarnings(dual, asIs)).toEqual([])
  })

  it('gets none when it answered nothing at all, or refused "initialize"', () => {
    const { silent, refusing } = { silent: askedTwice(), refusing: askedTwice() }
    silent.fail(new Error('timeout'))
    refusing.seen('in', { id: 2, error: { code: -32022, message: 'Unsupported protocol version' } })
    for (const handshake of [silent, refusing]) expect(presentWarnings(handshake, asIs)).toEqual([])
  })

  it('answers `initialize` with the message that has its id', () => {
    const handshake = askedTwice()
    handshake.seen('in', REFUSAL)
    expect(handshake.steps.at(-1)!.name).toBe('initialize')
    handshake.seen('in', { id: 2, result: {} })
    expect(handshake.steps.at(-1)).toMatchObject({ name: 'response', messages: [{ message: { id: 2 } }] })
  })
})

describe('a server that ignores server/discover', () => {
  it('is warned about, with the way to save the time', () => {
    expect(presentWarnings(afterProbeOf(10), asIs)).toEqual([
      expect.objectContaining({
        code: 'silent_probe',
        what: expect.stringContaining('cost 10 s'),
        fix: expect.stringContaining('"era": "legacy"'),
      }),
    ])
  })

  it('is not confused with one that is quick to refuse, or slow to do so', () => {
    expect(presentWarnings(afterProbeOf(0, REFUSAL), asIs)).toEqual([])
    expect(presentWarnings(afterProbeOf(5, REFUSAL), asIs)).toEqual([])
    expect(presentWarnings(afterProbeOf(1), asIs)).toEqual([])
  })
})
