import { describe, expect, it } from 'vitest'
import { failure } from '../../exchange.ts'
import { LegacySession } from './session.ts'
import { RefusedForLoad } from '../../server/answer.ts'

describe('a server that has no room now', () => {
  const refusal = new RefusedForLoad('Too much to do', { reason: 'busy', status: 503, retryAfter: 7 })
  const served = { info: { name: 'x', version: '1' }, respond: () => failure(refusal, refusal) }

  it.each([
    [
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    ],
    ['logging/setLevel', { level: 'info' }],
    ['resources/subscribe', { uri: 'doc://a' }],
    ['tools/call', { name: 'x' }],
  ])('refuses %s for load, and HTTP is told', async (method, params) => {
    const told: unknown[] = []
    const io = { send: () => {}, canPush: true, refused: (...refused: unknown[]) => told.push(refused) }
    const session = new LegacySession(served, io)
    const answer = JSON.parse((await session.request({ jsonrpc: '2.0', id: 1, method, params }, {}))!)
    expect(answer.error).toEqual({
      code: -32603,
      message: 'Too much to do',
      data: { reason: 'busy', retryAfter: 7 },
    })
    expect(told).toEqual([[1, refusal]])
  })
})
