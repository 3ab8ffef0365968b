import type { OpenOptions } from '../../exchange/wire.ts'
import {
  McpError,
  type NumberMode,
  type JsonRpcMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from '../../jsonrpc/index.ts'
import { ArrivingMessage } from '../arrivals.ts'
import { childEnvironment } from '../process/environment.node.ts'
import { ServerProcess, within } from '../process/server.node.ts'
import type { StdioConnector, StdioOptions, StdioWire, StdioProcess } from '../process/stdio-options.ts'
import { DEFAULT_MAX_LINE_BYTES, readFairly, StdioClientWriter } from './lines.node.ts'
import { closedError, errorDetails, exitedError, type ServerFacts } from '../process/errors.ts'
import { LineLink } from './client-link.node.ts'
import { StderrTail } from './client-stderr.node.ts'
import type { IncomingMessage, Wire, WireRequestOptions } from '../../exchange/index.ts'

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
  const key = commandLine(options)
  return { kind: 'stdio', key, open: (how) => open(options, key, how) }
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

/** Why a wire was not opened. */
export function cancelled(what: string, { reason }: AbortSignal): McpError {
  return reason instanceof McpError
    ? reason
    : new McpError('cancelled', `${what} was cancelled`, { cause: reason })
}

/** As one would type it, for people and as a key: arguments that need quotes get them. */
function commandLine({ command, args = [] }: StdioOptions): string {
  return [command, ...args]
    .map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(' ')
}

/** What wires have in common that carry one message per line: a link, and a word to whoever waits for the end. */
export abstract class LineWire implements Wire {
  abstract readonly kind: string
  readonly takesCancellation = true
  protected abstract readonly link: LineLink
  #closing: Promise<void> | undefined
  #closed: { reason: McpError | undefined } | undefined
  #onClose: ((reason: Error | undefined) => void) | undefined

  get onMessage(): ((message: IncomingMessage) => void) | undefined {
    return this.link.onMessage
  }

  set onMessage(handler: ((message: IncomingMessage) => void) | undefined) {
    this.link.onMessage = handler
  }

  get onLateAnswer(): Wire['onLateAnswer'] {
    return this.link.onLateAnswer
  }

  set onLateAnswer(handler: Wire['onLateAnswer']) {
    this.link.onLateAnswer = handler
  }

  get onClose(): ((reason: Error | undefined) => void) | undefined {
    return this.#onClose
  }

  /** A handler that comes after the end is still told: a server may be gone before anyone could listen. */
  set onClose(handler: ((reason: Error | undefined) => void) | undefined) {
    this.#onClose = handler
    this.#tellClosed()
  }

  request(message: JsonRpcRequest, options?: WireRequestOptions): Promise<JsonRpcResponse> {
    return this.link.request(message, options)
  }

  send(message: JsonRpcMessage): Promise<void> {
    return this.link.send(message)
  }

  abstract close(): Promise<void>

  /** Whether the end has begun, by whoever's wish. */
  protected get isClosing(): boolean {
    return this.#closing !== undefined
  }

  /** Ends the wire in the way of the first who wants it ended; all others wait for that. */
  protected closeOnce(shutDown: () => Promise<void>): Promise<void> {
    this.#closing ??= shutDown()
    return this.#closing
  }

  /** The wire is gone; without a reason, because that was asked for. */
  protected tellGone(reason: McpError | undefined): void {
    this.#closed = { reason }
    this.#tellClosed()
  }

  /** Later, so that a handler that throws disturbs nothing here. */
  #tellClosed(): void {
    const handler = this.#onClose
    const closed = this.#closed
    if (handler !== undefined && closed !== undefined) queueMicrotask(() => handler(closed.reason))
  }
}

const DEFAULT_GRACE_MS = 2000
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
  protected readonly link: LineLink
  readonly #stderr: StderrTail
  readonly #arriving: ArrivingMessage

  constructor(server: ServerProcess, key: string, options: StdioOptions, numbers?: NumberMode) {
    super()
    this.#server = server
    this.#key = key
    this.#options = options
    this.#stderr = new StderrTail(options.stderrLines ?? DEFAULT_STDERR_LINES, options.onStderr)
    this.#arriving = new ArrivingMessage(options.arrivals, () => server.child.stdout.resume())
    this.#writer = new StdioClientWriter(server.child.stdin)
    this.link = new LineLink({
      sink: this.#writer,
      key,
      numbers,
      maxLineBytes: options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES,
      facts: () => errorDetails(this.#facts()),
      onProtocolError: options.onProtocolError,
    })
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
    readFairly(stdout, (chunk) => {
      const hasEnded = this.link.push(chunk)
      const isRunning = this.#server.exit === undefined
      if (!this.#arriving.has(this.link.held) && isRunning) stdout.pause()
      return hasEnded
    })
    stdout.on('close', () => this.#arriving.end())
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
    if (this.isClosing || (await within(LINGER_MS, this.#server.exited))) return
    const why = `${this.#key} closed its standard ${pipe} without exiting`
    await this.closeOnce(() => this.#shutDown(() => closedError(this.#facts(), why)))
  }

  /** The process has ended by itself: what it wrote is still delivered, what it left running is ended. */
  async #afterExit(): Promise<void> {
    const swept = this.#server.sweep(this.#termMs())
    // No more than a pipe holds is left.
    this.#server.child.stdout.resume()
    await this.#server.drained()
    this.link.drain()
    this.#finish(() => exitedError(this.#facts()))
    await swept
    await this.#server.release()
  }

  /** Without a reason, because it was asked for. */
  async #shutDown(reason: (() => McpError) | undefined): Promise<void> {
    const why = `The connection to ${this.#key} was closed`
    this.link.end(reason ?? (() => closedError(this.#facts(), why)))
    const endMs = this.#options.shutdown?.endMs ?? DEFAULT_GRACE_MS
    await this.#server.end(() => this.#writer.end(), endMs, this.#termMs())
    await this.#server.drained()
    await this.#server.release()
    this.#finish(reason)
  }

  #finish(reason: (() => McpError) | undefined): void {
    if (reason !== undefined) this.link.end(reason)
    this.tellGone(reason?.())
  }

  #termMs(): number {
    return this.#options.shutdown?.termMs ?? DEFAULT_GRACE_MS
  }

  #facts(): ServerFacts {
    const { pid, exit } = this.#server
    return { key: this.#key, pid, exit, stderr: this.#stderr.lines() }
  }
}
