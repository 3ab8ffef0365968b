import { statSync, existsSync } from 'node:fs'
import { basename, extname, relative, resolve, dirname, join } from 'node:path'
import type { Command } from 'commander'
import { openBrowser } from '@gantry/mcp/auth/node'
import { watch } from 'chokidar'
import { stateDirFor, type RawTarget } from '../../config/index.ts'
import type { RunningGateway } from '../../main.ts'
import { action, type Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'
import { DevSession } from '../dev/dev-session.ts'
import { runCommand } from '../dev/run-command.ts'
import { shorten } from '../format-problem.ts'
import { planFromValue } from '../load-trusted.ts'
import { literalText } from '../plain-text.ts'
import { collect } from '../requests/request-flags.ts'
import { runGateway, type GatewayOptions, type GatewayPlan } from '../run-gateway.ts'

interface DevOptions extends GatewayOptions {
  readonly with?: string
  readonly watch?: string[]
  readonly envFile?: string
  readonly open?: boolean
}

export function register(program: Command, io: CliIo): void {
  program
    .command('dev')
    .argument('<file>', 'the server: a program that serves on stdio, or a module that exports a Server')
    .argument('[args...]', 'what it is started with; after -- when it begins with a dash')
    .description(
      'Runs a server that you are writing behind a gateway: with every change it is started again, clients stay connected and hear of new tools, and the console shows what crosses.',
    )
    .option('-p, --port <number>', 'port of the gateway (default: 7332, or the next free one)')
    .option('--stdio', 'serve on standard input and output, for clients that spawn their servers')
    .option(
      '--with <program>',
      'what runs the file, such as "uv run" or "deno run -A" (default: by its ending)',
    )
    .option('--watch <path>', 'a further file or folder to watch; may be repeated', collect)
    .option('--env-file <file>', 'variables for the server, besides those of this shell')
    .option('--no-open', 'do not open the console in a browser')
    .addHelpText(
      'after',
      `
Watched are the program files (.js, .ts, .py …) of the project that the file belongs to.

Examples:
  gantry dev server.mjs
  gantry dev src/server.ts --watch prompts/
  gantry dev server.py --with "uv run" -- --verbose`,
    )
    .action(action(io, dev))
}

async function dev(asked: string, args: string[], cli: Cli<DevOptions>): Promise<void> {
  const { places } = cli.io
  const file = resolve(places.cwd, asked)
  requireFile(file, asked)
  const name = basename(file, extname(file))
  const target = targetOf(file, args, cli)
  // The console shows the configuration; what is in the shell does not belong there.
  const config = { mcpServers: { [name]: target }, stateDir: literalText(stateDirFor(file, places)) }
  const env = environmentOf(cli.io)
  const shown = shorten(file, places.cwd)
  const used = { ...config, mcpServers: { [name]: { ...target, env } } }
  const plan = await planFromValue(used, shown, cli, config)
  const announced: GatewayPlan['announced'] = (running) => follow(running, { file, name, shown }, cli)
  await runGateway({ ...plan, logLevel: 'error', announced }, cli)
}

interface Following {
  readonly file: string
  readonly name: string
  readonly shown: string
}

async function follow(
  running: RunningGateway,
  { file, name, shown }: Following,
  cli: Cli<DevOptions>,
): Promise<() => Promise<void>> {
  const { options, io } = cli
  const { cwd, home } = io.places
  // Standard output may belong to the protocol, or to a program that wants JSON.
  const stream = options.stdio || options.json ? io.stderr : io.stdout
  const session = new DevSession({ running, name, shown, cwd, stream, paint: cli.paintFor(stream) })
  const more = (options.watch ?? []).map((path) => resolve(cwd, path))
  const watcher = await watchSources(
    { file, more, home },
    (files) => void session.reload(files.map((path) => relative(cwd, path))),
  )
  void session.start()
  if (running.consoleUrl !== undefined && wantsBrowser(cli)) {
    await openBrowser(running.consoleUrl).catch(() => {})
  }
  return () => watcher.close()
}

function targetOf(file: string, args: readonly string[], cli: Cli<DevOptions>): RawTarget {
  const { cwd } = cli.io.places
  const { command, args: words } = runCommand(file, { with: cli.options.with, args })
  return {
    command,
    args: words.map(literalText),
    cwd: literalText(cwd),
    ...(cli.options.envFile !== undefined && { envFile: literalText(resolve(cwd, cli.options.envFile)) }),
    prefix: false,
    // A server that did not start will not start before its files change.
    restart: { policy: 'on-demand', minDelay: '10s', maxDelay: '30s' },
    health: { interval: false },
    start: 'lazy',
  }
}

/** The author's own shell is what the server would be run in: it gets all of its variables. */
function environmentOf({ places }: CliIo): Record<string, string> {
  const variables = Object.entries(places.env).flatMap(([key, value]) =>
    value !== undefined && /^[A-Za-z_]\w*$/.test(key) ? [[key, literalText(value)] as const] : [],
  )
  return Object.fromEntries(variables)
}

function requireFile(file: string, asked: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isFile()) return
  throw new CliError(stats ? `${asked} is not a file` : `There is no file ${asked}`, { exitCode: 2 })
}

