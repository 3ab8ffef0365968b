import { Client, type ClientOptions, type Connector, McpError } from '../client/index.ts'
import { http } from '../transport/http/client/http-client.ts'
import type { HttpClientOptions, HttpHeaders } from '../transport/http/client/options.ts'
import { sse } from '../transport/http/client/sse-client.ts'
import type { StdioOptions } from '../transport/process/stdio-options.ts'

export interface ConnectOptions extends Omit<ClientOptions, 'connector'> {
  /** How to reach a server that is given by its URL: headers, credentials, a `fetch` of your own. */
  http?: HttpClientOptions | undefined
  signal?: AbortSignal | undefined
}

/** An entry of `mcpServers`, as clients have it in their files. Members that belong to other clients are ignored. */
export type McpServerEntry =
  | (StdioOptions & { type?: string | undefined })
  | (HttpEntry & ({ url: string } | { serverUrl: string } | { httpUrl: string }))

interface HttpEntry {
  type?: string | undefined
  url?: string
  /** Windsurf's name for it. */
  serverUrl?: string
  /** Gemini's name for it. */
  httpUrl?: string
  headers?: Record<string, string> | undefined
}

/** The target of `connect`: a URL, a command, an entry of `mcpServers`, or a connector. */
export type ConnectTarget = Connector | string | URL | McpServerEntry

/**
 * Connects to a server given by its URL, its command, an entry of `mcpServers` or a connector; era and transport are
 * found out. `App` is the type of the server, for typed tools.
 *
 * @example
 * ```ts
 * await using notes = await connect<App>('https://example.com/mcp', { elicit })
 * const { url } = await notes.tools.publish({ id: '7' })
 * await using files = await connect({ command: 'npx', args: ['-y', 'some-server'] })
 * ```
 */
export async function connect<App = unknown>(
  target: ConnectTarget,
  options: ConnectOptions = {},
): Promise<Client<App>> {
  const { http: httpOptions, signal, ...clientOptions } = options
  const connector = await toConnector(target, httpOptions)
  const client = new Client<App>({ ...clientOptions, connector })
  await client.connect(undefined, signal ? { signal } : {})
  return client
}

async function toConnector(target: ConnectTarget, options?: HttpClientOptions): Promise<Connector> {
  if (typeof target === 'string' || target instanceof URL) return http(target, options)
  if (target !== null && typeof target === 'object') {
    if ('open' in target) return target
    if ('command' in target) return toProcess(target)
    const { url, serverUrl = url, httpUrl = serverUrl }: HttpEntry = target
    if (httpUrl !== undefined) return toHttp(target, httpUrl, options)
  }
  throw new McpError('invalid_config', `Not a server: ${advice(target)}`)
}

/** Loaded when it is needed: pages and workers have no processes. */
async function toProcess(entry: StdioOptions): Promise<Connector> {
  const { stdioOfEntry } = await import('#stdio')
  if (stdioOfEntry) return stdioOfEntry(entry)
  throw new McpError('unsupported', 'This runtime cannot start a process: connect to a URL, or run on Node')
}

function toHttp({ type = 'http', headers }: HttpEntry, url: string, options?: HttpClientOptions): Connector {
  const merged = headers ? { ...options, headers: withHeaders(headers, options?.headers) } : options
  if (type === 'sse') return sse(url, merged)
  // Clients spell it "streamable-http", "streamableHttp" and "streamable_http".
  if (type === 'http' || /^streamable[-_]?http$/i.test(type)) return http(url, merged)
  throw new McpError('invalid_config', `Not a transport: "${type}"; write "http", "sse" or "stdio"`)
}

/** The caller's own headers replace headers of the entry with the same name. */
function withHeaders(entry: Record<string, string>, own: HttpHeaders | undefined): HttpHeaders {
  return typeof own === 'function' ? async () => ({ ...entry, ...(await own()) }) : { ...entry, ...own }
}

function advice(target: unknown): string {
  const [name] = Object.keys((target as { mcpServers?: object } | null | undefined)?.mcpServers ?? {})
  if (name !== undefined) return `pass one entry, such as config.mcpServers.${name}`
  return 'write a URL, { command, args }, { url } or a connector'
}
