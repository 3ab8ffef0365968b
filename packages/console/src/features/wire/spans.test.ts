import { describe, expect, it } from 'vitest'
import type { WireMessage } from '../../api/contract.ts'
import { toSpans } from './spans.ts'

const message = (
  seq: number,
  hop: 'client' | 'target',
  direction: 'in' | 'out',
  type: WireMessage['type'],
  id?: number | string,
): WireMessage => ({
  seq,
  at: 0,
  offset: seq * 10,
  hop,
  direction,
  type,
  message: id === undefined ? {} : { id },
  bytes: 0,
  truncated: false,
})

describe('toSpans', () => {
  it('pairs requests and answers hop by hop, whichever side asked', () => {
    const spans = toSpans([
      message(1, 'client', 'in', 'request', 1),
      message(2, 'target', 'out', 'request', 1),
      message(3, 'target', 'in', 'request', 'q'),
      message(4, 'target', 'in', 'notification'),
      message(5, 'target', 'out', 'response', 'q'),
      message(6, 'target', 'in', 'error', 1),
      message(7, 'client', 'out', 'response', 1),
      message(8, 'client', 'in', 'request', 2),
    ])
    expect(spans.map(({ seq, to, failed }) => [seq, to, failed])).toEqual([
      [1, 70, false],
      [2, 60, true],
      [3, 50, false],
      [4, undefined, false],
      [8, undefined, false],
    ])
  })
})
