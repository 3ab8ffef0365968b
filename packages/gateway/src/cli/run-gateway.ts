import type { Served } from '@gantry/mcp/exchange'
import type { Loaded, ServerOverrides } from '../config/index.ts'
import type { GatewayModel } from '../model/index.ts'
import { openLog, startGateway, type ConfigSource, type RunningGateway } from '../main.ts'
import type { Cli } from './cli.ts'
import { CliError } from './cli-error.ts'
import type { CliStream, GlobalOptions } from './cli-io.ts'
import { countOf } from '../admin/contract.ts'
import { answerPings, READY, REPLACED, workerPlace } from '../workers/worker-place.ts'
import { takeSignals, type StopSignal } from './stop-signals.ts'

export interface GatewayOptions extends GlobalOptions {
  readonly port?: string
  readonly host?: string
  readonly stdio?: boolean
  readonly logFormat?: string
  readonly workers?: string
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
  /** Called when the gateway runs and is announced. The returned function is called before it stops. */
  announced?(running: RunningGateway): Promise<() => Promise<void>>
}

/** Runs a gateway until a signal comes or, with --stdio, until the client goes away. */
export async function runGateway(plan: GatewayPlan, cli: Cli<GatewayOptions>): Promise<void> {
  const { loaded, serves, source, memoryConfig, embedded, searchPort } = plan
  if (cli.options.stdio && loaded.model.audit?.stdout) {
    throw new CliError(
      'With --stdio, standard output belongs to the protocol: audit events cannot be printed there',
      {
        fix: 'Remove "audit.stdout"; "gantry audit tail --follow" prints them elsewhere',
      },
    )
  }
  const logLevel = plan.logLevel ?? (cli.options.stdio ? 'warn' : undefined)
  const logFormat = formatOf(cli.options.logFormat)
  // From the beginning: a gateway that is asked to end while it starts has targets and files to clean up too.
  const worker = workerPlace(process.env)
  const signals = takeSignals(worker ? ['SIGTERM'] : undefined)
  const crash = watchForCrash(loaded.model)
  const running = await startGateway({
    model: loaded.model,
    serves,
    source,
    memoryConfig,
    searchPort,
    ...(logLevel && { logLevel }),
    logFormat,
    ...(embedded && { embedded }),
    worker,
  }).catch(async (error: NodeJS.ErrnoException) => {
    crash.release()
    signals.release()
    // The channel to the supervisor would keep the worker alive.
    if (worker) process.disconnect?.()
    throw await cannotStart(error, loaded)
  })
  crash.scrubber = running.gateway.scrubber
  const toggle = (): void => {
    const isOn = running.toggleDebug()
    running.gateway.log(
      'warn',
      isOn ? 'Everything is logged from now on' : 'The log is as configured again',
      {
        event: 'log-level-changed',
      },
    )
  }
  process.on('SIGUSR2', toggle)
  let why: EndOfServing | undefined
  try {
    if (worker) {
      answerPings()
      process.send?.(READY)
    }
    if (worker?.announces ?? true) announce(running, plan, cli)
    const stop = await plan.announced?.(running)
    why = await ended(
      running,
      worker ? Promise.race([signals.first, replaced()]) : signals.first,
      cli.options,
    )
    await stop?.()
  } finally {
    process.off('SIGUSR2', toggle)
    await close(running, why, cli)
    signals.release()
    crash.release()
    if (worker) process.disconnect?.()
  }
}

/** The settings of the server from the command line. A gateway that a client spawns takes any free port. */
export function overridesOf({ host, port, stdio, workers }: GatewayOptions): ServerOverrides {
  return { host, port: portOf(port) ?? (stdio ? 0 : undefined), workers: workersOf(workers) }
}

function workersOf(text: string | undefined): number | 'auto' | undefined {
  if (text === undefined || text === 'auto') return text
  const workers = Number(text)
  if (Number.isInteger(workers) && workers >= 1 && workers <= 256) return workers
  throw new CliError(`"${text}" is not a number of workers`, { exitCode: 2, fix: 'Give 1 to 256, or auto.' })
}

function formatOf(text: string | undefined): 'text' | 'json' | undefined {
  if (text === undefined || text === 'text' || text === 'json') return text
  throw new CliError(`"${text}" is not a format of the log`, { exitCode: 2, fix: 'Give text or json.' })
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new CliError(`"${text}" is not a port`, { exitCode: 2, fix: 'Give a number from 0 to 65535.' })
}

async function cannotStart(error: NodeJS.ErrnoException, { model }: Loaded): Promise<CliError> {
  const { message, fix } = await whyNot(error, model)
  return new CliError(openLog(model).scrubber.scrubText(message), { cause: error, fix })
}

