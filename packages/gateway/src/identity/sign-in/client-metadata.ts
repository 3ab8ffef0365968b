import { parseUrl } from '@gantry/mcp/foreign'
import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import { JWT_BEARER } from './id-jag.ts'

const GRANT_TYPES = ['authorization_code', 'refresh_token']
/** For clients that prove their identity by a secret or a key. */
const GRANT_TYPES_OF_PROVEN = [...GRANT_TYPES, JWT_BEARER]
/** Further members of a registration that are kept, by the way they are read. */
const TEXTS = ['client_name', 'software_id', 'software_version', 'token_endpoint_auth_method']
const HTTPS_URLS = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri', 'jwks_uri']
/** Schemes that a browser acts on by itself: nothing may be sent there. */
const NEVER = new Set([
  ...['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'view-source:', 'filesystem:'],
  ...['ftp:', 'ws:', 'wss:', 'mailto:', 'tel:', 'sms:', 'ssh:', 'smb:', 'ldap:'],
])
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const MAX_REDIRECTS = 20
const MAX_TEXT = 2000

/**
 * The metadata of a client, as the authorization server accepts it. Real clients deviate: Cursor calls itself `web` and
 * has its own scheme, VS Code names loopback ports that it will not use, and some name grants that are not offered.
 * Redirect URIs that cannot be accepted are left out; undefined when no redirect URI remains.
 */
export function acceptMetadata(given: JsonObject, scopes: readonly string[]): JsonObject | undefined {
  const uris = listOf(given.redirect_uris).slice(0, MAX_REDIRECTS).filter(isAcceptable)
  if (uris.length === 0) return undefined
  const isProven = (textOf(given.token_endpoint_auth_method) ?? 'none') !== 'none'
  const offered = isProven ? GRANT_TYPES_OF_PROVEN : GRANT_TYPES
  const grants = listOf(given.grant_types).filter((type) => offered.includes(type))
  const wanted = textOf(given.scope)?.split(' ') ?? []
  const known = wanted.filter((scope) => scopes.includes(scope))
  return {
    redirect_uris: [...new Set(uris)],
    // Makes loopback redirects independent of their port (RFC 8252, section 7.3), and allows schemes of apps.
    application_type: 'native',
    grant_types: grants.includes('authorization_code') ? grants : [...new Set([...GRANT_TYPES, ...grants])],
    response_types: ['code'],
    ...pick(given, TEXTS, textOf),
    ...pick(given, HTTPS_URLS, httpsUrl),
    ...(isJsonObject(given.jwks) && { jwks: given.jwks }),
    ...(known.length > 0 && { scope: known.join(' ') }),
  }
}

/** HTTPS anywhere, plain HTTP on the person's own machine, or a scheme that an app has claimed. */
function isAcceptable(uri: string): boolean {
  const url = uri.length > MAX_TEXT ? undefined : parseUrl(uri)
  if (url?.username !== '' || url.password !== '' || uri.includes('#')) return false
  if (/[\s\\\u0000-\u001f\u007f]/.test(uri)) return false
  if (url.protocol === 'https:') return !LOOPBACK.has(url.hostname)
  if (url.protocol === 'http:') return LOOPBACK.has(url.hostname)
  return !NEVER.has(url.protocol) && /^[a-z][a-z0-9+.-]*:\/./i.test(uri)
}

function pick(
  given: JsonObject,
  names: readonly string[],
  read: (value: unknown) => string | undefined,
): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = read(given[name])
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT ? value : undefined
}

function httpsUrl(value: unknown): string | undefined {
  const text = textOf(value)
  return text !== undefined && parseUrl(text)?.protocol === 'https:' ? text : undefined
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
