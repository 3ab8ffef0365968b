import {
  allowInsecureRequests,
  type AuthorizationServer,
  type ClientAuth,
  ClientSecretPost,
  customFetch,
  introspectionRequest,
  processIntrospectionResponse,
} from 'oauth4webapi'
import { type JsonObject, McpError } from '../../jsonrpc/index.ts'
import { clientSecretBasic } from '../grants/client-authentication.ts'
import { oauthError, quote } from '../http/oauth-error.ts'
import type { Issuer } from './issuer.ts'
import type { JwtRules } from './verify-jwt.ts'
import { invalidToken } from './token-rejected.ts'

export interface IntrospectionOptions {
  /** Default: `introspection_endpoint` of the issuer's metadata. */
  url?: string
  /** How this server is known to the authorization server. */
  clientId: string
  clientSecret: string
  /** How the secret is sent. Default: `client_secret_basic`. */
  method?: 'client_secret_basic' | 'client_secret_post'
  /** Ask about JWTs as well, so that a revoked token is noticed before it expires. Default: false. */
  all?: boolean
  /** The issuer that it belongs to, when there are several. */
  issuer?: string
}

/** More questions than this at once would only queue at a server that is slow already. */
const MAX_AT_ONCE = 64

/** Asks the authorization server what a token is worth (RFC 7662). */
export class Introspector {
  readonly issuer: Issuer
  readonly #options: IntrospectionOptions
  readonly #authentication: ClientAuth
  #running = 0

  constructor(issuer: Issuer, options: IntrospectionOptions) {
    this.issuer = issuer
    this.#options = options
    const { clientSecret: secret } = options
    if (secret.trim() === '')
      throw new McpError('invalid_config', 'The clientSecret of introspection is empty')
    this.#authentication =
      options.method === 'client_secret_post' ? ClientSecretPost(secret) : clientSecretBasic(secret)
  }

  async claims(token: string, rules: JwtRules): Promise<JsonObject> {
    if (this.#running >= MAX_AT_ONCE) {
      throw oauthError('network', 'too many introspection requests at once', { url: this.issuer.name })
    }
    this.#running += 1
    try {
      return checkClaims(await this.#ask(token), this.issuer.name, rules)
    } finally {
      this.#running -= 1
    }
  }

  async #ask(token: string): Promise<JsonObject> {
    const server = await this.#server()
    const client = { client_id: this.#options.clientId }
    const { url } = this.#options
    // An address that the operator wrote may be anywhere; an address from the metadata may not.
    const http = url === undefined ? this.issuer.http : this.issuer.http.trusting(url)
    try {
      const response = await introspectionRequest(server, client, this.#authentication, token, {
        additionalParameters: { token_type_hint: 'access_token' },
        [customFetch]: http.sender('The introspection endpoint'),
        // Every address was checked by our own rules, which are stricter.
        [allowInsecureRequests]: true,
      })
      return (await processIntrospectionResponse(server, client, response)) as JsonObject
    } catch (error) {
      if (error instanceof McpError) throw error
      // The library's errors carry the whole response, which must not reach a log.
      throw oauthError('server_metadata', 'the introspection endpoint did not answer as it should', {
        url: server.introspection_endpoint,
        found: error instanceof Error ? error.message : undefined,
        fix: 'Check clientId and clientSecret of introspection.',
      })
    }
  }

  async #server(): Promise<AuthorizationServer> {
    const issuer = this.issuer.name
    const endpoint = this.#options.url ?? (await this.issuer.metadata()).introspection_endpoint
    if (typeof endpoint === 'string') return { issuer, introspection_endpoint: endpoint }
    throw oauthError('server_metadata', 'the issuer publishes no introspection endpoint', {
      url: issuer,
      expected: 'a string member "introspection_endpoint"',
      found: quote(endpoint),
      fix: 'Give introspection.url.',
    })
  }
}

/** The same checks that a JWT gets: an active token may still be meant for another server. */
function checkClaims(claims: JsonObject, issuer: string, rules: JwtRules): JsonObject {
  if (claims.active !== true) throw invalidToken('The token is not active')
  if (claims.iss !== undefined && claims.iss !== issuer) {
    throw invalidToken('The token has an unacceptable iss claim')
  }
  const now = Date.now()
  const { exp, nbf, aud } = claims
  if (typeof exp === 'number' && exp * 1000 + rules.clockToleranceMs <= now) {
    throw invalidToken('The token has expired')
  }
  if (typeof nbf === 'number' && nbf * 1000 - rules.clockToleranceMs > now) {
    throw invalidToken('The token is not valid yet')
  }
  if (rules.audiences) {
    const found = Array.isArray(aud) ? aud : [aud]
    if (aud === undefined) throw invalidToken('The token has no aud claim')
    if (!rules.audiences.some((audience) => found.includes(audience))) {
      throw invalidToken('The token was issued for another audience than this server')
    }
  }
  return claims
}
