import type { TokenEndpointResponse } from 'oauth4webapi'
import { parseUrl } from '../../protocol/index.ts'
import type { ClientInformation } from '../tokens/client-information.ts'
import {
  clientKey,
  obtainClient,
  registeredRedirect,
  type RegistrationContext,
} from './client-registration.ts'
import { DpopKey } from './dpop.ts'
import { oauthCheck, oauthError, quote } from '../http/oauth-error.ts'
import type { Redirect } from '../oauth-options.ts'
import { loginRequired, runGrant, tokenRequest } from './run-grant.ts'
import { isLoopback } from '../http/safe-url.ts'
import { unionScopes, withOfflineAccess } from '../discovery/scopes.ts'
import { type AuthServer, requirePkce } from '../discovery/server-metadata.ts'
import { requestToken } from './token-request.ts'
import type { TokenSet } from '../tokens/token-set.ts'

export interface Acquisition {
  readonly server: AuthServer
  readonly resource: string | undefined
  readonly scopes: readonly string[]
  readonly useDpop: boolean
}

/** From nothing to tokens: who are we there, then the grant. */
export async function acquireTokens(wanted: Acquisition, context: RegistrationContext): Promise<TokenSet> {
  const { server, resource } = wanted
  const { grant = 'authorization_code', redirect, offlineAccess = true } = context.options
  const withUser = grant === 'authorization_code'
  if (withUser) requirePkce(server)
  if (withUser && redirect === undefined) throw loginRequired(server.issuer)
  let client: ClientInformation | undefined
  let failure: unknown
  try {
    const redirectUri =
      withUser && redirect
        ? await redirectUriOf(redirect, await registeredRedirect(server, context))
        : undefined
    client = await obtainClient(server, redirectUri, context)
    const dpop = wanted.useDpop ? await DpopKey.generate() : undefined
    const scopes = withUser && offlineAccess ? withOfflineAccess(wanted.scopes, server) : wanted.scopes
    const answer = await runGrant({ server, client, redirectUri, scopes, resource, dpop }, context)
    return toTokenSet(
      answer,
      { server, resource, client, scopes: wanted.scopes, dpop, via: 'grant' },
      context,
    )
  } catch (thrown) {
    failure = thrown
    if (client?.source === 'registered' && mayBeForgotten(thrown)) {
      await context.storage.remove(clientKey(server.issuer))
    }
    throw thrown
  } finally {
    if (withUser) await redirect?.close?.(failure)
  }
}

/** From a refresh token to new tokens, at the server that issued it. Throws `invalid_grant` when it is spent. */
export async function refreshTokens(
  tokens: TokenSet,
  server: AuthServer,
  context: RegistrationContext,
): Promise<TokenSet> {
  const { client, resource, refreshToken } = tokens
  const dpop = tokens.dpopKey === undefined ? undefined : await DpopKey.fromJwk(tokens.dpopKey)
  const parameters = { refresh_token: refreshToken, resource }
  const request = await tokenRequest({ server, client, dpop }, 'refresh_token', parameters, context.options)
  // The life of a token may begin as soon as it is asked for, however late the answer is.
  const asked = Date.now()
  const answer = await requestToken(request, context)
  const scopes = tokens.requestedScopes
  const renewed = toTokenSet(
    answer,
    { server, resource, client, scopes, dpop, via: 'refresh', asked },
    context,
  )
  // Without a new refresh token the old refresh token stays valid; without a scope the grant did not change.
  return {
    ...renewed,
    refreshToken: renewed.refreshToken ?? refreshToken,
    grantedScopes: renewed.grantedScopes ?? tokens.grantedScopes,
  }
}

function toTokenSet(
  answer: TokenEndpointResponse,
  facts: {
    server: AuthServer
    resource: string | undefined
    client: ClientInformation
    scopes: readonly string[]
    dpop: DpopKey | undefined
    via: TokenSet['via']
    asked?: number
  },
  context: RegistrationContext,
): TokenSet {
  const { server, resource, client, scopes, dpop, via, asked: now = Date.now() } = facts
  const bound = answer.token_type === 'dpop'
  if (bound !== (dpop !== undefined) && (bound || context.options.dpop === true)) {
    throw oauthError(
      'dpop',
      bound ? 'a token is bound to a key that we do not have' : 'the token is not bound',
      {
        url: server.issuer,
        expected: `token_type ${dpop === undefined ? 'Bearer' : 'DPoP'}`,
        found: quote(answer.token_type),
        fix: bound ? undefined : 'Set dpop to "auto" to accept bearer tokens.',
      },
    )
  }
  const grantedScopes = answer.scope?.split(/\s+/).filter(Boolean)
  const lifetime = answer.expires_in
  const info = { issuer: server.issuer, scopes: grantedScopes ?? scopes, expiresIn: lifetime, via }
  context.step({
    step: 'tokens',
    outcome: 'ok',
    info: { ...info, refreshable: answer.refresh_token !== undefined },
  })
  return {
    accessToken: answer.access_token,
    tokenType: bound ? 'DPoP' : 'Bearer',
    refreshToken: answer.refresh_token,
    obtainedAt: now,
    expiresAt: lifetime === undefined ? undefined : now + lifetime * 1000,
    via,
    requestedScopes: unionScopes(scopes),
    grantedScopes,
    issuer: server.issuer,
    resource,
    client,
    dpopKey: bound ? dpop?.privateJwk : undefined,
  }
}

/** "All redirect URIs MUST be either localhost or use HTTPS" (2026-07-28, "Communication Security"). */
async function redirectUriOf(redirect: Redirect, registered: string | undefined): Promise<string> {
  const uri = typeof redirect.uri === 'function' ? await redirect.uri(registered) : redirect.uri
  const url = parseUrl(uri)
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url))
  if (safe && url?.hash === '') return uri
  throw oauthError('options', 'the redirect URI is not safe', {
    expected: 'an https URL, or http on loopback, without a fragment',
    found: quote(uri),
  })
}

/** Failures after which an earlier registration is suspect: refused, or the user was left on an error page. */
function mayBeForgotten(thrown: unknown): boolean {
  const check = oauthCheck(thrown)
  if (check === 'timeout') return true
  if (check !== 'token_response' && check !== 'authorization_denied') return false
  const { error } = (thrown as { details: Record<string, unknown> }).details
  return error === 'invalid_client' || error === 'unauthorized_client'
}
