import { parseUrl } from '../../../protocol/index.ts'
import type { HttpHeaders } from './reply.ts'

export interface GateOptions {
  /** Hosts (without port) that may be in `Host`; loopback names unless given. `'*'` allows all. */
  allowedHosts?: readonly string[]
  /** Origins that browsers may call from; same-host origins and none at all are always fine. `'*'` allows all. */
  allowedOrigins?: readonly string[]
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Checks `Host` and `Origin` against DNS rebinding. Returns why to refuse. */
export function refuseForeign(headers: HttpHeaders, options: GateOptions): string | undefined {
  const host = headers.host
  const allowed = options.allowedHosts ?? LOOPBACK
  if (host !== undefined && !allowed.includes('*') && !allowed.includes(hostName(host))) {
    return `Host "${host}" is not allowed`
  }
  const { origin } = headers
  if (origin === undefined || isAllowedOrigin(origin, host, options)) return undefined
  return `Origin "${origin}" is not allowed`
}

function hostName(host: string): string {
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':')
  return (end > 0 ? host.slice(0, end) : host).toLowerCase()
}

function isAllowedOrigin(origin: string, host: string | undefined, options: GateOptions): boolean {
  const allowed = options.allowedOrigins ?? []
  if (allowed.includes('*') || allowed.includes(origin)) return true
  const name = parseUrl(origin)?.hostname
  if (name === undefined) return false
  if (host !== undefined && name === hostName(host)) return true
  return (options.allowedHosts ?? LOOPBACK).includes(name)
}
