import {
  allowInsecureRequests,
  type ClientAuth,
  customFetch,
  genericTokenEndpointRequest,
  isDPoPNonceError,
  processGenericTokenEndpointResponse,
  ResponseBodyError,
  type TokenEndpointResponse,
  processRevocationResponse,
  revocationRequest,
} from 'oauth4webapi'
import { isJsonObject, McpError } from '../../jsonrpc/index.ts'
import type { DpopKey } from './dpop.ts'
import type { DiscoveryContext } from '../discovery/metadata-document.ts'
import { oauthError, quote } from '../http/oauth-error.ts'
import type { AuthServer } from '../discovery/server-metadata.ts'
import { clientAuthentication } from './client-authentication.ts'
import type { RegistrationContext } from './client-registration.ts'
import type { TokenSet } from '../tokens/token-set.ts'

export interface TokenRequest {
  readonly server: AuthServer
  readonly clientId: string
  readonly authentication: ClientAuth
  readonly grantType: string
  readonly parameters: Readonly<Record<string, string | undefined>>
  readonly dpop?: DpopKey | undefined
  /** Other token types than Bearer and DPoP that are fine here, in lower case. */
  readonly tokenTypes?: readonly string[]
}

/** Sends one token request, again with the nonce when the server wants one, and checks the answer. */
export async function requestToken(
  request: TokenRequest,
  { http, step }: DiscoveryContext,
): Promise<TokenEndpointResponse> {
  const { server, grantType, dpop } = request
  const url = String(server.metadata.token_endpoint)
  const client = { client_id: request.clientId }
  const parameters = definedOnly(request.parameters)
  for (let attempt = 0; ; attempt += 1) {
    step({ step: 'token-request', outcome: 'ok', url, info: { grant: grantType, dpop: dpop !== undefined } })
    const headers = new Headers()
    if (dpop) headers.set('dpop', await dpop.proof({ url, method: 'POST' }, 'authorization-server'))
    const response = await genericTokenEndpointRequest(
      server.metadata,
      client,
      request.authentication,
      grantType,
      parameters,
      { headers, [customFetch]: http.sender('The token endpoint'), [allowInsecureRequests]: true },
    )
    const newNonce = dpop?.remember(response, url, 'authorization-server') ?? false
    try {
      const recognizedTokenTypes = Object.fromEntries(
        (request.tokenTypes ?? []).map((type) => [type, () => {}]),
      )
      const readable = await withoutDistractions(response)
      return await processGenericTokenEndpointResponse(server.metadata, client, readable, {
        recognizedTokenTypes,
      })
    } catch (thrown) {
      if (attempt === 0 && newNonce && isDPoPNonceError(thrown)) continue
      const error = tokenError(thrown, response.status, url, grantType)
      step({ step: 'token-request', outcome: 'failed', url, status: response.status, reason: error.message })
      throw error
    }
  }
}

function definedOnly(parameters: TokenRequest['parameters']): Record<string, string> {
  const defined: Record<string, string> = {}
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) defined[name] = value
  return defined
}

/** Removes what the library would stumble over: a challenge beside an error, and an ID token. */
async function withoutDistractions(response: Response): Promise<Response> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  if (!isJsonObject(body)) return new Response(await response.text(), { status: response.status })
  const { id_token: _, ...rest } = body
  return Response.json(rest, { status: response.status })
}

function tokenError(thrown: unknown, status: number, url: string, grantType: string): McpError {
  if (thrown instanceof McpError) return thrown
  if (thrown instanceof ResponseBodyError) {
    const text = thrown.error_description
    return oauthError('token_response', `the token endpoint refused the ${grantType} grant`, {
      url,
      status,
      error: thrown.error,
      found: `${quote(thrown.error)}${text === undefined ? '' : `: ${quote(text)}`}`,
      fix: FIXES[thrown.error],
    })
  }
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return oauthError('token_response', 'the token endpoint’s answer cannot be used', {
    url,
    status,
    found: `HTTP status ${status}: ${reason}`,
  })
}

const FIXES: Readonly<Record<string, string>> = {
  invalid_client: 'The client is not known there or its credentials are wrong.',
  invalid_grant:
    'The code, assertion or refresh token is expired, used or revoked, or was issued to another client.',
  invalid_scope: 'The server does not grant these scopes to this client.',
  invalid_target: 'The server does not issue tokens for this resource.',
  unauthorized_client: 'The client may not use this grant there.',
  unsupported_grant_type: 'The server does not support this grant.',
}

/** Revokes the refresh token and the access token (RFC 7009). A failure is traced; the user is signed out. */
export async function revokeTokens(
  tokens: TokenSet,
  findServer: () => Promise<AuthServer>,
  context: RegistrationContext,
): Promise<void> {
  const { http, step, options } = context
  try {
    const server = await findServer()
    const url = server.metadata.revocation_endpoint
    if (url === undefined) return step({ step: 'signed-out', outcome: 'absent', url: server.issuer })
    const authentication = await clientAuthentication(tokens.client, server, options.privateKey)
    const client = { client_id: tokens.client.clientId }
    for (const hint of ['refresh_token', 'access_token'] as const) {
      const token = hint === 'refresh_token' ? tokens.refreshToken : tokens.accessToken
      if (token === undefined) continue
      const response = await revocationRequest(server.metadata, client, authentication, token, {
        additionalParameters: { token_type_hint: hint },
        [customFetch]: http.sender('The revocation endpoint'),
        [allowInsecureRequests]: true,
      })
      await processRevocationResponse(response)
    }
    step({ step: 'signed-out', outcome: 'ok', url })
  } catch (thrown) {
    step({ step: 'signed-out', outcome: 'failed', reason: (thrown as Error).message })
  }
}
