import type { Arrivals } from '../arrivals.ts'
import type { McpError } from '../../jsonrpc/index.ts'
import { type Duration, type FormsOf, requireKnownOptions } from '../../protocol/index.ts'
import type { Connector, OpenOptions, Wire } from '../../exchange/index.ts'

export interface StdioOptions {
  /** The program: a name to be found on `PATH`, or a path. No shell is involved. */
  command: string
  args?: readonly string[] | undefined
  /** Variables to add to the short list of safe variables; `undefined` takes a safe variable away. */
  env?: Readonly<Record<string, string | undefined>> | undefined
  /** Names of further variables that the server gets from this process. */
  inheritEnv?: readonly string[] | undefined
  cwd?: string | undefined
  /** Gets every line that the server writes to stderr. Lines over 64 KiB come in pieces. */
  onStderr?: ((line: string) => void) | undefined
  /** How many of the last stderr lines errors show, within 64 KiB. Default 100. */
  stderrLines?: number | undefined
  /** The longest message in bytes. Default 64 MiB. A longer message fails its request with `too_large`. */
  maxLineBytes?: number | undefined
  /** Gives room to long messages, where many connections share memory. */
  arrivals?: Arrivals | undefined
  /** Hears of useless output of a server: lines that are not JSON, answers to unknown ids. */
  onProtocolError?: ((error: McpError) => void) | undefined
  /** How long `close()` waits. Default 2 s each. */
  shutdown?: StdioShutdown | undefined
}

const STDIO_OPTIONS: FormsOf<StdioOptions> = {
  command: 'text',
  args: 'a list',
  env: 'an object',
  inheritEnv: 'a list',
  cwd: 'text',
  onStderr: 'a function',
  stderrLines: 'a number',
  maxLineBytes: 'a number',
  arrivals: 1,
  onProtocolError: 'a function',
  shutdown: { end: 1, term: 1 },
}

/** Our members of an entry of `mcpServers`, which also has members of other clients. */
export function stdioOptionsOf(entry: StdioOptions): StdioOptions {
  const own = Object.entries(entry).filter(([key]) => Object.hasOwn(STDIO_OPTIONS, key))
  return Object.fromEntries(own) as unknown as StdioOptions
}

export function requireStdioOptions(options: object): void {
  requireKnownOptions('process', STDIO_OPTIONS, options)
}

export interface StdioShutdown {
  /** After the end of the server's input, before SIGTERM. */
  end?: Duration | undefined
  /** After SIGTERM, before SIGKILL. */
  term?: Duration | undefined
}

export interface StdioProcessUsage {
  pid: number
  parent: number
  command: string
  /** Resident memory in bytes. */
  rss: number
  /** User and system time so far, in milliseconds. */
  cpu: number
}

export interface StdioProcess {
  readonly pid: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** The last lines of stderr, oldest first. */
  stderrTail(): string[]
  /** The process and everything that came from it, as far as it is still alive. */
  tree(): Promise<StdioProcessUsage[]>
}

export interface StdioWire extends Wire {
  readonly kind: 'stdio'
  readonly process: StdioProcess
}

export interface StdioConnector extends Connector {
  readonly kind: 'stdio'
  /** Starts a process of its own for every wire. */
  open(options?: OpenOptions): Promise<StdioWire>
}
