import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AuthProvider } from '@gantry/mcp/auth'
import { McpError, type FetchLike, http, sse } from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import { orAbort, type Connector, type Served } from '@gantry/mcp/exchange'
import { parseUrl } from '@gantry/mcp/foreign'
import {
  describeTarget,
  reveal,
  revealAll,
  type InProcessTarget,
  type StdioTarget,
  type TargetModel,
  type UrlTarget,
} from '../../model/index.ts'
import type { ArrivingResults } from '../fetch/arriving-results.ts'
import { loadPools } from '../fetch/pooled-fetch.ts'
import { launcherOf, launcherEnvironment } from '../launchers/launcher.ts'
import { connectInProcess } from '../connected/in-process-connection.ts'
import {
  connectByWire,
  type EdgeServices,
  type TargetConnection,
  type ProcessFacts,
} from '../connected/target-connection.ts'

export interface ConnectionServices extends EdgeServices {
  /** Servers that the embedding program passes in, by module name. */
  readonly embedded: ReadonlyMap<string, Served>
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
  /** How long the program may take to end after the end of its input, if not as long as usual. */
  grace(): number | undefined
}

const loadApi = () => import('../openapi/openapi-connection.ts')
const loadRecording = () => import('../recording/replay-connection.ts')

/** Loads what only targets of this kind need. */
export async function loadKind({ kind }: TargetModel): Promise<void> {
  if (kind === 'url') loadPools()
  else if (kind === 'openapi') await loadApi()
  else if (kind === 'replay') await loadRecording()
}

/** Connects to a target; leaves nothing behind when it fails. */
export async function openConnection(
  model: TargetModel,
  services: ConnectionServices,
  signal: AbortSignal,
): Promise<TargetConnection> {
  switch (model.kind) {
    case 'stdio':
      return connectByWire(stdioConnector(model, services), model, services, signal)
    case 'url':
      return connectByWire(
        urlConnector(model, {
          ...services,
          onProtocolError: (error) => services.handshake.warn(error),
        }),
        model,
        services,
        signal,
      )
    case 'inProcess':
      return orAbort(connectToEmbedded(model, services), signal)
    case 'openapi': {
      const { connectToApi } = await loadApi()
      return connectToApi(model, services, signal)
    }
    case 'replay': {
      const { connectToRecording } = await loadRecording()
      services.handshake.begin('load', describeTarget(model))
      const connection = await connectToRecording(model)
      services.handshake.succeed('recording')
      return connection
    }
  }
}

function stdioConnector(model: StdioTarget, services: ConnectionServices): Connector {
  const env = revealAll(model.env)
  const places = launcherOf(model.command) ? launcherEnvironment(services.stateDir, env) : {}
  const connector = stdio({
    command: model.command,
    args: model.args.map(reveal),
    env: { ...places, ...env },
    cwd: model.cwd,
    maxLineBytes: services.maxMessageBytes,
    arrivals: services.arriving.of(`stdio ${model.name}`),
    // Read when the program is stopped.
    shutdown: {
      get end() {
        return services.grace()
      },
    },
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

async function connectToEmbedded(
  model: InProcessTarget,
  services: ConnectionServices,
): Promise<TargetConnection> {
  services.handshake.begin('load', describeTarget(model))
  const connection = await connectInProcess(await loadModule(model, services))
  services.handshake.succeed(`${connection.era} ${connection.version}`)
  return connection
}

async function loadModule(model: InProcessTarget, services: ConnectionServices): Promise<Served> {
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

export interface UrlServices {
  readonly fetch: FetchLike
  readonly arriving: ArrivingResults
  readonly auth: AuthProvider | undefined
  readonly maxMessageBytes: number
  /** Headers of the request that the connection is made for, where connections are not shared. */
  readonly headers: Record<string, string> | undefined
  onProtocolError(error: McpError): void
}

/** Connects to a server at a URL. The caller's headers replace headers of the configuration with the same name. */
export function urlConnector(model: UrlTarget, services: UrlServices): Connector {
  const { fetch, auth, maxMessageBytes } = services
  const url = reveal(model.url)
  const options = {
    headers: { ...lowerCase(revealAll(model.headers)), ...services.headers },
    fetch,
    maxMessageBytes,
    arrivals: services.arriving.of(parseUrl(url)?.origin ?? url),
    onProtocolError: (error: McpError) => services.onProtocolError(error),
    ...(auth && { auth }),
  }
  if (model.transport === 'sse') return sse(url, options)
  const connector = http(url, options)
  return model.transport === 'http' ? { ...connector, fallback: undefined } : connector
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
