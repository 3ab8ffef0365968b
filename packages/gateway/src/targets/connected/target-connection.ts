import { McpError, negotiate, type EraCache } from '@gantry/mcp/client'
import type { StdioWire } from '@gantry/mcp/client/node'
import {
  INVALID_REQUEST,
  isMethodInRevision,
  RELATED_REQUEST,
  type ClientEdge,
  type Connector,
  type Continuations,
  type Exchange,
  type Notification,
  type Outcome,
  type Wire,
  type WireTap,
} from '@gantry/mcp/exchange'
import type { Discovery, Era, Implementation, Revision } from '@gantry/mcp/server'
import { describeTarget, type TargetModel } from '../../model/index.ts'
import type { Handshake } from '../../telemetry/handshake.ts'
import { callerOf, headersOf, OwnExchange } from './target-exchange.ts'

/** Facts about a child process, where the target is one. */
export interface ProcessFacts {
  readonly pid: number | undefined
  stderrTail(): readonly string[]
  tree(): Promise<readonly { pid: number; parent: number; rss: number; cpu: number; command: string }[]>
}

/** How a server is spoken to, for operators. */
export interface Spoken extends Pick<TargetConnection, 'era' | 'version' | 'transport'> {
  /** Which connections there are and why, where there is something to say. */
  readonly eras?: string | undefined
}

/** One live connection to a target, whatever its kind: what a client edge is to the SDK. */
export interface TargetConnection {
  readonly era: Era
  readonly version: Revision
  readonly discovery: Discovery
  /** How it is connected, in words: `stdio`, `http`, `sse`, `in process`, `openapi`. */
  readonly transport: string
  /** What its server speaks, where another process has the connection to it. */
  readonly spoken?: Spoken | undefined
  /** The gateway that has the target, when it is another gateway. */
  readonly at?: string | undefined
  handle(exchange: Exchange): Outcome | Promise<Outcome>
  /** Called once when the connection is gone; with the reason when it was not closed on purpose. */
  onClose: ((reason: Error | undefined) => void) | undefined
  readonly process?: ProcessFacts | undefined
  /** Asks the server for a sign of life. Rejects when the server gives none. Absent when there is no server to ask. */
  readonly ping?: ((signal: AbortSignal) => Promise<unknown>) | undefined
  /** Knows whether calls that other callers gave up may still make the server ask or tell something. */
  readonly edge?: Pick<ClientEdge, 'mayServeOthers'> | undefined
  /** Called when another connection takes over. Tells listeners to listen there. */
  retire?(reason: Error): void
  close(): Promise<void>
}

/** The services that a connection over a wire needs. */
export interface EdgeServices {
  readonly info: Implementation
  readonly continuations: Continuations
  readonly eras: EraCache
  /** Sees every message to and from the target. */
  readonly tap: WireTap
  /** Hears of each step of connecting. */
  readonly handshake: Handshake
  onAmbiguous(method: string): void
  /** A notification of the server without a request or a subscription. */
  onNotification(this: void, notification: Notification): void
  /** The server asked on a channel that all calls share: one of these may be why. */
  onSharedQuestion(this: void, exchanges: readonly Exchange[], isRefused: boolean): void
  /** Headers of a request besides those of the connection; by default what the target is to get. */
  extraHeaders?(this: void, exchange: Exchange): Record<string, string> | undefined
  /** What the server speaks, where another process says so. */
  spokenIn?(this: void, discovery: Discovery): Spoken | undefined
}

/** The capabilities that some client may have. A call refuses questions that its own client cannot answer. */
const CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
  // Servers built on this SDK then say which call a log message belongs to.
  experimental: { [RELATED_REQUEST]: {} },
} as const

/** How long a question that may be for several callers waits for the calls of the others to end, in ms. */
const QUESTION_PATIENCE = 5_000

/** Connects over a wire, in the era that is configured or found out. */
export async function connectByWire(
  connector: Connector,
  model: TargetModel,
  services: EdgeServices,
  signal: AbortSignal,
): Promise<TargetConnection> {
  services.handshake.begin(connector.kind === 'stdio' ? 'spawn' : 'connect', describeTarget(model))
  const { edge, wire } = await negotiate(tapped(connector, services), {
    info: services.info,
    capabilities: CAPABILITIES,
    era: model.era,
    eras: services.eras,
    numbers: 'source',
    signal,
    hooks: {
      continuations: services.continuations,
      // The relay changes copies only, so the text of a result can be kept.
      keepsText: true,
      onAmbiguous: ({ method }) => services.onAmbiguous(method),
      onNotification: services.onNotification,
      ownerOf: callerOf,
      onSharedQuestion: services.onSharedQuestion,
      // With `isolation: shared` callers share on purpose, so an ambiguous question is refused at once.
      questionPatience: model.isolation === 'shared' ? 0 : QUESTION_PATIENCE,
      extraHeaders: services.extraHeaders ?? headersOf,
    },
  })
  const spoken = services.spokenIn?.(edge.discovery)
  const { era, version } = spoken ?? edge
  services.handshake.succeed(`${era} ${version}${spoken ? ' at another process' : ''}`)
  return {
    era: edge.era,
    version: edge.version,
    discovery: edge.discovery,
    transport: wire.kind,
    spoken,
    handle: edge.handle,
    get onClose() {
      return edge.onClose
    },
    set onClose(listener) {
      edge.onClose = listener
    },
    process: processOf(wire),
    ping: (ended) => ping(edge, wire.kind, services.info, ended),
    edge,
    retire: (reason) => edge.retire?.(reason),
    close: () => edge.close(),
  }
}

/** Gives the tap to every wire that the connector opens. The connector may try several wires until one works. */
function tapped(
  connector: Connector,
  { tap, handshake }: Pick<EdgeServices, 'tap' | 'handshake'>,
): Connector {
  const { kind, key, fallback } = connector
  return {
    kind,
    key,
    open: async (options) => {
      handshake.opening(kind)
      const wire = await connector.open(options)
      wire.tap = tap
      return wire
    },
    fallback: fallback && tapped(fallback, { tap, handshake }),
  }
}

/** The lightest request that the era has. */
async function ping(
  edge: ClientEdge,
  transport: string,
  info: Implementation,
  signal: AbortSignal,
): Promise<Outcome> {
  const method = isMethodInRevision('ping', edge.version) ? 'ping' : 'server/discover'
  const client = { info, capabilities: {}, version: edge.version }
  const exchange = new OwnExchange(info, { method, params: {}, client })
  signal.addEventListener('abort', () => exchange.abort(signal.reason), { once: true })
  const outcome = await edge.handle(exchange)
  if (transport !== 'http' || outcome.type !== 'error' || !isRefusal(outcome.error.code)) return outcome
  throw new McpError('bad_response', `${method} was refused: ${outcome.error.message}`)
}

/** Over a pipe any answer is a sign of life. Over HTTP an error may mean that our session is gone. */
function isRefusal(code: number): boolean {
  return code === INVALID_REQUEST || (code <= -32_000 && code >= -32_099)
}

function processOf(wire: Wire): TargetConnection['process'] {
  return wire.kind === 'stdio' ? (wire as StdioWire).process : undefined
}
