import type { Served } from '@gantry/mcp/exchange'
import type { Loaded } from '../config/index.ts'
import { startGateway, type ConfigSource, type RunningGateway } from '../main.ts'
import { CliError } from './cli-error.ts'
import { paintFor, printJson, printLine, type CliIo, type CliStream, type GlobalOptions } from './cli-io.ts'
import { countOf } from '../admin/contract.ts'
import { withProgress } from './progress.ts'

export interface GatewayOptions extends GlobalOptions {
  readonly port?: string
  readonly host?: string
  readonly stdio?: boolean
}

export interface GatewayPlan {
  readonly loaded: Loaded
  /** For people: the configuration file, or what was named on the command line. */
  readonly serves: string
  readonly source?: ConfigSource | undefined
  readonly embedded?: Map<string, Served> | undefined
  readonly memoryConfig?: string | undefined
  /** Whether another port will do. Not for a configuration: clients were told its port. */
  readonly searchPort: boolean
  readonly logLevel?: 'warn' | 'error' | undefined
  /** Called when it runs and that is said. What it returns is called before it stops. */
  announced?(running: RunningGateway): Promise<() => Promise<void>>
}

/** Runs a gateway until a signal comes or, with --stdio, until the client goes away. */
export async function runGateway(plan: GatewayPlan, options: GatewayOptions, io: CliIo): Promise<void> {
  const { loaded, serves, source, memoryConfig, embedded, searchPort } = plan
  const logLevel = plan.logLevel ?? (options.stdio ? 'warn' : undefined)
  // From the beginning: a gateway that is asked to end while it starts has targets and files to clean up too.
  const signals = takeSignals()
  const running = await startGateway({
    model: loaded.model,
    serves,
    source,
    memoryConfig,
    searchPort,
    ...(logLevel && { logLevel }),
    ...(embedded && { embedded }),
  }).catch(async (error: NodeJS.ErrnoException) => {
    throw await cannotStart(error, loaded)
  })
  let why: StopSignal | 'end of input' | undefined
  try {
    announce(running, plan, options, io)
    const stop = await plan.announced?.(running)
    why = await ended(running, signals.first, options)
    await stop?.()
  } finally {
    await close(running, why, options, io)
    signals.release()
  }
}

/** What the command line says about the server. A gateway that a client spawns takes no fixed port. */
export function overridesOf({ host, port, stdio }: GatewayOptions): {
  host: string | undefined
  port: number | undefined
} {
  return { host, port: portOf(port) ?? (stdio ? 0 : undefined) }
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new CliError(`"${text}" is not a port`, { exitCode: 2, fix: 'Give a number from 0 to 65535.' })
}

