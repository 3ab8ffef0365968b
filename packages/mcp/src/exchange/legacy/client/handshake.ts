import { isJsonObject, McpError, ProtocolError, type JsonObject } from '../../../jsonrpc/index.ts'
import {
  type ClientCapabilities,
  type Discovery,
  type Implementation,
  isRevision,
  LATEST_LEGACY,
  LEGACY_REVISIONS,
  META,
  type Revision,
  type ServerCapabilities,
} from '../../../protocol/index.ts'
import type { Wire } from '../../wire.ts'

export type HandshakeStep = 'initialize_sent' | 'initialize_answered' | 'initialized_sent' | 'ready'

export interface HandshakeOptions {
  id: number
  info: Implementation
  /** Declared up front: in this era a request cannot declare its own. */
  capabilities: ClientCapabilities
  /** The revision to ask for. Default: the newest legacy revision. */
  version?: Revision | undefined
  signal?: AbortSignal | undefined
  onStep?: ((step: HandshakeStep) => void) | undefined
}

export interface Handshake {
  readonly version: Revision
  readonly discovery: Discovery
}

/** The handshake (2025-11-25, basic/lifecycle). Fails when `initialized` cannot be written. */
export async function performHandshake(wire: Wire, options: HandshakeOptions): Promise<Handshake> {
  const { signal } = options
  const params = {
    protocolVersion: options.version ?? LATEST_LEGACY,
    capabilities: options.capabilities,
    clientInfo: options.info,
  }
  const answer = wire.request({ jsonrpc: '2.0', id: options.id, method: 'initialize', params }, { signal })
  tell(options, 'initialize_sent')
  const response = await answer
  if ('error' in response) throw ProtocolError.fromJsonRpc(response.error)
  const handshake = readHandshake(response.result)
  tell(options, 'initialize_answered')
  wire.setProtocolVersion?.(handshake.version)
  await wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  tell(options, 'initialized_sent')
  wire.startListening?.()
  tell(options, 'ready')
  return handshake
}

/** A watcher that throws must not leave a request without a reader. */
function tell({ onStep }: HandshakeOptions, step: HandshakeStep): void {
  try {
    onStep?.(step)
  } catch {
    // A watcher only shows what happens.
  }
}

function readHandshake(result: JsonObject): Handshake {
  const { protocolVersion, capabilities, serverInfo, instructions, _meta, ...rest } = result
  if (!isRevision(protocolVersion) || !LEGACY_REVISIONS.includes(protocolVersion)) {
    throw new McpError(
      'bad_version',
      `The server chose protocol version ${JSON.stringify(protocolVersion)}; this client speaks ${LEGACY_REVISIONS.join(', ')} after initialize`,
      { details: { offered: protocolVersion, supported: LEGACY_REVISIONS } },
    )
  }
  const discovery: Discovery = {
    ...rest,
    supportedVersions: [protocolVersion],
    capabilities: isJsonObject(capabilities) ? meaningful(capabilities as ServerCapabilities) : {},
    _meta: {
      ...(isJsonObject(_meta) && _meta),
      ...(isJsonObject(serverInfo) && { [META.serverInfo]: serverInfo }),
    },
  }
  if (typeof instructions === 'string') discovery.instructions = instructions
  return { version: protocolVersion, discovery }
}

/** The extension needs results that this era does not have. Legacy servers that declare it are ignored (SEP-2663). */
const MODERN_ONLY = 'io.modelcontextprotocol/tasks'

function meaningful(capabilities: ServerCapabilities): ServerCapabilities {
  const { extensions, ...rest } = capabilities
  if (!isJsonObject(extensions) || !Object.hasOwn(extensions, MODERN_ONLY)) return capabilities
  const { [MODERN_ONLY]: _tasks, ...others } = extensions
  return Object.keys(others).length > 0 ? { ...rest, extensions: others } : rest
}
