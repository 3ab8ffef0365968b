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
  type ParkedCall,
  type Wire,
} from '@gantry/mcp/exchange'
import type { Discovery, Era, Implementation, Revision } from '@gantry/mcp/server'
import { describeTarget, type TargetModel } from '../../model/index.ts'
import type { Handshake } from '../../telemetry/handshake.ts'
import { tapConnector, TappedWire, type Tap } from '../../telemetry/tap-connector.ts'
import { callerOf, headersOf, OwnExchange } from './target-exchange.ts'

/** Facts about a child process, where the target is one. */
export interface ProcessFacts {
  readonly pid: number | undefined
  stderrTail(): readonly string[]
  tree(): Promise<readonly { pid: number; parent: number; rss: number; cpu: number; command: string }[]>
}

/** One live connection to a target, whatever its kind: what a client edge is to the SDK. */
export interface Link {
  readonly era: Era
  readonly version: Revision
  readonly discovery: Discovery
  /** How it is connected, in words: `stdio`, `http`, `sse`, `in process`, `openapi`. */
  readonly transport: string
  handle(exchange: Exchange): Outcome | Promise<Outcome>
  /** Called once when the connection is gone; with the reason when nobody asked for it. */
  onClose: ((reason: Error | undefined) => void) | undefined
  readonly process?: ProcessFacts | undefined
  /** Asks for a sign of life, where there is somebody to ask. Rejects when there is none. */
  readonly ping?: ((signal: AbortSignal) => Promise<unknown>) | undefined
  /** Whether calls that were given up may still make the server ask something. */
  readonly hasUnanswered?: boolean | undefined
  /** Another connection takes over: who listens here is told to listen there. */
  retire?(reason: Error): void
  close(): Promise<void>
}

/** What a connection over a wire is made with. */
export interface EdgeServices {
  readonly info: Implementation
  readonly continuations: Continuations
  readonly eras: EraCache
  /** Sees the messages of the target's wires. */
  readonly tap: Tap
  /** Told what is being done. */
  readonly handshake: Handshake
  onAmbiguous(method: string): void
  /** What a server says that belongs to no request and no subscription. */
  onNotification(this: void, notification: Notification): void
  /** The server asked on a channel that all calls share: for this exchange, or for one of several callers. */
  onSharedQuestion(this: void, exchange: Exchange | undefined): void
}

/** What the gateway can pass on to some client; a call refuses what its own client cannot do. */
const CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
  // Servers built on this SDK then say which call a log message belongs to.
  experimental: { [RELATED_REQUEST]: {} },
} as const

/** Connects over a wire, in the era that is configured or found out. */
export async function edgeLink(
  connector: Connector,
  model: TargetModel,
  services: EdgeServices,
  signal: AbortSignal,
): Promise<Link> {
  services.handshake.begin(connector.kind === 'stdio' ? 'spawn' : 'connect', describeTarget(model))
  const { edge, wire } = await negotiate(tapConnector(connector, services.tap), {
    info: services.info,
    capabilities: CAPABILITIES,
    era: model.era,
    eras: services.eras,
    numbers: 'source',
    signal,
    hooks: {
      continuations: services.continuations,
      // What the relay changes, it copies.
      keepsText: true,
      onAmbiguous: ({ method }) => services.onAmbiguous(method),
      onNotification: services.onNotification,
      ownerOf: callerOf,
      onSharedQuestion: services.onSharedQuestion,
      extraHeaders: headersOf,
    },
  })
  services.handshake.succeed(`${edge.era} ${edge.version}`)
  return {
    era: edge.era,
    version: edge.version,
    discovery: edge.discovery,
    transport: wire.kind,
    handle: edge.handle,
    get onClose() {
      return edge.onClose
    },
    set onClose(listener) {
      edge.onClose = listener
    },
    process: processOf(wire),
    ping: (ended) => ping(edge, wire.kind, services.info, ended),
    get hasUnanswered() {
      return edge.hasUnanswered
    },
    retire: (reason) => edge.retire?.(reason),
    close: () => edge.close(),
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

function processOf(wire: Wire): Link['process'] {
  const inner = wire instanceof TappedWire ? wire.inner : wire
  return inner.kind === 'stdio' ? (inner as StdioWire).process : undefined
}

/** The parked calls of one connection. They keep it in use: closing it would lose the calls. */
export class LeasedContinuations implements Continuations {
  readonly #shared: Continuations
  readonly #lease: () => () => void

  /** `lease` says that the connection is in use; the function that it returns ends that. */
  constructor(shared: Continuations, lease: () => () => void) {
    this.#shared = shared
    this.#lease = lease
  }

  park(call: ParkedCall): string | undefined {
    const release = this.#lease()
    const token = this.#shared.park(new LeasedCall(call, release))
    if (token === undefined) release()
    return token
  }

  find(token: string): ParkedCall | undefined {
    return this.#shared.find(token)
  }

  take(token: string): ParkedCall | undefined {
    return this.#shared.take(token)
  }
}

class LeasedCall implements ParkedCall {
  readonly #call: ParkedCall
  readonly #release: () => void

  constructor(call: ParkedCall, release: () => void) {
    this.#call = call
    this.#release = release
  }

  get caller(): string {
    return this.#call.caller
  }

  get awaitedTask(): unknown {
    return this.#call.awaitedTask
  }

  accepts(exchange: Exchange): boolean {
    return this.#call.accepts(exchange)
  }

  /** The lease ends with the round: a call that asks again has taken a new one by then. */
  resume(exchange: Exchange): Promise<Outcome> {
    return this.#call.resume(exchange).finally(this.#release)
  }

  expire(): void {
    this.#call.expire()
    this.#release()
  }
}
