import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Served } from '@gantry/mcp/exchange'
import {
  candidates,
  configFromValue,
  findConfig,
  loadConfig,
  type Loaded,
  type LoadResult,
} from '../../config/index.ts'
import { loadDemo, startGateway, type RunningGateway } from '../../main.ts'
import { CliError, CliExit } from '../cli-error.ts'
import { paintFor, printJson, printLine, type CliIo, type GlobalOptions } from '../cli-io.ts'
import { formatProblem } from '../format-problem.ts'

interface ServeOptions extends GlobalOptions {
  readonly port?: string
  readonly host?: string
  readonly demo?: boolean
  readonly stdio?: boolean
}

export function register(program: Command, io: CliIo): void {
  program
    .command('serve')
    .description(
      'Runs the gateway until it is stopped. Changes of the configuration are taken up while it runs.',
    )
    .option('-p, --port <number>', 'port instead of the configured one (7332); 0 takes any free one')
    .option('--host <address>', 'address instead of the configured one (127.0.0.1)')
    .option('--stdio', 'serve on standard input and output, for clients that spawn their servers')
    .option('--demo', 'run the built-in demo targets instead of a configuration')
    .addHelpText(
      'after',
      '\nExamples:\n  gantry serve\n  gantry serve --config team.yaml --port 8080\n  gantry serve --demo',
    )
    .action((_options: unknown, command: Command) => serve(command.optsWithGlobals<ServeOptions>(), io))
}

async function serve(options: ServeOptions, io: CliIo): Promise<void> {
  const overrides = { host: options.host, port: portOf(options.port) }
  const { loaded, file, embedded, memoryConfig } = await load(options, overrides, io)
  const source = file === undefined ? undefined : { file, loaded, places: io.places, overrides }
  const running = await startGateway({
    model: loaded.model,
    source,
    memoryConfig,
    ...(options.stdio && { logLevel: 'warn' as const }),
    searchPort: options.port === undefined,
    ...(embedded && { embedded }),
  }).catch((error: NodeJS.ErrnoException) => {
    throw cannotStart(error, loaded)
  })
  announce(running, options, io)
  await ended(running, options)
  await running.close()
}

interface Source {
  readonly loaded: Loaded
  readonly file: string | undefined
  readonly embedded: Map<string, Served> | undefined
  readonly memoryConfig: string | undefined
}

async function load(
  options: ServeOptions,
  overrides: { host: string | undefined; port: number | undefined },
  io: CliIo,
): Promise<Source> {
  if (options.demo) {
    const { config, embedded } = await loadDemo()
    return {
      loaded: accept(await configFromValue(config, { overrides }), io, options),
      file: undefined,
      embedded,
      memoryConfig: JSON.stringify(config, undefined, 2),
    }
  }
  const file = options.config === undefined ? findConfig(io.places) : resolve(io.places.cwd, options.config)
  if (file === undefined) {
    throw new CliError('There is no configuration', {
      exitCode: 2,
      fix: `Make one with "gantry init" or "gantry import", or try "gantry serve --demo". Looked for ${candidates(io.places).join(', ')}`,
    })
  }
  const loaded = accept(await loadConfig(file, { places: io.places, overrides }), io, options)
  return { loaded, file, embedded: undefined, memoryConfig: undefined }
}

function accept(result: LoadResult, io: CliIo, options: ServeOptions): Loaded {
  const paint = paintFor(io.stderr, io, options)
  for (const problem of result.ok ? result.warnings : result.problems) {
    printLine(io.stderr, formatProblem(problem, '', { paint, cwd: io.places.cwd }))
  }
  if (!result.ok) throw new CliExit(2)
  return result
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new CliError(`"${text}" is not a port`, { exitCode: 2, fix: 'Give a number from 0 to 65535.' })
}

function cannotStart(error: NodeJS.ErrnoException, { model }: Loaded): CliError {
  const { host, port } = model.server
  if (error.code === 'EADDRINUSE') {
    return new CliError(`Port ${port} on ${host} is in use`, {
      cause: error,
      fix: 'Stop what uses it, or choose another with --port.',
    })
  }
  return new CliError(`The gateway cannot start on ${host}:${port}: ${error.message}`, { cause: error })
}

function announce(running: RunningGateway, options: ServeOptions, io: CliIo): void {
  if (options.stdio) return
  const endpoint = `${running.url}/mcp`
  const { consoleUrl } = running
  if (options.json) return printJson(io, { endpoint, url: running.url, console: consoleUrl })
  const paint = paintFor(io.stdout, io, options)
  const snippet = JSON.stringify({ mcpServers: { gantry: { type: 'http', url: endpoint } } })
  printLine(io.stdout, `Gantry serves ${running.gateway.targets.length} targets`)
  printLine(io.stdout, `  Endpoint  ${paint.bold(endpoint)}`)
  if (consoleUrl !== undefined) printLine(io.stdout, `  Console   ${paint.bold(consoleUrl)}`)
  printLine(io.stdout, `  Clients   ${snippet}`)
  printLine(io.stdout, 'Press Ctrl+C to stop.')
}

/** Until a signal, or with --stdio until the client goes away. */
function ended(running: RunningGateway, options: ServeOptions): Promise<void> {
  const stopped = new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => done())
  })
  if (!options.stdio) return stopped
  return Promise.race([stopped, running.serveStdio()])
}
