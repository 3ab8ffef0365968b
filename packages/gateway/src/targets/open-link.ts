import { pathToFileURL } from 'node:url'
import { isAbsolute } from 'node:path'
import type { AuthProvider } from '@gantry/mcp/auth'
import { McpError, negotiate, type EraCache, type FetchLike } from '@gantry/mcp/client'
import { stdio, type StdioWire } from '@gantry/mcp/client/node'
import {
  isMethodInRevision,
  INVALID_REQUEST,
  orAbort,
  RELATED_REQUEST,
  type ClientEdge,
  type Connector,
  type Continuations,
  type Exchange,
  type Notification,
  type Outcome,
  type Served,
  type Wire,
} from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import {
  describeTarget,
  reveal,
  revealAll,
  type InProcessTarget,
  type StdioTarget,
  type TargetModel,
} from '../model/index.ts'
import type { Handshake } from '../telemetry/handshake.ts'
import { TappedWire, tapConnector, type Tap } from '../telemetry/tap-connector.ts'
import { inProcessLink } from './in-process-link.ts'
import { launcherOf } from './launchers/launcher.ts'
import { launcherEnvironment } from './launchers/launcher-environment.ts'
import type { ArrivingResults } from './arriving-results.ts'
import type { Link, ProcessFacts } from './link.ts'
import { callerOf, OwnExchange } from './own-exchange.ts'
import { urlConnector } from './url-connector.ts'

export interface LinkServices {
  readonly info: Implementation
  readonly continuations: Continuations
  readonly eras: EraCache
  /** Servers handed over by whoever embeds the gateway, by module name. */
  readonly embedded: ReadonlyMap<string, Served>
  /** Sees the messages of the target's wires. */
  readonly tap: Tap
  /** Told what is being done. */
  readonly handshake: Handshake
  readonly fetch: FetchLike
  /** Gives room to long messages of targets. */
  readonly arriving: ArrivingResults
  readonly auth: AuthProvider | undefined
  /** Headers of the request that the connection is made for. */
  readonly headers: Record<string, string> | undefined
  readonly maxMessageBytes: number
  /** Where launchers may keep what they install. */
  readonly stateDir: string
  onStderr(line: string): void
  /** The process of a program that is being started. */
  onProcess(process: ProcessFacts): void
  onAmbiguous(method: string): void
  /** What a server says that belongs to no request and no subscription. */
  onNotification(this: void, notification: Notification): void
  /** The server asked on a channel that all calls share: for this exchange, or for one of several callers. */
  onSharedQuestion(exchange: Exchange | undefined): void
}

/** What the gateway can pass on to some client; a call refuses what its own client cannot do. */
const CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
  // Servers built on this SDK then say which call a log message belongs to.
  experimental: { [RELATED_REQUEST]: {} },
} as const

/** Connects to a target; leaves nothing behind when it fails. */
export async function openLink(
  model: TargetModel,
  services: LinkServices,
  signal: AbortSignal,
): Promise<Link> {
  switch (model.kind) {
    case 'stdio':
      return negotiated(stdioConnector(model, services), model, services, signal)
    case 'url':
      return negotiated(
        urlConnector(model, {
          ...services,
          onProtocolError: (error) => services.handshake.warn(error),
        }),
        model,
        services,
        signal,
      )
    case 'inProcess':
      return orAbort(embeddedLink(model, services), signal)
    case 'openapi': {
      const { openApiLink } = await import('./openapi-link.ts')
      return openApiLink(model, services, signal)
    }
    case 'replay': {
      const { replayLink } = await import('./recording/replay-link.ts')
      services.handshake.begin('load', describeTarget(model))
      const link = await replayLink(model)
      services.handshake.succeed('recording')
      return link
    }
  }
}

function stdioConnector(model: StdioTarget, services: LinkServices): Connector {
  const env = revealAll(model.env)
  const places = launcherOf(model.command) ? launcherEnvironment(services.stateDir, env) : {}
  const connector = stdio({
    command: model.command,
    args: model.args.map(reveal),
    env: { ...places, ...env },
    cwd: model.cwd,
    maxLineBytes: services.maxMessageBytes,
    arrivals: services.arriving.of(`stdio ${model.name}`),
    onStderr: (line) => services.onStderr(line),
    onProtocolError: (error) => services.handshake.warn(error),
  })
  return {
    ...connector,
    open: async (options) => {
      const wire = await connector.open(options)
      services.onProcess(wire.process)
      return wire
    },
  }
}

async function negotiated(
  connector: Connector,
  model: TargetModel,
  services: LinkServices,
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
      onSharedQuestion: (exchange) => services.onSharedQuestion(exchange),
      // Whoever sends an exchange here has left only those headers on it that are for the target.
      extraHeaders: (exchange) => exchange.headers as Record<string, string> | undefined,
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

async function embeddedLink(model: InProcessTarget, services: LinkServices): Promise<Link> {
  services.handshake.begin('load', describeTarget(model))
  const link = await inProcessLink(await loadModule(model, services))
  services.handshake.succeed(`${link.era} ${link.version}`)
  return link
}

async function loadModule(model: InProcessTarget, services: LinkServices): Promise<Served> {
  const embedded = services.embedded.get(model.module)
  if (embedded) return embedded
  const specifier = isAbsolute(model.module) ? pathToFileURL(model.module).href : model.module
  const module = (await import(specifier)) as Record<string, unknown>
  const exported = module[model.exportName]
  const served = typeof exported === 'function' ? await exported(model.options) : exported
  if (!isServed(served)) {
    throw new McpError('invalid_config', `${model.module} does not export a server as "${model.exportName}"`)
  }
  return served
}

function isServed(value: unknown): value is Served {
  return typeof value === 'object' && value !== null && 'respond' in value && 'info' in value
}
