import { pathToFileURL } from 'node:url'
import { isAbsolute } from 'node:path'
import { http, McpError, negotiate, sse, type EraCache } from '@gantry/mcp/client'
import { stdio, type StdioWire } from '@gantry/mcp/client/node'
import type { Connector, Continuations, Served, Wire } from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import {
  describeTarget,
  reveal,
  revealAll,
  type InProcessTarget,
  type StdioTarget,
  type TargetModel,
  type UrlTarget,
} from '../model/index.ts'
import type { Handshake } from '../telemetry/handshake.ts'
import { TappedWire, tapConnector, type Tap } from '../telemetry/tap-connector.ts'
import { inProcessLink } from './in-process-link.ts'
import type { Link } from './link.ts'

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
  onStderr(line: string): void
  onAmbiguous(method: string): void
}

/** What the gateway can pass on to some client or other; a call refuses what its own client cannot do. */
const CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: { listChanged: true },
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
      return negotiated(urlConnector(model), model, services, signal)
    case 'inProcess':
      return embeddedLink(model, services)
    case 'openapi': {
      const { openApiLink } = await import('./openapi-link.ts')
      return openApiLink(model, services, signal)
    }
    case 'replay':
      throw new McpError('unsupported', `Recordings cannot be replayed yet: ${model.file}`)
  }
}

function stdioConnector(model: StdioTarget, services: LinkServices): Connector {
  return stdio({
    command: model.command,
    args: model.args.map(reveal),
    env: revealAll(model.env),
    cwd: model.cwd,
    onStderr: (line) => services.onStderr(line),
    onProtocolError: (error) => services.handshake.warn(error),
  })
}

function urlConnector(model: UrlTarget): Connector {
  const headers = revealAll(model.headers)
  const url = reveal(model.url)
  return model.transport === 'sse' ? sse(url, { headers }) : http(url, { headers })
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
    signal,
    hooks: {
      continuations: services.continuations,
      onAmbiguous: ({ method }) => services.onAmbiguous(method),
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
    close: () => edge.close(),
  }
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