/** Only where a user sits in front of it. */
function wantsBrowser(cli: Cli<DevOptions>): boolean {
  const { env, platform } = cli.io.places
  if (cli.options.open === false || cli.options.stdio || cli.json || cli.io.stdout.isTTY !== true)
    return false
  if (env.CI || env.SSH_CONNECTION || env.BROWSER === 'none') return false
  return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/** Endings of program files. Data files are left out: a server that writes one would restart itself. */
const SOURCES: ReadonlySet<string> = new Set([
  ...['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx'],
  ...['.py', '.rb', '.php'],
])
const PROJECT_MARKS = ['package.json', 'pyproject.toml', '.git']
/** Editors write a file in several steps. */
const SETTLE = 100

interface SourceWatcher {
  close(): Promise<void>
}

interface WatchedSources {
  readonly file: string
  /** Further files and folders; there, every kind of file counts. */
  readonly more: readonly string[]
  /** Where no project is looked for, nor above it. */
  readonly home: string
}

/** Calls back with the files that changed, once they are quiet. */
async function watchSources(
  { file, more, home }: WatchedSources,
  onChange: (files: readonly string[]) => void,
): Promise<SourceWatcher> {
  const root = projectOf(file, home)
  const isSource = (path: string): boolean =>
    path === file || SOURCES.has(extname(path)) || more.some((one) => path === one || isIn(path, one))
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const watcher = watch([root ?? dirname(file), ...more], {
    ignoreInitial: true,
    depth: root === undefined ? 2 : 20,
    ignored: (path, stats) =>
      (isHidden(relative(root ?? dirname(file), path)) && !more.includes(path)) ||
      (stats?.isFile() === true && !isSource(path)),
  })
  watcher.on('all', (event, path) => {
    if (event === 'addDir' || event === 'unlinkDir') return
    changed.add(path)
    clearTimeout(timer)
    timer = setTimeout(() => {
      onChange([...changed])
      changed.clear()
    }, SETTLE)
  })
  // A folder that cannot be read is no reason to stop.
  watcher.on('error', () => {})
  await new Promise<void>((ready) => watcher.once('ready', ready))
  return {
    async close() {
      clearTimeout(timer)
      await watcher.close()
    },
  }
}

function projectOf(file: string, home: string): string | undefined {
  for (let folder = dirname(file); folder !== home && folder !== dirname(folder); folder = dirname(folder)) {
    if (PROJECT_MARKS.some((mark) => existsSync(join(folder, mark)))) return folder
  }
  return undefined
}

function isHidden(path: string): boolean {
  return path
    .split(/[\\/]/)
    .some((part) => part === 'node_modules' || /^\.[^.]/.test(part) || part === '__pycache__')
}

function isIn(path: string, folder: string): boolean {
  const inside = relative(folder, path)
  return inside !== '' && !inside.startsWith('..') && basename(inside) !== ''
}
