import type { OpenOptions } from '../../exchange/wire.ts'
import { McpError } from '../../jsonrpc/index.ts'
import { childEnvironment } from '../process/environment.node.ts'
import { ServerProcess } from '../process/server.node.ts'
import type { StdioConnector, StdioOptions, StdioWire } from '../process/stdio-options.ts'
import { ChildWire } from './client-wire.node.ts'

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
  if (signal?.aborted) throw cancelled(key, signal)
  const server = await ServerProcess.start({
    command: options.command,
    args: options.args ?? [],
    env: childEnvironment(options.env, options.inheritEnv),
    cwd: options.cwd,
  })
  const wire = new ChildWire(server, key, options, numbers)
  if (!signal?.aborted) return wire
  await wire.close()
  throw cancelled(key, signal)
}

function cancelled(key: string, signal: AbortSignal): McpError {
  const reason: unknown = signal.reason
  if (reason instanceof McpError) return reason
  return new McpError('cancelled', `Starting ${key} was cancelled`, { cause: reason })
}

/** As one would type it, for people and as a key: arguments that need quotes get them. */
function commandLine({ command, args = [] }: StdioOptions): string {
  return [command, ...args]
    .map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(' ')
}
