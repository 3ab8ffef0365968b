import { acquireTokens, refreshTokens } from './grants/acquire-tokens.ts'
import type { RegistrationContext } from './grants/client-registration.ts'
import { shouldUseDpop } from './grants/dpop.ts'
import { oauthCheck, oauthError, quote } from './http/oauth-error.ts'
import { discoverResource, type ProtectedResource } from './discovery/resource-metadata.ts'
import { selectScopes, unionScopes } from './discovery/scopes.ts'
import { type AuthServer, discoverAuthServer, discoverLegacyAuthServer } from './discovery/server-metadata.ts'
import { LostLock } from './tokens/token-keeper.ts'
import type { TokenSet } from './tokens/token-set.ts'
import type { IsHeld } from './tokens/token-storage.ts'
import type { OAuthChallenge } from './discovery/www-authenticate.ts'

export interface Findings {
  readonly resource: ProtectedResource | undefined
  readonly server: AuthServer
}

/** Discovery and token requests for one MCP server. It does not decide when they are made. */
export class ResourceSession {
  readonly serverUrl: URL
  readonly #context: RegistrationContext
  readonly #servers: Map<string, AuthServer>

  constructor(serverUrl: URL, context: RegistrationContext, servers: Map<string, AuthServer> = new Map()) {
    this.serverUrl = serverUrl
    this.#context = context
    this.#servers = servers
  }

  /** The same, ending when the signal is aborted. */
  until(signal: AbortSignal): ResourceSession {
    const context = { ...this.#context, http: this.#context.http.until(signal), signal }
    return new ResourceSession(this.serverUrl, context, this.#servers)
  }

  /** Asks the MCP server anew where its tokens come from: that may have changed. */
  async discover(challenge: OAuthChallenge, tokens: TokenSet | undefined): Promise<Findings> {
    const resource = await discoverResource(this.serverUrl, challenge.resourceMetadata, this.#context)
    const server = await this.#discoverServer(resource, tokens)
    this.#servers.set(server.issuer, server)
    return { resource, server }
  }

  /** A full authorization: new tokens with at least the scopes that are wanted. */
  acquire(findings: Findings, challenge: OAuthChallenge, tokens: TokenSet | undefined): Promise<TokenSet> {
    const { resource, server } = findings
    const { options } = this.#context
    const same = tokens?.issuer === server.issuer ? tokens : undefined
    const scopes = selectScopes({
      challenge: challenge.scope,
      chosen: options.scopes,
      supported: resource?.scopesSupported,
      previous: same && unionScopes(same.requestedScopes, same.grantedScopes),
    })
    const speaksDpop = challenge.schemes.includes('dpop') || resource?.dpop === true
    const useDpop = shouldUseDpop(options.dpop ?? 'auto', server, speaksDpop || same?.tokenType === 'DPoP')
    return acquireTokens({ server, resource: resource?.resource, scopes, useDpop }, this.#context)
  }

  /** New tokens of the same kind as before, for grants that need no user. */
  async reacquire(tokens: TokenSet): Promise<TokenSet> {
    const server = await this.serverOf(tokens)
    const useDpop = tokens.tokenType === 'DPoP'
    const { resource, requestedScopes: scopes } = tokens
    return acquireTokens({ server, resource, scopes, useDpop }, this.#context)
  }

  /** Undefined when the refresh token is spent, so that only a full authorization helps. */
  async refresh(tokens: TokenSet, isHeld: IsHeld): Promise<TokenSet | undefined> {
    const server = await this.serverOf(tokens)
    // Discovery was slow, or this process stood still: another may have redeemed the refresh token since.
    if (!isHeld()) throw new LostLock()
    const { step } = this.#context
    try {
      const renewed = await refreshTokens(tokens, server, this.#context)
      step({ step: 'refresh', outcome: 'ok', url: server.issuer })
      return renewed
    } catch (thrown) {
      step({ step: 'refresh', outcome: 'failed', url: server.issuer, reason: (thrown as Error).message })
      if (isRefusal(thrown)) return undefined
      throw thrown
    }
  }

  /** The authorization server that issued these tokens. No other server may see them. */
  async serverOf(tokens: TokenSet): Promise<AuthServer> {
    const known = this.#servers.get(tokens.issuer)
    if (known !== undefined) return known
    const server =
      tokens.resource === undefined && tokens.issuer === this.serverUrl.origin
        ? await discoverLegacyAuthServer(this.serverUrl, this.#context)
        : await discoverAuthServer(tokens.issuer, this.#context)
    this.#servers.set(tokens.issuer, server)
    return server
  }

  async #discoverServer(
    resource: ProtectedResource | undefined,
    tokens: TokenSet | undefined,
  ): Promise<AuthServer> {
    const { issuer, issuerAliases = {} } = this.#context.options
    if (resource === undefined) {
      // "Abort or use pre-configured values" (2026-07-28, discovery), or a server of revision 2025-03-26.
      if (issuer !== undefined) return discoverAuthServer(issuer, this.#context)
      return discoverLegacyAuthServer(this.serverUrl, this.#context)
    }
    const named = await this.#selectIssuer(resource.authorizationServers, tokens)
    return discoverAuthServer(named, this.#context, issuerAliases[named])
  }

  async #selectIssuer(named: readonly string[], tokens: TokenSet | undefined): Promise<string> {
    const { issuer, issuerAliases = {}, selectIssuer } = this.#context.options
    const find = (published: string | undefined): string | undefined =>
      published === undefined ? undefined : named.find((name) => (issuerAliases[name] ?? name) === published)
    if (issuer !== undefined) {
      const match = find(issuer)
      if (match !== undefined) return match
      throw oauthError('client_issuer_mismatch', 'the MCP server no longer uses the configured issuer', {
        url: this.serverUrl.href,
        expected: quote(issuer),
        found: quote(named.join(' ')),
        fix: 'No credentials were sent. If the change is right, register with the new server and set issuer to it.',
      })
    }
    const chosen = (await selectIssuer?.(named)) ?? find(tokens?.issuer) ?? (named[0] as string)
    if (named.includes(chosen)) return chosen
    throw oauthError('options', 'selectIssuer chose a server that the resource metadata does not name', {
      expected: `one of ${named.join(', ')}`,
      found: quote(chosen),
    })
  }
}

/** An answer of the token endpoint that will be the same next time. */
function isRefusal(thrown: unknown): boolean {
  if (oauthCheck(thrown) !== 'token_response') return false
  const { error } = (thrown as { details: Record<string, unknown> }).details
  return error !== undefined && error !== 'temporarily_unavailable' && error !== 'server_error'
}
