import type { Connector } from '../../../exchange/index.ts'
import { type HttpClientOptions, forWire, resolveHttpOptions } from './options.ts'
import { checkUrl } from './url.ts'
import { HttpWire } from './wire.ts'
import { sse } from './sse-client.ts'

/**
 * A server at a URL: Streamable HTTP of every revision, and HTTP+SSE of 2024-11-05 as the fallback.
 *
 * @example
 * const connector = http('https://example.com/mcp', { headers: { authorization: `Bearer ${token}` } })
 */
export function http(url: string | URL, options: HttpClientOptions = {}): Connector {
  const key = String(url)
  const settings = resolveHttpOptions(options)
  return {
    kind: 'http',
    key,
    fallback: sse(url, options),
    open: async (how = {}) => new HttpWire(checkUrl(key), forWire(settings, how)),
  }
}
