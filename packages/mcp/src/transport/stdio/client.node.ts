import type { OpenOptions } from '../../exchange/wire.ts'
import { parseDuration } from '../../protocol/index.ts'
import { McpError, type NumberMode } from '../../jsonrpc/index.ts'
import { ArrivingMessage } from '../arrivals.ts'
import { childEnvironment } from '../process/environment.node.ts'
import { ServerProcess, within } from '../process/server.node.ts'
import {
  requireStdioOptions,
  type StdioConnector,
  type StdioOptions,
  stdioOptionsOf,
  type StdioProcess,
  type StdioWire,
} from '../process/stdio-options.ts'
import { DEFAULT_MAX_LINE_BYTES, readFairly, StdioClientWriter } from './lines.node.ts'
import { closedError, errorDetails, exitedError, type ServerFacts } from '../process/errors.ts'
import { LineWire } from './line-wire.node.ts'
import { StderrTail } from './client-stderr.node.ts'

/**
 * Reaches a server by running it as a child process and talking to it over its stdin and stdout.
 *
 * @example
 * ```ts
 * const connector = stdio('npx', ['-y', 'some-server'], { cwd: '/srv', env: { API_KEY: 'secret' } })
 * const wire = await connector.open()
 * const pong = await wire.request({ jsonrpc: '2.0', id: 1, method: 'ping' })
 * await wire.close()
 * ```
 */
export function stdio(options: StdioOptions): StdioConnector
export function stdio(
  command: string,
  args?: readonly string[],
  options?: Omit<StdioOptions, 'command' | 'args'>,
): StdioConnector
export function stdio(
  first: string | StdioOptions,
  args: readonly string[] = [],
  rest: Omit<StdioOptions, 'command' | 'args'> = {},
): StdioConnector {
  const options = typeof first === 'string' ? { ...rest, command: first, args } : first
  requireStdioOptions(options)
  const key = commandLine(options)
  return { kind: 'stdio', key, open: (how) => open(options, key, how) }
}

/** The same for an entry of `mcpServers`. */
export function stdioOfEntry(entry: StdioOptions): StdioConnector {
  return stdio(stdioOptionsOf(entry))
}

async function open(
  options: StdioOptions,
  key: string,
  { signal, numbers }: OpenOptions = {},
): Promise<StdioWire> {
  if (signal?.aborted) throw cancelled(`Starting ${key}`, signal)
  const server = await ServerProcess.start({
    command: options.command,
    args: options.args ?? [],
    env: childEnvironment(options.env, options.inheritEnv),
    cwd: options.cwd,
  })
  const wire = new ChildWire(server, key, options, numbers)
  if (!signal?.aborted) return wire
  await wire.close()
  throw cancelled(`Starting ${key}`, signal)
}

/** The error for a wire that could not be opened. */
export function cancelled(what: string, { reason }: AbortSignal): McpError {
  return reason instanceof McpError
    ? reason
    : new McpError('cancelled', `${what} was cancelled`, { cause: reason })
}

/** The command as a user would type it, for people and as a key. Arguments that need quotes get quotes. */
function commandLine({ command, args = [] }: StdioOptions): string {
  return [command, ...args]
    .map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(' ')
}

const DEFAULT_GRACE = '2s'
const DEFAULT_STDERR_LINES = 100
/** How long a process may live after one of its pipes has broken. */
const LINGER_MS = 500

/** A server in a child process: JSON-RPC lines on its stdin and stdout. */
class ChildWire extends LineWire implements StdioWire {
  readonly kind = 'stdio' as const
  readonly process: StdioProcess
  readonly #key: string
  readonly #options: StdioOptions
  readonly #server: ServerProcess
  readonly #writer: StdioClientWriter
  readonly #stderr: StderrTail

  constructor(server: ServerProcess, key: string, options: StdioOptions, numbers?: NumberMode) {
    const writer = new StdioClientWriter(server.child.stdin)
    super({
      sink: writer,
      key,
      numbers,
      maxLineBytes: options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES,
      facts: () => errorDetails(this.#facts()),
      onProtocolError: options.onProtocolError,
    })
    this.#server = server
    this.#key = key
    this.#options = options
    this.#writer = writer
    this.#stderr = new StderrTail(options.stderrLines ?? DEFAULT_STDERR_LINES, options.onStderr)
    this.process = {
      pid: server.pid,
      startedAt: server.startedAt,
      stderrTail: () => this.#stderr.lines(),
      tree: () => server.usage(),
    }
    this.#listen()
  }

  /** Ends the server and its tree (2026-07-28, basic/transports/stdio, Shutdown); rejects what is pending. */
  close(): Promise<void> {
    return this.closeOnce(() => this.#shutDown(undefined))
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#server.child
    const arriving = new ArrivingMessage(this.#options.arrivals, {
      go: () => stdout.resume(),
      stalled: (error) => void this.closeOnce(() => this.#shutDown(() => error)),
    })
    this.read(stdout, arriving, () => this.#server.exit === undefined)
    stdout.on('error', () => this.#lost('output'))
    stdout.on('end', () => this.#lost('output'))
    readFairly(stderr, (chunk) => this.#stderr.push(chunk))
    stderr.on('end', () => this.#stderr.end())
    stderr.on('error', () => {})
    stdin.on('error', () => this.#lost('input'))
    this.#server.exited.then(() => this.closeOnce(() => this.#afterExit()))
  }

  /** A pipe broke. Waits for the exit code, which says more; a process that lives on is given up. */
  async #lost(pipe: 'input' | 'output'): Promise<void> {
    if (this.closing || (await within(LINGER_MS, this.#server.exited))) return
    const why = `${this.#key} closed its standard ${pipe} without exiting`
    await this.closeOnce(() => this.#shutDown(() => closedError(this.#facts(), why)))
  }

  /** The process has ended by itself. Its last lines are still delivered, and its descendants are ended. */
  async #afterExit(): Promise<void> {
    const swept = this.#server.sweep(this.#term())
    // No more than a pipe holds is left.
    this.#server.child.stdout.resume()
    await this.#server.drained()
    this.drain()
    this.#finish(() => exitedError(this.#facts()))
    await swept
    await this.#server.release()
  }

  /** Without a reason, because it was asked for. */
  async #shutDown(reason: (() => McpError) | undefined): Promise<void> {
    const why = `The connection to ${this.#key} was closed`
    this.end(reason ?? (() => closedError(this.#facts(), why)))
    const end = parseDuration(this.#options.shutdown?.end ?? DEFAULT_GRACE)
    await this.#server.end(() => this.#writer.end(), end, this.#term())
    await this.#server.drained()
    await this.#server.release()
    this.#finish(reason)
  }

  #finish(reason: (() => McpError) | undefined): void {
    if (reason !== undefined) this.end(reason)
    this.tellGone({ reason: reason?.() })
  }

  #term(): number {
    return parseDuration(this.#options.shutdown?.term ?? DEFAULT_GRACE)
  }

  #facts(): ServerFacts {
    const { pid, exit } = this.#server
    return { key: this.#key, pid, exit, stderr: this.#stderr.lines() }
  }
}
