import { failure, PlainExchange, ProtocolError } from '@gantry/mcp/exchange'
import { describe, expect, it } from 'vitest'
import { OlderEra } from './older-era.ts'

const call = (name: string) =>
  new PlainExchange({
    method: 'tools/call',
    params: { name },
    client: {
      info: { name: 'test', version: '1' },
      capabilities: { elicitation: {} },
      version: '2025-11-25',
    },
    ask: async () => ({}),
  })

const refused = (text: string) => failure(new ProtocolError(-32602, text))

describe('a call that was refused in the older era', () => {
  it('is made in the newer one when its answer exists there only, from then on at once', () => {
    const era = new OlderEra()
    const text = "Tool 'ask' returned an InputRequiredResult, which only exists at MCP 2026-07-28"
    expect(era.wants(call('ask'), false)).toBe(true)
    expect(era.needsNewer(call('ask'), refused(text))).toBe('named')
    expect(era.wants(call('ask'), false)).toBe(false)
  })

  it.each(['No seats are left on 2026-07-28', 'InputRequiredResult', 'Unknown tool'])(
    'is not made again for an error of its own: %s',
    (text) => {
      const era = new OlderEra()
      expect(era.needsNewer(call('book'), refused(text))).toBeUndefined()
      expect(era.wants(call('book'), false)).toBe(true)
    },
  )

  it('is remembered for a bounded number of items', () => {
    const era = new OlderEra()
    const text = 'an InputRequiredResult, which only exists at MCP 2026-07-28'
    for (let index = 0; index < 1001; index++) era.needsNewer(call(`t${index}`), refused(text))
    expect([era.wants(call('t0'), false), era.wants(call('t1000'), false)]).toEqual([false, true])
  })

  it('goes to the newer one next time when its error is less clear', () => {
    const era = new OlderEra()
    const invalid = failure(new ProtocolError(-32603, 'Handler returned an invalid result'))
    expect(era.needsNewer(call('ask'), invalid)).toBe('likely')
    expect(era.wants(call('ask'), false)).toBe(false)
  })
})
