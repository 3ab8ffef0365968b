import { parseUrl, argumentAt, META, methodFacts } from '../../../protocol/index.ts'
import type { HttpHead, HttpHeaders } from './reply.ts'
import type { MirroredParameter } from '../../../exchange/index.ts'
import {
  HEADER_MISMATCH,
  isJsonObject,
  ProtocolError,
  toNumber,
  type JsonRpcRequest,
} from '../../../jsonrpc/index.ts'
import { decodeHeaderValue } from '../../../protocol/encoding.ts'

export interface GateOptions {
  /** Hosts (without port) that may be in `Host`; loopback names unless given. `'*'` allows all. */
  allowedHosts?: readonly string[]
  /**
   * Origins that browsers may call from. Requests of the same host and requests without an origin are always allowed.
   * `'*'` allows all.
   */
  allowedOrigins?: readonly string[]
  /** The application has checked `Host` and `Origin` already. */
  isGated?: boolean
}

/** Headers for pages of another origin that may read the answers (CORS); undefined for all other callers. */
export function corsHeaders(
  { method, headers }: Pick<HttpHead, 'method' | 'headers'>,
  { allowedOrigins = [] }: GateOptions,
): Record<string, string> | undefined {
  const { origin } = headers
  if (origin === undefined || !(allowedOrigins.includes('*') || allowedOrigins.includes(origin)))
    return undefined
  const allowed = { 'access-control-allow-origin': origin, vary: 'origin' }
  if (!isPreflight({ method, headers })) return { ...allowed, 'access-control-expose-headers': EXPOSED }
  return {
    ...allowed,
    'access-control-allow-methods': 'POST, GET, DELETE',
    // Tools choose headers that mirror their arguments, so no list could name them all.
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': '7200',
  }
}

/** A browser asks whether a page may call at all; it sends no credentials with that. */
export function isPreflight({ method, headers }: Pick<HttpHead, 'method' | 'headers'>): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}

const EXPOSED = 'mcp-session-id, mcp-protocol-version, www-authenticate, retry-after'

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

/** Reads `name:port`. Any other text is one name, which is not on the list of allowed names. */
function hostName(host: string): string {
  return (/^(\[[^\]]*\]|[^:@]*)(?::\d{0,5})?$/.exec(host)?.[1] ?? host).toLowerCase()
}

function isAllowedOrigin(origin: string, host: string | undefined, options: GateOptions): boolean {
  const allowed = options.allowedOrigins ?? []
  if (allowed.includes('*') || allowed.includes(origin)) return true
  const name = parseUrl(origin)?.hostname
  if (name === undefined) return false
  if (host !== undefined && name === hostName(host)) return true
  return (options.allowedHosts ?? LOOPBACK).includes(name)
}

const STREAM = 'text/event-stream'
const JSON_TYPE = 'application/json'

// Whether a GET asks for a stream: old clients send `*/*` or nothing; browsers name pages first.
export function acceptsEventStream(accept: string | undefined): boolean {
  const wanted = accept?.toLowerCase()
  if (wanted === undefined || wanted.includes(STREAM)) return true
  return (wanted.includes('*/*') || wanted.includes('text/*')) && !wanted.includes('text/html')
}

export function acceptsStream(accept: string | undefined): boolean {
  return accept === undefined || accept.includes(STREAM) || accept.includes('*/*')
}

/** Whether a stream is preferred over one JSON body (2025-11-25, Sending Messages to the Server). */
export function prefersStream(accept: string | undefined): boolean {
  if (!accept?.includes(STREAM)) return false
  const at = accept.indexOf(JSON_TYPE)
  if (at === -1 && !accept.includes('*/*')) return true
  if (accept.includes(';')) return weightOf(STREAM, accept) > weightOf(JSON_TYPE, accept)
  return accept.indexOf(STREAM) < at
}

/** The weight of a type (RFC 9110, 12.4.2); 0 when it is not named. */
function weightOf(type: string, accept: string): number {
  const range = accept.split(',').find((one) => one.trim().startsWith(type))
  if (range === undefined) return 0
  const weight = Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1)
  return Number.isFinite(weight) ? weight : 1
}

/** Headers must mirror the body (2026-07-28, Server Validation), or −32020. */
export function checkStandardHeaders(request: JsonRpcRequest, headers: HttpHeaders): void {
  const meta = request.params?._meta
  const version = isJsonObject(meta) ? meta[META.protocolVersion] : undefined
  if (typeof version === 'string')
    expectEqual('MCP-Protocol-Version', headers['mcp-protocol-version'], version)
  expectEqual('Mcp-Method', headers['mcp-method']?.trim(), request.method)
  const member = methodFacts(request.method)?.named
  const name = member && request.params?.[member]
  if (typeof name === 'string') {
    const sent = decoded('Mcp-Name', headers['mcp-name'])
    // Real clients leave it out for tasks. The body alone names the task then, and no intermediary acts on another.
    if (sent !== undefined || member !== 'taskId') expectEqual('Mcp-Name', sent, name)
  }
}

/** The same for an argument that its tool wants mirrored. */
export function checkParameter(parameter: MirroredParameter, args: unknown, headers: HttpHeaders): void {
  const name = `Mcp-Param-${parameter.header}`
  const sent = decoded(name, headers[name.toLowerCase()])
  const value = argumentAt(args, parameter.path)
  if (value === undefined || value === null) {
    if (sent !== undefined) throw mismatch(`${name} is sent, but the argument is not`)
    return
  }
  if (sent === undefined) throw mismatch(`${name} is missing`)
  const number = toNumber(value)
  // Different integers beyond 2^53 may be the same double: only their digits tell them apart.
  const isWide = Number.isInteger(number) && !Number.isSafeInteger(number)
  const equal = sent === String(value) || (sent !== '' && !isWide && Number(sent) === number)
  if (!equal) throw mismatch(`${name} does not match the argument`)
}

function decoded(name: string, raw: string | undefined): string | undefined {
  if (raw === undefined) return undefined
  const value = decodeHeaderValue(raw.trim())
  if (!value.ok) throw mismatch(`${name} is not validly encoded`)
  return value.value
}

function expectEqual(name: string, sent: string | undefined, expected: string): void {
  if (sent === undefined) throw mismatch(`${name} is missing`)
  if (sent !== expected)
    throw mismatch(`${name} is "${sent.slice(0, 200)}", the body says "${expected.slice(0, 200)}"`)
}

function mismatch(what: string): ProtocolError {
  return new ProtocolError(HEADER_MISMATCH, `Header mismatch: ${what}`)
}
