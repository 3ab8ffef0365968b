import type { Connector } from '../../../exchange/index.ts'
import { type HttpClientOptions, resolveHttpOptions, withNumbers } from './options.ts'
import { checkUrl } from './url.ts'
import { openSseWire } from './sse-client-wire.ts'

/**
 * A server of the HTTP+SSE transport (2024-11-05) at a URL. `http(url)` falls back to it by itself.
 *
 * @example
 * const connector = sse('https://example.com/sse')
 */
export function sse(url: string | URL, options: HttpClientOptions = {}): Connector {
  const key = String(url)
  const settings = resolveHttpOptions(options)
  return {
    kind: 'sse',
    key,
    open: async (open = {}) => openSseWire(checkUrl(key), withNumbers(settings, open.numbers), open.signal),
  }
}
