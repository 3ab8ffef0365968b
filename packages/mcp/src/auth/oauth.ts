import type { OAuthOptions } from './oauth-options.ts'
import { type OAuthProvider, OAuthTokenProvider } from './oauth-provider.ts'

/**
 * Makes the credentials of one MCP server: discovery, registration, sign-in, refresh, step-up.
 *
 * @example
 * ```ts
 * import { oauth } from '@gantry/mcp/auth'
 *
 * const auth = oauth({
 *   grant: 'client_credentials',
 *   clientId: 'nightly-report',
 *   clientSecret: 'from the vault',
 *   issuer: 'https://auth.example.com',
 * })
 * ```
 */
export function oauth(options: OAuthOptions = {}): OAuthProvider {
  return new OAuthTokenProvider(options)
}
