import { parseUrl } from '../../protocol/index.ts'
import type { JsonObject } from '../../jsonrpc/index.ts'
import { type DiscoveryContext, loadDocument, stringArray } from './metadata-document.ts'
import { oauthError, quote } from '../http/oauth-error.ts'

/** The MCP server as its Protected Resource Metadata (RFC 9728) describes it, checked. */
export interface ProtectedResource {
  /** Byte for byte as the document has it: it goes into requests as the `resource` parameter. */
  readonly resource: string
  /** Never empty. */
  readonly authorizationServers: readonly string[]
  readonly scopesSupported?: readonly string[] | undefined
  /** The server wants (or at least verifies) DPoP-bound tokens. */
  readonly dpop: boolean
}

const WHAT = 'Resource metadata'

/** Finds the resource's metadata; undefined for a server of revision 2025-03-26, which has none. */
export async function discoverResource(
  serverUrl: URL,
  metadataUrl: string | undefined,
  context: DiscoveryContext,
): Promise<ProtectedResource | undefined> {
  if (metadataUrl !== undefined) return loadNamed(serverUrl, metadataUrl, context)
  let failure: unknown
  for (const url of resourceMetadataUrls(serverUrl)) {
    const loaded = await loadDocument(url, WHAT, context)
    if (loaded.kind === 'failed') failure ??= loaded.error
    if (loaded.kind === 'found' && typeof loaded.document.resource === 'string') {
      return readResource(loaded.document, url, serverUrl)
    }
  }
  if (failure !== undefined) throw failure
  return undefined
}

async function loadNamed(
  serverUrl: URL,
  metadataUrl: string,
  context: DiscoveryContext,
): Promise<ProtectedResource> {
  const url = context.http.check(metadataUrl, 'The resource_metadata URL of the WWW-Authenticate header')
  const loaded = await loadDocument(url, WHAT, context)
  if (loaded.kind === 'failed') throw loaded.error
  if (loaded.kind === 'absent') {
    throw oauthError(
      'resource_metadata',
      'the WWW-Authenticate header names resource metadata that is not there',
      {
        url,
        expected: 'a JSON document (RFC 9728)',
        found: loaded.found,
        fix: 'The MCP server must serve the document that it names.',
      },
    )
  }
  return readResource(loaded.document, url, serverUrl)
}

/** `https://host/a/mcp` → the place for its path, then the place for the origin. */
export function resourceMetadataUrls(serverUrl: URL): URL[] {
  const root = new URL('/.well-known/oauth-protected-resource', serverUrl.origin)
  if (serverUrl.pathname === '/' && serverUrl.search === '') return [root]
  const path = new URL(root)
  path.pathname += serverUrl.pathname === '/' ? '' : serverUrl.pathname
  path.search = serverUrl.search
  return [path, root]
}

function readResource(document: JsonObject, url: URL, serverUrl: URL): ProtectedResource {
  const { resource } = document
  if (typeof resource !== 'string') {
    throw oauthError('resource_metadata', 'the resource metadata has no resource', {
      url,
      expected: 'a string member "resource"',
      found: quote(resource),
    })
  }
  if (!covers(resource, serverUrl)) {
    throw oauthError('resource_mismatch', 'the resource metadata is about another server', {
      url,
      expected: `a resource that covers ${serverUrl.href}`,
      found: quote(resource),
      fix: 'No token was requested. Check the URL of the MCP server; if it is right, its metadata must name it.',
    })
  }
  const authorizationServers = stringArray(document.authorization_servers) ?? []
  if (authorizationServers.length === 0) {
    throw oauthError('resource_metadata', 'the resource metadata names no authorization server', {
      url,
      expected: 'a non-empty array "authorization_servers"',
      found: quote(document.authorization_servers),
    })
  }
  const dpop =
    document.dpop_bound_access_tokens_required === true ||
    (stringArray(document.dpop_signing_alg_values_supported)?.length ?? 0) > 0
  return { resource, authorizationServers, scopesSupported: stringArray(document.scopes_supported), dpop }
}

/** Whether a resource identifier covers the endpoint: same origin, same or parent path (RFC 9728, 3.1). */
export function covers(resource: string, serverUrl: URL): boolean {
  const url = parseUrl(resource)
  if (url === undefined || resource.includes('#')) return false
  if (url.origin !== serverUrl.origin || url.username !== '' || url.password !== '') return false
  if (url.search !== '' && url.search !== serverUrl.search) return false
  const parent = url.pathname.replace(/\/+$/, '')
  return serverUrl.pathname === parent || `${serverUrl.pathname}/`.startsWith(`${parent}/`)
}
