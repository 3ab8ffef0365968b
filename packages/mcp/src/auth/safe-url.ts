import { addressKind, parseUrl } from '../protocol/index.ts'
import { oauthError, quote } from './oauth-error.ts'

export interface UrlPolicy {
  /** The MCP server's URL, as the user gave it: its own network is where it may send us. */
  readonly serverUrl: URL
  /** Hosts (`name` or `name:port`) that may be plain HTTP or on a private address. */
  readonly trustedHosts: readonly string[]
}

/**
 * Checks a URL that came from a server before anything is sent there (2026-07-28, security best practices,
 * "Server-Side Request Forgery"): HTTPS, no credentials or fragment, and no address inside the network unless
 * the MCP server itself is there. Names that resolve to such addresses are for a `fetch` with egress rules.
 */
export function checkUrl(value: unknown, what: string, policy: UrlPolicy): URL {
  const url = typeof value === 'string' ? toWebUrl(value) : undefined
  if (url === undefined) {
    throw oauthError('unsafe_url', `${what} is not a URL`, { expected: 'an https URL', found: quote(value) })
  }
  if (isTrusted(url, policy)) return url
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
  if (isPrivateAddress(url) && !isPrivateAddress(policy.serverUrl)) {
    throw oauthError(
      'unsafe_url',
      `${what} points into a private network, and the MCP server is not in one`,
      {
        found: quote(value),
        fix: 'Name its host in trustedHosts if this is meant.',
      },
    )
  }
  return url
}

/** A web URL without credentials and fragment, or undefined: such URLs are never legitimate here. */
function toWebUrl(value: string): URL | undefined {
  const url = parseUrl(value)
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined
  return url.username === '' && url.password === '' && !value.includes('#') ? url : undefined
}

function isTrusted(url: URL, policy: UrlPolicy): boolean {
  return policy.trustedHosts.some((host) => host === url.host || host === url.hostname)
}

export function isLoopback(url: URL): boolean {
  return addressKind(url.hostname) === 'loopback'
}

function isPrivateAddress(url: URL): boolean {
  const kind = addressKind(url.hostname)
  return kind === 'loopback' || kind === 'private'
}
