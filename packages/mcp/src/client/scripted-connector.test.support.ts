import { type Script, ScriptedPeer, type Turn } from '../exchange/client/client-edge-peer.test.support.ts'
import type { Connector } from '../exchange/index.ts'
import type { JsonObject } from '../jsonrpc/index.ts'

export interface ScriptedConnector extends Connector {
  /** The wires that were opened, in order. */
  readonly peers: ScriptedPeer[]
  /** The newest wire. */
  readonly peer: ScriptedPeer
}

let lastKey = 0

/** A connector to a scripted server of one era. `capabilities` are what the server says it has. */
export function scripted(
  era: 'modern' | 'legacy',
  script: Script,
  options: { capabilities?: JsonObject; kind?: Connector['kind'] } = {},
): ScriptedConnector {
  const { capabilities = {}, kind = 'stdio' } = options
  const peers: ScriptedPeer[] = []
  const greet = era === 'modern' ? discover : initialize
  return {
    kind,
    key: `scripted-${++lastKey}`,
    peers,
    get peer() {
      return peers.at(-1) as ScriptedPeer
    },
    async open() {
      const peer = new ScriptedPeer((turn) => greet(turn, capabilities) ?? script(turn), kind)
      peers.push(peer)
      return peer
    },
  }
}

const serverInfo = { name: 'scripted', version: '1' }

function discover({ request }: Turn, capabilities: JsonObject): unknown {
  if (request.method !== 'server/discover') return undefined
  return {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities,
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
  }
}

function initialize({ request }: Turn, capabilities: JsonObject): unknown {
  if (request.method === 'server/discover') return { error: { code: -32601, message: 'Method not found' } }
  if (request.method !== 'initialize') return undefined
  return { protocolVersion: '2025-11-25', capabilities, serverInfo, instructions: 'hello' }
}