async function whyNot(
  error: NodeJS.ErrnoException & { readonly port?: number },
  { server }: GatewayModel,
): Promise<{ message: string; fix?: string }> {
  const { host } = server
  // It may be the port for other gateways.
  const port = error.port ?? server.port
  const at = `${host}:${port}`
  switch (error.code) {
    case 'EADDRINUSE':
      return {
        message: `Port ${port} on ${host} is in use${await userOf(host, port)}`,
        fix: 'Stop what uses it, or choose another with --port; --port 0 takes any free one.',
      }
    case 'EACCES':
      return {
        message: `This user may not listen on ${at}`,
        fix: 'Ports below 1024 need privileges: choose another with --port.',
      }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return {
        message: `${host} is not an address of this machine`,
        fix: 'Listen on 127.0.0.1, or on 0.0.0.0 for all addresses.',
      }
    default:
      return { message: `The gateway cannot start on ${at}: ${error.message}` }
  }
}

/** Says so when a gateway uses the port. It is most likely a gateway that the user has forgotten. */
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

function announce(running: RunningGateway, plan: GatewayPlan, cli: Cli<GatewayOptions>): void {
  const endpoint = `${running.url}/mcp`
  const { consoleUrl } = running
  // With --stdio standard output belongs to the protocol.
  if (cli.options.stdio) return sayWhere(cli.io.stderr, [['Console', consoleUrl]], cli)
  if (cli.json) return cli.printJson({ endpoint, url: running.url, console: consoleUrl })
  const { apiKeys, keys } = running.gateway.model.auth
  const hasKeys = keys || apiKeys.length > 0
  const headers = hasKeys && { headers: { Authorization: 'Bearer KEY' } }
  const snippet = JSON.stringify({ mcpServers: { gantry: { type: 'http', url: endpoint, ...headers } } })
  const number = countOf(running.gateway.targets.length, 'target')
  // A file on the command line is one target.
  const isNamed = !plan.source && !plan.embedded
  cli.say(`Gantry serves ${isNamed ? plan.serves : `${number} of ${plan.serves}`}`)
  sayWhere(
    cli.io.stdout,
    [
      ['Endpoint', endpoint],
      ['Bound to', boundTo(running)],
      ['Console', consoleUrl],
    ],
    cli,
  )
  cli.say(`  Clients   ${snippet}`)
  cli.say('Press Ctrl+C to stop.')
}

/** The bound address, where other machines can reach it: the endpoint's URL may not show that. */
function boundTo({ bound }: RunningGateway): string | undefined {
  if (bound.loopback) return undefined
  const every = ['0.0.0.0', '::'].includes(bound.address) ? 'every network interface' : bound.address
  return `${every}, port ${bound.port}: other machines can reach it`
}

function sayWhere(
  stream: CliStream,
  places: readonly (readonly [string, string | undefined])[],
  cli: Cli<GatewayOptions>,
): void {
  const paint = cli.paintFor(stream)
  for (const [label, url] of places) {
    if (url !== undefined) stream.write(`  ${label.padEnd(9)} ${paint.bold(url)}\n`)
  }
}

type EndOfServing = StopSignal | 'end of input' | 'replaced'

/** Resolves when the supervisor has another worker in the place of this worker. */
function replaced(): Promise<'replaced'> {
  return new Promise((resolve) => {
    process.on('message', (message) => {
      if (message === REPLACED) resolve('replaced')
    })
  })
}

/** Until a signal, or with --stdio until the client goes away. Calls on standard input have ended then. */
async function ended(
  running: RunningGateway,
  stopped: Promise<EndOfServing>,
  options: GatewayOptions,
): Promise<EndOfServing> {
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

/** Calls that are under way may end first; a second signal ends them at once. */
async function close(
  running: RunningGateway,
  why: EndOfServing | undefined,
  cli: Cli<GatewayOptions>,
): Promise<void> {
  // A client that keeps its end of the pipe open would keep the process alive.
  if (cli.options.stdio) process.stdin.destroy()
  const label = 'Letting calls end that are under way; Ctrl+C again does not wait'
  const grace = why === 'end of input' ? { grace: END_OF_INPUT_GRACE } : {}
  await cli.progress(label, async () => {
    // Sent by what runs services. Ctrl+C comes from a person, who does not want to wait.
    if (why === 'SIGTERM' && !cli.options.stdio) await running.drain()
    else if (why === 'replaced') await running.retire()
    await running.close(grace)
  })
}

interface CrashWatch {
  /** Knows the secrets of the moment. */
  scrubber: RunningGateway['gateway']['scrubber']
  release(): void
}

/** Node would print an error that nothing catches in full: with secrets, and with lines that look like ours. */
function watchForCrash(model: GatewayModel): CrashWatch {
  const crashed = (error: unknown): void => {
    const { log } = openLog(model, 'error', watch.scrubber)
    log('error', 'The gateway crashed', {
      detail: error instanceof Error ? error.stack : String(error),
      event: 'crashed',
    })
    process.exit(1)
  }
  const watch: CrashWatch = {
    scrubber: openLog(model).scrubber,
    release: () => void process.off('uncaughtException', crashed),
  }
  process.on('uncaughtException', crashed)
  return watch
}
