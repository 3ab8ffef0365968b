import type { McpError } from '../../jsonrpc/index.ts'
import { addressKind, isTrustedHost, isWithinReach, parseUrl, type Reach } from '../../protocol/index.ts'
import { oauthError, quote } from './oauth-error.ts'

/**
 * Checks a URL that came from a server before anything is sent there (2026-07-28, security best practices,
 * "Server-Side Request Forgery"): HTTPS, no credentials or fragment, and no address inside the network unless
 * the MCP server itself is there. What names resolve to is checked when a connection is made: `reachFetch`.
 */
export function checkUrl(value: unknown, what: string, policy: Reach): URL {
  const url = typeof value === 'string' ? toWebUrl(value) : undefined
  if (url === undefined) {
    throw oauthError('unsafe_url', `${what} is not a URL`, { expected: 'an https URL', found: quote(value) })
  }
  if (isTrustedHost(url, policy.trustedHosts)) return url
  if (
    url.protocol !== 'https:' &&
    !(url.protocol === 'http:' && isLoopback(url) && isLoopback(policy.serverUrl))
  ) {
    throw oauthError('unsafe_url', `${what} must be reached by HTTPS`, {
      expected: 'an https URL (http only on loopback, for a server that is on loopback itself)',
      found: quote(value),
      fix: 'Serve it by HTTPS, or name its host in trustedHosts if the network in between is your own.',
    })
  }
  if (!isWithinReach(url.hostname, policy)) throw outOfReach(what, quote(value))
  return url
}

/** Something that a server named is nearer to us than that server. */
export function outOfReach(what: string, found: string | undefined, cause?: unknown): McpError {
  return oauthError('unsafe_url', `${what} points into a private network, and the MCP server is not in one`, {
    found,
    fix: 'Name its host in trustedHosts if this is meant.',
    cause,
  })
}

/** A web URL without credentials and fragment, or undefined: such URLs are never legitimate here. */
function toWebUrl(value: string): URL | undefined {
  const url = parseUrl(value)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined
  return url.username === '' && url.password === '' && !value.includes('#') ? url : undefined
}

export function isLoopback(url: URL): boolean {
  return addressKind(url.hostname) === 'loopback'
}
