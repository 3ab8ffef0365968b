import { McpError } from '../../jsonrpc/index.ts'

/** Which document or check failed; `details.check` of every error here. docs/oauth.md explains each. */
export const OAUTH_CHECKS = [
  'options',
  'unsafe_url',
  'redirected',
  'too_large',
  'timeout',
  'network',
  'resource_metadata',
  'resource_mismatch',
  'server_metadata',
  'issuer_mismatch',
  'pkce_unsupported',
  'client_registration',
  'client_issuer_mismatch',
  'client_authentication',
  'login_required',
  'authorization_denied',
  'authorization_response',
  'response_issuer',
  'response_state',
  'token_response',
  'dpop',
  'insufficient_scope',
  'too_many_attempts',
  'wrong_server',
  'storage',
] as const
export type OAuthCheck = (typeof OAUTH_CHECKS)[number]

export interface OAuthErrorFacts {
  url?: string | URL | undefined
  expected?: string | undefined
  found?: string | undefined
  fix?: string | undefined
  error?: string | undefined
  status?: number | undefined
  cause?: unknown
}

/** Builds the errors of this folder: what failed, where, what was expected and what to do. */
export function oauthError(check: OAuthCheck, message: string, facts: OAuthErrorFacts = {}): McpError {
  const details: Record<string, unknown> = { check }
  const url = facts.url === undefined ? undefined : String(facts.url)
  if (url !== undefined) details.url = url
  for (const key of ['expected', 'found', 'fix', 'error', 'status'] as const) {
    if (facts[key] !== undefined) details[key] = facts[key]
  }
  const parts = [`OAuth: ${message}`]
  if (url !== undefined) parts.push(` (${url})`)
  if (facts.expected !== undefined) parts.push(`; expected ${facts.expected}`)
  if (facts.found !== undefined)
    parts.push(`${facts.expected === undefined ? ';' : ','} found ${facts.found}`)
  parts.push('.')
  if (facts.fix !== undefined) parts.push(` ${facts.fix}`)
  return new McpError('oauth', parts.join(''), { details, cause: facts.cause })
}

/** The check that an error of this folder names, or undefined for any other error. */
export function oauthCheck(thrown: unknown): OAuthCheck | undefined {
  if (!(thrown instanceof McpError) || thrown.code !== 'oauth') return undefined
  return thrown.details.check as OAuthCheck | undefined
}

/** Text from a peer, made fit for an error message: printable, short, quoted. */
export function quote(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  const printable = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
  return `"${printable.length > 200 ? `${printable.slice(0, 200)}…` : printable}"`
}
