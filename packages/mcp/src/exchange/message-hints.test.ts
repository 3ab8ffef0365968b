import { describe, expect, it } from 'vitest'
import type { Exchange } from './exchange.ts'
import { metaOf, type Script, ScriptedPeer, testExchange } from './client/client-edge-peer.test.support.ts'
import {
  DETACH_HINT,
  CALL_CAPABILITIES,
  callCapabilities,
  capabilitiesMeta,
  missingCapabilities,
} from './message-hints.ts'
import { LegacyClientEdge } from './legacy/client/edge.ts'
import { LegacySession } from './legacy/server/session.ts'
import { ModernClientEdge } from './modern/client-edge.ts'
import { openModernExchange } from './modern/server-edge.ts'
import { META } from '../protocol/index.ts'

const served = {
  info: { name: 's', version: '1' },
  respond: () => ({ type: 'complete', result: {} }) as const,
}
const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  serverInfo: { name: 'old', version: '1' },
}

/** A caller with a stream that can be let go of, and what it was asked to do with it. */
function detachable(): { exchange: Exchange; detached: (number | undefined)[] } {
  const detached: (number | undefined)[] = []
  const exchange = testExchange('tools/call', { name: 'x' })
  return {
    exchange: Object.assign(exchange, { detach: (retryMs?: number) => void detached.push(retryMs) }),
    detached,
  }
}

const letsGo: Script = ({ request, notify }) => {
  if (request.method === 'initialize') return INITIALIZED
  expect(metaOf(request, DETACH_HINT)).toBe(true)
  notify(`notifications/${DETACH_HINT}`, { retryMs: 700, _meta: { 'dev.gantry/relatedRequest': request.id } })
  return { content: [] }
}

async function edgeTo(era: string, peer: ScriptedPeer): Promise<LegacyClientEdge | ModernClientEdge> {
  if (era === 'modern') return new ModernClientEdge(peer)
  return LegacyClientEdge.connect(peer, { info: { name: 'us', version: '1' }, capabilities: {} })
}

describe.each(['legacy', 'modern'])('a %s server that lets go of its stream', (era) => {
  it.each(['stdio', 'http'])('makes the gateway let go of its client’s (%s)', async (kind) => {
    const edge = await edgeTo(era, new ScriptedPeer(letsGo, kind))
    const { exchange, detached } = detachable()
    await edge.handle(exchange)
    expect(detached).toEqual([700])
    expect((exchange as ReturnType<typeof testExchange>).notifications).toEqual([])
  })

  it('is not asked for hints by callers without such a stream', async () => {
    const peer = new ScriptedPeer(({ request }) => (request.method === 'initialize' ? INITIALIZED : {}))
    const edge = await edgeTo(era, peer)
    await edge.handle(testExchange('tools/call', { name: 'x' }))
    expect(metaOf(peer.of('tools/call')[0], DETACH_HINT)).toBeUndefined()
  })
})

describe('a server edge without resumable streams', () => {
  it('passes the request on to a legacy client that asked for it, and to no other', () => {
    const sent: string[] = []
    const detaches: Exchange['detach'][] = []
    const respond = (exchange: Exchange) => {
      detaches.push(exchange.detach)
      exchange.detach?.(700)
      return { type: 'complete', result: {} } as const
    }
    const session = new LegacySession(
      { ...served, respond },
      { send: (text) => sent.push(text), canPush: true },
    )
    const request = (id: number, params: object) =>
      session.request({ jsonrpc: '2.0', id, method: 'tools/call', params: { ...params } }, {})
    request(1, { name: 'x', _meta: { [DETACH_HINT]: true } })
    request(2, { name: 'x' })
    expect(detaches[1]).toBeUndefined()
    expect(sent.map((text) => JSON.parse(text))).toEqual([
      {
        jsonrpc: '2.0',
        method: `notifications/${DETACH_HINT}`,
        params: { retryMs: 700, _meta: { 'dev.gantry/relatedRequest': 1 } },
      },
    ])
  })

  it('passes the request on to a modern client that asked for it, and to no other', () => {
    const sent: string[] = []
    const envelope = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} }
    const open = (_meta: object) =>
      openModernExchange(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', _meta: { ..._meta } } },
        served,
        {},
        (text) => void sent.push(text),
      )
    expect(open(envelope).detach).toBeUndefined()
    open({ ...envelope, [DETACH_HINT]: true }).detach?.()
    expect(sent.map((text) => JSON.parse(text).method)).toEqual([`notifications/${DETACH_HINT}`])
  })
})

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
