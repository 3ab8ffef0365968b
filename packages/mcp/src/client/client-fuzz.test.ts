import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Script, ScriptedPeer } from '../exchange/client/client-edge-peer.test.support.ts'
import type { Connector, IncomingMessage } from '../exchange/index.ts'
import { classifyMessage, McpError, ProtocolError } from '../jsonrpc/index.ts'
import { Client } from './client.ts'
import { scripted } from './scripted-connector.test.support.ts'

const unhandled: unknown[] = []
const note = (thrown: unknown) => void unhandled.push(thrown)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

const METHODS = [
  'notifications/progress',
  'notifications/message',
  'notifications/cancelled',
  'notifications/tools/list_changed',
  'notifications/resources/updated',
  'notifications/subscriptions/acknowledged',
  'notifications/elicitation/complete',
  'notifications/made/up',
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
  'ping',
  'made/up',
]

const id = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constantFrom('a', 's1'))
const value = fc.oneof({ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) }, { weight: 2, arbitrary: id })
const members = fc.constantFrom(
  'progressToken',
  'progress',
  'level',
  'data',
  'requestId',
  'uri',
  'notifications',
  'mode',
  'requestedSchema',
  'elicitationId',
  '_meta',
  '__proto__',
)
const params = fc.dictionary(members, value, { maxKeys: 5 })
const push = fc.record(
  { id, method: fc.constantFrom(...METHODS), params: fc.oneof(params, value) },
  { requiredKeys: ['method'] },
)

const result = fc.oneof(
  fc.dictionary(
    fc.constantFrom(
      'resultType',
      'inputRequests',
      'requestState',
      'content',
      'tools',
      'nextCursor',
      'ttlMs',
      'structuredContent',
      'supportedVersions',
      'capabilities',
      'protocolVersion',
      'serverInfo',
      '__proto__',
    ),
    fc.oneof(
      value,
      fc.constantFrom('complete', 'input_required', 'task', '2026-07-28', '2025-11-25', ['2026-07-28']),
      fc.constant({ q: { method: 'elicitation/create', params: { requestedSchema: { type: 'object' } } } }),
      fc.constant({ tools: { listChanged: true }, resources: { subscribe: true }, logging: {} }),
      fc.constant([
        { name: 'x', inputSchema: { $ref: 'http://example.invalid/' }, outputSchema: { type: 7 } },
        null,
      ]),
    ),
  ),
  fc.constant({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} }),
  fc.constant({ protocolVersion: '2025-11-25', capabilities: { logging: {} }, serverInfo: {} }),
)
const answer = fc.oneof(
  { weight: 4, arbitrary: result },
  {
    weight: 2,
    arbitrary: fc.record({
      error: fc.record({
        code: fc.constantFrom(-32601, -32020, -32022, -32042, 0),
        message: fc.string(),
        data: value,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.constant('never' as const) },
)

type Greeting = 'modern' | 'legacy' | 'neither'
const greeting = fc.constantFrom<Greeting>('modern', 'legacy', 'neither')

/** One step of a hostile server: what it says before it answers, and the answer. */
const step = fc.record({ pushes: fc.array(push, { maxLength: 4 }), answer })

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} }

/** Greets as a server of its era, or in its own way, and then says what it likes. */
function hostile(
  era: Greeting,
  steps: { pushes: object[]; answer: unknown }[],
  kind: Connector['kind'],
): Connector {
  let next = 0
  const script: Script = () => {
    const current = steps[next++ % steps.length] ?? { pushes: [], answer: {} }
    for (const message of current.pushes) {
      const parsed = classifyMessage({ jsonrpc: '2.0', ...message })
      if (parsed.kind !== 'request' && parsed.kind !== 'notification') continue
      deliver(connector.peer, parsed.message)
    }
    return current.answer === 'never' ? new Promise(() => {}) : current.answer
  }
  const connector = scripted(era === 'neither' ? 'modern' : era, script, { kind, capabilities })
  if (era !== 'neither') return connector
  const open = async () => {
    const peer = new ScriptedPeer(script, kind)
    connector.peers.push(peer)
    return peer
  }
  return { kind, key: connector.key, open }
}

function deliver(peer: ScriptedPeer, message: IncomingMessage): void {
  try {
    peer.onMessage?.(JSON.parse(JSON.stringify(message)))
  } catch (thrown) {
    note(thrown)
  }
}

describe('a server that says anything at any time', () => {
  it.each(['stdio', 'http'] as const)(
    'ends every request in time, and only in promises (%s)',
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(greeting, fc.array(step, { minLength: 1, maxLength: 6 }), async (era, steps) => {
          const client = new Client({
            connector: hostile(era, steps, kind),
            connectTimeout: 80,
            probeTimeout: 20,
            timeout: 20,
            maxTotalTimeout: 80,
            maxRounds: 3,
            maxPages: 5,
            elicit: () => ({ action: 'accept', content: {} }),
            sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: '' } }),
            roots: [],
          })
          client.on('toolsChanged', () => {})
          const settled = await Promise.allSettled([
            client.call('x'),
            client.listTools().all(),
            client.readResource('file:///a'),
            client
              .start('x')
              .then((started) =>
                started.type === 'input_required'
                  ? client.resume(started, { q: { action: 'accept' } })
                  : started,
              ),
            client.subscribe('file:///a'),
          ])
          await client.close()
          for (const outcome of settled) {
            if (outcome.status === 'fulfilled') continue
            const { reason } = outcome
            expect(reason instanceof McpError || reason instanceof ProtocolError, String(reason?.stack)).toBe(
              true,
            )
          }
        }),
        { numRuns: Number(process.env.GANTRY_FUZZ_RUNS ?? 60) },
      )
      expect(unhandled).toEqual([])
    },
  )
})
