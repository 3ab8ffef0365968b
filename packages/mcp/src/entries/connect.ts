import { Client, type ClientOptions, type Connector } from '../client/index.ts'
import { http } from '../transport/http/client/http-client.ts'
import type { HttpClientOptions } from '../transport/http/client/options.ts'

export interface ConnectOptions extends Omit<ClientOptions, 'connector'> {
  /** How to reach a server that is given by its URL: headers, credentials, a `fetch` of your own. */
  http?: HttpClientOptions | undefined
  signal?: AbortSignal | undefined
}

/**
 * Connects to a server given by its URL or by a connector; era and transport are found out. `App` is the type
 * of the server, for typed tools.
 *
 * @example
 * ```ts
 * await using notes = await connect<App>('https://example.com/mcp', { elicit })
 * const { url } = await notes.tools.publish({ id: '7' })
 * ```
 */
export async function connect<App = unknown>(
  target: Connector | string | URL,
  options: ConnectOptions = {},
): Promise<Client<App>> {
  const { http: httpOptions, signal, ...clientOptions } = options
  const isUrl = typeof target === 'string' || target instanceof URL
  const connector = isUrl ? http(target, httpOptions) : target
  const client = new Client<App>({ ...clientOptions, connector })
  await client.connect(undefined, signal ? { signal } : {})
  return client
}
