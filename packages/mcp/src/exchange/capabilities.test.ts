import { describe, expect, it } from 'vitest'
import { CALL_CAPABILITIES, callCapabilities, capabilitiesMeta, missingCapabilities } from './capabilities.ts'
import { metaOf, ScriptedPeer, testExchange } from './client/client-edge-peer.test.support.ts'
import type { Exchange } from './exchange.ts'
import { LegacyClientEdge } from './legacy/client/edge.ts'
import { LegacySession } from './legacy/server/session.ts'

const declared = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

describe('the capabilities of a call', () => {
  it('are not mentioned when they are those of the connection', () => {
    const capabilities = { ...declared, extensions: { x: {} } }
    expect(capabilitiesMeta({ capabilities, version: '2026-07-28' }, declared)).toEqual({})
  })

  it('are not mentioned for legacy clients, which expect their own era’s errors', () => {
    expect(capabilitiesMeta({ capabilities: {}, version: '2025-11-25' }, declared)).toEqual({})
  })

  it('are what both sides have, modes and options included', () => {
    const capabilities = { elicitation: { form: {} }, sampling: { context: {} } }
    expect(capabilitiesMeta({ capabilities, version: '2026-07-28' }, declared)).toEqual({
      [CALL_CAPABILITIES]: { elicitation: { form: {} }, sampling: {} },
    })
  })

  it.each([
    [{ sampling: {} }, { sampling: {} }],
    [{}, {}],
    ['nonsense', declared],
    [
      { ...declared, sampling: { tools: {}, context: {} }, roots: true },
      { ...declared, roots: undefined },
    ],
  ])('only ever narrow what the session declared: %j', (said, left) => {
    expect(callCapabilities(declared, { _meta: { [CALL_CAPABILITIES]: said } })).toEqual(left)
  })

  it('travel with calls that may lead to questions, and with nothing else', async () => {
    const peer = new ScriptedPeer(({ request }) =>
      request.method !== 'initialize'
        ? {}
        : { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'old', version: '1' } },
    )
    const info = { name: 'us', version: '1' }
    const edge = await LegacyClientEdge.connect(peer, { info, capabilities: declared })
    const client = { capabilities: { sampling: {} } }
    await edge.handle(testExchange('tools/call', { name: 'x' }, { client }))
    await edge.handle(testExchange('tools/list', {}, { client }))
    expect(metaOf(peer.of('tools/call')[0], CALL_CAPABILITIES)).toEqual({ sampling: {} })
    expect(peer.of('tools/list')[0]?.params).toBeUndefined()
  })

  it('are what a handler sees', () => {
    const seen: unknown[] = []
    const respond = ({ client }: Exchange) => {
      seen.push(client.capabilities)
      return { type: 'complete', result: {} } as const
    }
    const served = { info: { name: 's', version: '1' }, respond }
    const session = new LegacySession(served, { send: () => {}, canPush: true })
    session.restore({ version: '2025-11-25', capabilities: declared })
    const _meta = { [CALL_CAPABILITIES]: { roots: {} } }
    session.request({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', _meta } }, {})
    session.request({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'x' } }, {})
    expect(seen).toEqual([{ roots: {} }, declared])
  })
})

const form = { method: 'elicitation/create', params: { message: '', requestedSchema: { type: 'object' } } }
const page = { method: 'elicitation/create', params: { mode: 'url', message: '', url: 'https://a.example' } }
const plain = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }
const withTools = { method: 'sampling/createMessage', params: { ...plain.params, tools: [] } }

it.each([
  [{ elicitation: {}, sampling: { tools: {} } }, { form, withTools }, undefined],
  [{}, { form }, { elicitation: {} }],
  [{ elicitation: {} }, { form, page }, { elicitation: { url: {} } }],
  [{ elicitation: { url: {} } }, { form, page }, { elicitation: { form: {} } }],
  [{}, { withTools, plain }, { sampling: { tools: {} } }],
  [{ sampling: {} }, { withTools, plain }, { sampling: { tools: {} } }],
])('a client with %j lacks, for these questions, …', (declared, requests, missing) => {
  expect(missingCapabilities(requests, declared)).toEqual(missing)
})
