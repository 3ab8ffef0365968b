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
  const url = typeof value === 'string' ? parseUrl(value) : undefined
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
function parseUrl(value: string): URL | undefined {
  if (!URL.canParse(value)) return undefined
  const url = new URL(value)
  const web = url.protocol === 'https:' || url.protocol === 'http:'
  return web && url.username === '' && url.password === '' && !value.includes('#') ? url : undefined
}

function isTrusted(url: URL, policy: UrlPolicy): boolean {
  return policy.trustedHosts.some((host) => host === url.host || host === url.hostname)
}

export function isLoopback(url: URL): boolean {
  const host = url.hostname
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\./.test(host)
}

/** Whether the host is a literal loopback, private, link-local or unspecified address (or `localhost`). */
function isPrivateAddress(url: URL): boolean {
  const host = url.hostname
  if (isLoopback(url)) return true
  if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1))
  // The URL parser turns every spelling of an IPv4 address (hex, octal, short) into four decimals.
  const parts = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host)
  if (parts === null) return false
  const [first, second] = [Number(parts[1]), Number(parts[2])]
  if (first === 0 || first === 10 || first === 127) return true
  if (first === 169 && second === 254) return true
  if (first === 192 && second === 168) return true
  if (first === 100 && second >= 64 && second <= 127) return true
  return first === 172 && second >= 16 && second <= 31
}

function isPrivateIpv6(address: string): boolean {
  if (address === '::' || address === '::1') return true
  if (/^f[cd]|^fe[89ab]/.test(address)) return true
  // IPv4-mapped addresses are written `::ffff:7f00:1` by the URL parser.
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(address)
  if (mapped === null) return false
  const high = Number.parseInt(mapped[1] as string, 16)
  const low = Number.parseInt(mapped[2] as string, 16)
  return isPrivateAddress(new URL(`http://${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`))
}