async function cannotStart(error: NodeJS.ErrnoException, { model }: Loaded): Promise<CliError> {
  const { host, port } = model.server
  const at = `${host}:${port}`
  switch (error.code) {
    case 'EADDRINUSE':
      return new CliError(`Port ${port} on ${host} is in use${await userOf(host, port)}`, {
        cause: error,
        fix: 'Stop what uses it, or choose another with --port; --port 0 takes any free one.',
      })
    case 'EACCES':
      return new CliError(`This user may not listen on ${at}`, {
        cause: error,
        fix: 'Ports below 1024 need privileges: choose another with --port.',
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CliError(`${host} is no address of this machine`, {
        cause: error,
        fix: 'Listen on 127.0.0.1, or on 0.0.0.0 for all addresses.',
      })
    default:
      return new CliError(`The gateway cannot start on ${at}: ${error.message}`, { cause: error })
  }
}

/** The most likely one is a gateway that was forgotten. */
async function userOf(host: string, port: number): Promise<string> {
  const name = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  try {
    const response = await fetch(`http://${name}:${port}/health`, { signal: AbortSignal.timeout(1000) })
    // A whole page of another program is not waited for.
    const { value } = (await response.body?.getReader().read()) ?? {}
    return /"status":\s*"ok"/.test(new TextDecoder().decode(value)) ? ', by a gateway as it seems' : ''
  } catch {
    return ''
  }
}

function announce(running: RunningGateway, plan: GatewayPlan, options: GatewayOptions, io: CliIo): void {
  const endpoint = `${running.url}/mcp`
  const { consoleUrl } = running
  // With --stdio standard output belongs to the protocol.
  if (options.stdio) return sayWhere(io.stderr, [['Console', consoleUrl]], options, io)
  if (options.json) return printJson(io, { endpoint, url: running.url, console: consoleUrl })
  const hasKeys = running.gateway.model.auth.apiKeys.length > 0
  const headers = hasKeys && { headers: { Authorization: 'Bearer KEY' } }
  const snippet = JSON.stringify({ mcpServers: { gantry: { type: 'http', url: endpoint, ...headers } } })
  const number = countOf(running.gateway.targets.length, 'target')
  // What was named on the command line is one target by itself.
  const isNamed = !plan.source && !plan.embedded
  printLine(io.stdout, `Gantry serves ${isNamed ? plan.serves : `${number} of ${plan.serves}`}`)
  sayWhere(
    io.stdout,
    [
      ['Endpoint', endpoint],
      ['Bound to', boundTo(running)],
      ['Console', consoleUrl],
    ],
    options,
    io,
  )
  printLine(io.stdout, `  Clients   ${snippet}`)
  printLine(io.stdout, 'Press Ctrl+C to stop.')
}

/** Said where other machines can reach it: the endpoint's URL may not show that. */
function boundTo({ bound }: RunningGateway): string | undefined {
  if (bound.loopback) return undefined
  const every = ['0.0.0.0', '::'].includes(bound.address) ? 'every network interface' : bound.address
  return `${every}, port ${bound.port}: other machines can reach it`
}

function sayWhere(
  stream: CliStream,
  places: readonly (readonly [string, string | undefined])[],
  options: GatewayOptions,
  io: CliIo,
): void {
  const paint = paintFor(stream, io, options)
  for (const [label, url] of places) {
    if (url !== undefined) printLine(stream, `  ${label.padEnd(9)} ${paint.bold(url)}`)
  }
}

/** Until a signal, or with --stdio until the client goes away. Calls on standard input have ended then. */
async function ended(
  running: RunningGateway,
  stopped: Promise<StopSignal>,
  options: GatewayOptions,
): Promise<StopSignal | 'end of input'> {
  if (!options.stdio) return stopped
  const stop = new AbortController()
  const served = running.serveStdio(stop.signal)
  const why = await Promise.race([stopped, served.then(() => 'end of input' as const)])
  if (why === 'end of input') return why
  stop.abort()
  await served
  return why
}

/** A client on the other end of a pipe waits two seconds for a server to end. */
const END_OF_INPUT_GRACE = 200

/** Calls that are under way may end first; a second signal means that nobody wants to wait for them. */
async function close(
  running: RunningGateway,
  why: StopSignal | 'end of input' | undefined,
  options: GatewayOptions,
  io: CliIo,
): Promise<void> {
  // A client that keeps its end of the pipe open would keep the process alive.
  if (options.stdio) process.stdin.destroy()
  const label = 'Letting calls end that are under way; Ctrl+C again does not wait'
  const grace = why === 'end of input' ? { grace: END_OF_INPUT_GRACE } : {}
  await withProgress(
    io,
    label,
    async () => {
      // Sent by what runs services. Ctrl+C comes from a person, who does not want to wait.
      if (why === 'SIGTERM' && !options.stdio) await running.drain()
      await running.close(grace)
    },
    options,
  )
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type StopSignal = (typeof SIGNALS)[number]

export interface StopSignals {
  /** Resolves when this process is asked to end, which it then does not do by itself. */
  readonly first: Promise<StopSignal>
  /** Lets signals end the process again, as they do by default. */
  release(): void
}

/** Takes the signals that ask this process to end, from now on. The first is waited for; the next ends it at once. */
export function takeSignals(): StopSignals {
  let heard: (signal: NodeJS.Signals) => void = () => {}
  const first = new Promise<StopSignal>((resolve) => {
    let isAsked = false
    heard = (signal) => {
      if (isAsked) process.exit(1)
      isAsked = true
      resolve(signal as StopSignal)
    }
  })
  for (const signal of SIGNALS) process.on(signal, heard)
  return {
    first,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, heard)
    },
  }
}
