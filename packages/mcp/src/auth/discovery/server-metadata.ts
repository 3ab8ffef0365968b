import type { AuthorizationServer } from 'oauth4webapi'
import type { JsonObject } from '../../jsonrpc/index.ts'
import { type DiscoveryContext, loadDocument } from './metadata-document.ts'
import { oauthError, quote } from '../http/oauth-error.ts'

/** An authorization server whose metadata was checked; `legacy` has none and uses the default paths. */
export interface AuthServer {
  readonly issuer: string
  readonly metadata: AuthorizationServer & JsonObject
  readonly source: 'metadata' | 'default-endpoints'
}

const WHAT = 'Authorization server metadata'
/** Whatever of these is there must be a safe URL, before anything is sent or opened. */
const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
] as const

/** The places to ask, in the order of 2026-07-28, "Authorization Server Metadata Discovery". */
export function serverMetadataUrls(issuer: URL): URL[] {
  const path = issuer.pathname.replace(/\/+$/, '')
  if (path === '') {
    return [
      at(issuer, '/.well-known/oauth-authorization-server'),
      at(issuer, '/.well-known/openid-configuration'),
    ]
  }
  return [
    at(issuer, `/.well-known/oauth-authorization-server${path}`),
    at(issuer, `/.well-known/openid-configuration${path}`),
    at(issuer, `${path}/.well-known/openid-configuration`),
  ]
}

/** Another path of the same origin. As a reference, a path that begins with `//` would lead to another host. */
function at(issuer: URL, path: string): URL {
  const url = new URL(issuer.origin)
  url.pathname = path
  return url
}

export async function discoverAuthServer(
  issuer: string,
  context: DiscoveryContext,
  publishedIssuer: string = issuer,
): Promise<AuthServer> {
  const issuerUrl = context.http.check(issuer, 'The authorization server in the resource metadata')
  const findings: string[] = []
  let failure: unknown
  for (const url of serverMetadataUrls(issuerUrl)) {
    const loaded = await loadDocument(url, WHAT, context)
    if (loaded.kind === 'found') return checkMetadata(loaded.document, url, publishedIssuer, context)
    if (loaded.kind === 'failed') failure ??= loaded.error
    if (loaded.kind === 'absent') findings.push(`${url.href}: ${loaded.found}`)
  }
  if (failure !== undefined) throw failure
  throw oauthError('server_metadata', 'the authorization server publishes no metadata', {
    url: issuer,
    expected: 'a document by RFC 8414 or OpenID Connect Discovery',
    found: findings.join('; '),
    fix: 'Check "authorization_servers" in the resource metadata.',
  })
}

/** Revision 2025-03-26: the MCP server's origin is the authorization server, with default paths. */
export async function discoverLegacyAuthServer(
  serverUrl: URL,
  context: DiscoveryContext,
): Promise<AuthServer> {
  const { origin } = serverUrl
  const issuerUrl = context.http.check(origin, 'The MCP server')
  for (const url of serverMetadataUrls(issuerUrl)) {
    const loaded = await loadDocument(url, WHAT, context, { 'mcp-protocol-version': '2025-03-26' })
    if (loaded.kind === 'found') return checkMetadata(loaded.document, url, origin, context)
    if (loaded.kind === 'failed') throw loaded.error
  }
  const metadata = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
  }
  context.step({ step: 'server-metadata', outcome: 'ok', url: origin, info: { source: 'default-endpoints' } })
  return { issuer: origin, metadata, source: 'default-endpoints' }
}

function checkMetadata(
  document: JsonObject,
  url: URL,
  expectedIssuer: string,
  { http }: DiscoveryContext,
): AuthServer {
  // RFC 8414, section 3.3: identical, with no normalization, or the document is not used at all.
  if (document.issuer !== expectedIssuer) {
    throw oauthError('issuer_mismatch', 'the authorization server metadata is of another issuer', {
      url,
      expected: quote(expectedIssuer),
      found: quote(document.issuer),
      fix: mismatchFix(expectedIssuer, document.issuer),
    })
  }
  for (const name of ENDPOINTS) {
    if (document[name] !== undefined) http.check(document[name], `The ${name} of ${expectedIssuer}`)
  }
  if (document.token_endpoint === undefined) {
    throw oauthError('server_metadata', 'the authorization server metadata has no token_endpoint', { url })
  }
  const metadata = document as AuthorizationServer & JsonObject
  return { issuer: expectedIssuer, metadata, source: 'metadata' }
}

function mismatchFix(expected: string, found: unknown): string {
  if (typeof found === 'string' && found.replace(/\/$/, '') === expected.replace(/\/$/, '')) {
    return (
      'They differ by a slash at the end: "authorization_servers" of the MCP server must hold the issuer ' +
      'exactly. Until that is mended, issuerAliases can map one to the other.'
    )
  }
  return 'The document was not used, and nothing was sent to its endpoints.'
}

/** PKCE with S256 must be announced (2026-07-28, "Authorization Code Protection"). */
export function requirePkce(server: AuthServer): void {
  if (server.source === 'default-endpoints') return
  const methods = server.metadata.code_challenge_methods_supported
  if (Array.isArray(methods) && methods.includes('S256')) return
  throw oauthError('pkce_unsupported', 'the authorization server does not announce PKCE with S256', {
    url: server.issuer,
    expected: 'code_challenge_methods_supported with "S256"',
    found: quote(methods),
    fix: 'Authorization was refused: without PKCE the code could be stolen on its way back.',
  })
}
