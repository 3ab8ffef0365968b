import { parseDuration } from '../../protocol/parse-duration.ts'
import { decodeJwt } from 'jose'
import { None, type TokenEndpointResponse } from 'oauth4webapi'
import { authorizeUser } from './authorize-user.ts'
import { clientAuthentication, clientSecretBasic } from './client-authentication.ts'
import type { ClientInformation } from '../tokens/client-information.ts'
import type { RegistrationContext } from './client-registration.ts'
import type { DpopKey } from './dpop.ts'
import { oauthError, quote } from '../http/oauth-error.ts'
import type { IdentityProvider, OAuthOptions, Secret, SecretContext } from '../oauth-options.ts'
import type { AuthServer } from '../discovery/server-metadata.ts'
import { requestToken, type TokenRequest } from './token-request.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token'

export interface GrantInput {
  readonly server: AuthServer
  readonly client: ClientInformation
  readonly redirectUri: string | undefined
  readonly scopes: readonly string[]
  readonly resource: string | undefined
  readonly dpop: DpopKey | undefined
}

/** Obtains tokens by the grant that the options name. No grant is ever replaced by another. */
export async function runGrant(
  input: GrantInput,
  context: RegistrationContext,
): Promise<TokenEndpointResponse> {
  const { grant = 'authorization_code' } = context.options
  if (grant === 'authorization_code') return authorizationCode(input, context)
  const scope = input.scopes.length > 0 ? input.scopes.join(' ') : undefined
  const base = { scope, resource: input.resource }
  if (typeof grant === 'string') {
    return requestToken(await tokenRequest(input, 'client_credentials', base, context.options), context)
  }
  const assertion =
    grant.type === 'enterprise'
      ? await exchangeIdToken(grant.idp, input, context)
      : await workloadAssertion(grant.assertion, input, context.options)
  return requestToken(await tokenRequest(input, JWT_BEARER, { assertion, ...base }, context.options), context)
}

/** A token request as this client, with its authentication and its DPoP key. */
export async function tokenRequest(
  input: Pick<GrantInput, 'server' | 'client' | 'dpop'>,
  grantType: string,
  parameters: TokenRequest['parameters'],
  options: OAuthOptions,
): Promise<TokenRequest> {
  const { server, client, dpop } = input
  const authentication = await clientAuthentication(client, server, options.privateKey)
  return { server, clientId: client.clientId, authentication, grantType, parameters, dpop }
}

async function authorizationCode(
  input: GrantInput,
  context: RegistrationContext,
): Promise<TokenEndpointResponse> {
  const { redirect, signInTimeout = '5m' } = context.options
  const { server, client, redirectUri, scopes, resource, dpop } = input
  if (redirect === undefined || redirectUri === undefined) throw loginRequired(server.issuer)
  const dpopThumbprint = await dpop?.thumbprint()
  const { code, codeVerifier } = await authorizeUser(
    {
      server,
      client,
      redirect,
      redirectUri,
      scopes,
      resource,
      dpopThumbprint,
      timeoutMs: parseDuration(signInTimeout),
      signal: context.signal,
    },
    context,
  )
  const parameters = { code, code_verifier: codeVerifier, redirect_uri: redirectUri, resource }
  return requestToken(await tokenRequest(input, 'authorization_code', parameters, context.options), context)
}

export function loginRequired(issuer: string): Error {
  return oauthError('login_required', 'a user must sign in, and there is no way to show the page', {
    url: issuer,
    fix: 'Give redirect, for instance loopbackRedirect() of @gantry/mcp/auth/node.',
  })
}

function secretContext({ server, resource }: GrantInput): SecretContext {
  return { issuer: server.issuer, tokenEndpoint: String(server.metadata.token_endpoint), resource }
}

function resolveSecret(secret: Secret, context: SecretContext): string | Promise<string> {
  return typeof secret === 'string' ? secret : secret(context)
}

/** The platform's assertion for this server. Without a configured issuer its audience decides. */
async function workloadAssertion(secret: Secret, input: GrantInput, options: OAuthOptions): Promise<string> {
  const context = secretContext(input)
  const assertion = await resolveSecret(secret, context)
  if (options.issuer !== undefined) return assertion
  const audience = audienceOf(assertion)
  const accepted = [context.issuer, context.tokenEndpoint].map(withoutSlash)
  if (audience.some((entry) => accepted.includes(withoutSlash(entry)))) return assertion
  throw oauthError('client_issuer_mismatch', 'the assertion is for another authorization server', {
    url: context.issuer,
    expected: `audience ${quote(context.issuer)}`,
    found: quote(audience.join(' ')),
    fix: 'It was not sent. Request it for this audience, or set issuer if the server takes this one.',
  })
}

function audienceOf(assertion: string): string[] {
  try {
    const { aud } = decodeJwt(assertion)
    return aud === undefined ? [] : [aud].flat()
  } catch (cause) {
    throw oauthError('client_authentication', 'the assertion is not a JWT', { cause })
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

/** Enterprise-managed authorization, first half: the ID token becomes an ID-JAG at the identity provider. */
async function exchangeIdToken(
  idp: IdentityProvider,
  input: GrantInput,
  context: RegistrationContext,
): Promise<string> {
  const { server, scopes, resource } = input
  const http = context.http.trusting(idp.tokenEndpoint)
  const tokenEndpoint = http.check(idp.tokenEndpoint, 'The token endpoint of the identity provider').href
  const idpServer: AuthServer = {
    issuer: tokenEndpoint,
    metadata: { issuer: tokenEndpoint, token_endpoint: tokenEndpoint },
    source: 'metadata',
  }
  const answer = await requestToken(
    {
      server: idpServer,
      clientId: idp.clientId,
      authentication: idp.clientSecret === undefined ? None() : clientSecretBasic(idp.clientSecret),
      grantType: TOKEN_EXCHANGE,
      parameters: {
        subject_token: await resolveSecret(idp.idToken, secretContext(input)),
        subject_token_type: ID_TOKEN,
        requested_token_type: ID_JAG,
        audience: server.issuer,
        resource,
        scope: scopes.length > 0 ? scopes.join(' ') : undefined,
      },
      tokenTypes: ['n_a'],
    },
    { http, step: context.step },
  )
  if (answer.issued_token_type !== ID_JAG) {
    throw oauthError('token_response', 'the identity provider issued another kind of token', {
      url: tokenEndpoint,
      expected: ID_JAG,
      found: quote(answer.issued_token_type),
    })
  }
  return answer.access_token
}
