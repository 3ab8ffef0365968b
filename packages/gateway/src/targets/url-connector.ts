import { http, sse, type FetchLike, type McpError } from '@gantry/mcp/client'
import type { AuthProvider } from '@gantry/mcp/auth'
import type { Connector } from '@gantry/mcp/exchange'
import { parseUrl } from '@gantry/mcp/foreign'
import { reveal, revealAll, type UrlTarget } from '../model/index.ts'
import type { ArrivingResults } from './arriving-results.ts'

export interface UrlServices {
  readonly fetch: FetchLike
  readonly arriving: ArrivingResults
  readonly auth: AuthProvider | undefined
  readonly maxMessageBytes: number
  /** Headers of the request that the connection is made for, where connections are not shared. */
  readonly headers: Record<string, string> | undefined
  onProtocolError(error: McpError): void
}

/** A server at a URL. What the configuration says about headers gives way to what the caller sends. */
export function urlConnector(model: UrlTarget, services: UrlServices): Connector {
  const { fetch, auth, maxMessageBytes } = services
  const url = reveal(model.url)
  const options = {
    headers: { ...lowerCase(revealAll(model.headers)), ...services.headers },
    fetch,
    maxMessageBytes,
    arrivals: services.arriving.of(parseUrl(url)?.origin ?? url),
    onProtocolError: (error: McpError) => services.onProtocolError(error),
    ...(auth && { auth }),
  }
  if (model.transport === 'sse') return sse(url, options)
  const connector = http(url, options)
  return model.transport === 'http' ? { ...connector, fallback: undefined } : connector
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
