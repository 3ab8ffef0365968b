import type { McpError, NumberMode } from '../../jsonrpc/index.ts'
import { LineWire } from './line-wire.ts'
import { decodeAscii } from './decode-ascii.node.ts'
import { DEFAULT_MAX_LINE_BYTES } from './lines.ts'
import { type ServerProcess, within } from '../process/server.node.ts'
import { readFairly } from '../read-fairly.node.ts'
import { closedError, errorDetails, exitedError, type ServerFacts } from '../process/errors.ts'
import { LineLink } from './client-link.ts'
import type { StdioOptions, StdioProcess, StdioWire } from '../process/stdio-options.ts'
import { StderrTail } from './client-stderr.ts'
import { StdioClientWriter } from './client-writer.node.ts'

const DEFAULT_GRACE_MS = 2000
const DEFAULT_STDERR_LINES = 100
/** How long a process may live after one of its pipes has broken. */
const LINGER_MS = 500

/** A server in a child process: JSON-RPC lines on its stdin and stdout. */
export class ChildWire extends LineWire implements StdioWire {
  readonly kind = 'stdio' as const
  readonly process: StdioProcess
  readonly #key: string
  readonly #options: StdioOptions
  readonly #server: ServerProcess
  readonly #writer: StdioClientWriter
  protected readonly link: LineLink
  readonly #stderr: StderrTail

  constructor(server: ServerProcess, key: string, options: StdioOptions, numbers?: NumberMode) {
    super()
    this.#server = server
    this.#key = key
    this.#options = options
    this.#stderr = new StderrTail(options.stderrLines ?? DEFAULT_STDERR_LINES, options.onStderr)
    this.#writer = new StdioClientWriter(server.child.stdin)
    this.link = new LineLink({
      sink: this.#writer,
      key,
      numbers,
      maxLineBytes: options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES,
      facts: () => errorDetails(this.#facts()),
      onProtocolError: options.onProtocolError,
      decode: decodeAscii,
    })
    this.process = {
      pid: server.pid,
      startedAt: server.startedAt,
      stderrTail: () => this.#stderr.lines(),
      tree: () => server.usage(),
    }
    this.#listen()
  }

  /**
   * Ends the server (2026-07-28, basic/transports/stdio, Shutdown): end of input, SIGTERM, SIGKILL, for the
   * whole tree. Rejects what is pending at once; resolves when no process of the tree is left.
   */
  close(): Promise<void> {
    return this.closeOnce(() => this.#shutDown(undefined))
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#server.child
    readFairly(stdout, (chunk) => this.link.push(chunk))
    stdout.on('error', () => this.#lost('output'))
    stdout.on('end', () => this.#lost('output'))
    readFairly(stderr, (chunk) => this.#stderr.push(chunk))
    stderr.on('end', () => this.#stderr.end())
    stderr.on('error', () => {})
    stdin.on('error', () => this.#lost('input'))
    this.#server.exited.then(() => this.closeOnce(() => this.#afterExit()))
  }

  /**
   * A pipe has broken. Nearly always the process is about to exit, and its exit code says more; otherwise it
   * lives on without being able to answer, and waiting for it would be waiting for ever.
   */
  async #lost(pipe: 'input' | 'output'): Promise<void> {
    if (this.isClosing || (await within(LINGER_MS, this.#server.exited))) return
    const why = `${this.#key} closed its standard ${pipe} without exiting`
    await this.closeOnce(() => this.#shutDown(() => closedError(this.#facts(), why)))
  }

  /** The process has ended by itself: what it wrote is still delivered, what it left running is ended. */
  async #afterExit(): Promise<void> {
    const swept = this.#server.sweep(this.#termMs())
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
