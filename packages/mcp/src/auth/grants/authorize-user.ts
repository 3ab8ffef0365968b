import {
  AuthorizationResponseError,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from 'oauth4webapi'
import { McpError } from '../../jsonrpc/index.ts'
import type { ClientInformation } from '../tokens/client-information.ts'
import type { DiscoveryContext } from '../discovery/metadata-document.ts'
import { oauthError, quote } from '../http/oauth-error.ts'
import { cancelled } from '../http/oauth-http.ts'
import type { AuthorizationResponse, Redirect } from '../oauth-options.ts'
import type { AuthServer } from '../discovery/server-metadata.ts'

export interface UserAuthorization {
  readonly server: AuthServer
  readonly client: ClientInformation
  readonly redirect: Redirect
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly resource: string | undefined
  /** Thumbprint of the DPoP key, which then also binds the code (RFC 9449, section 10). */
  readonly dpopThumbprint?: string | undefined
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Sends the user to the authorization server and returns the code, which is checked, with its verifier. */
export async function authorizeUser(
  request: UserAuthorization,
  { step }: DiscoveryContext,
): Promise<{ code: string; codeVerifier: string }> {
  const { server, client, scopes, resource } = request
  const codeVerifier = generateRandomCodeVerifier()
  const state = generateRandomState()
  const url = await authorizationUrl(request, codeVerifier, state)
  const info = { issuer: server.issuer, clientId: client.clientId, scopes, resource }
  step({ step: 'authorization-request', outcome: 'ok', url: url.origin + url.pathname, info })
  const answer = await waitForAnswer(request, url.href, state)
  try {
    const code = checkAnswer(answer, state, request)
    step({ step: 'authorization-response', outcome: 'ok' })
    return { code, codeVerifier }
  } catch (thrown) {
    step({ step: 'authorization-response', outcome: 'failed', reason: (thrown as Error).message })
    throw thrown
  }
}

async function authorizationUrl(request: UserAuthorization, verifier: string, state: string): Promise<URL> {
  const { server, client, redirectUri, scopes, resource, dpopThumbprint } = request
  const endpoint = server.metadata.authorization_endpoint
  if (endpoint === undefined) {
    throw oauthError('server_metadata', 'the authorization server has no authorization_endpoint', {
      url: server.issuer,
      fix: 'It has no sign-in for users; use a grant for clients.',
    })
  }
  const url = new URL(endpoint)
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource,
    scope: scopes.length > 0 ? scopes.join(' ') : undefined,
    // OpenID Connect Core, section 11: offline access is granted only with consent.
    prompt: scopes.includes('offline_access') ? 'consent' : undefined,
    dpop_jkt: dpopThumbprint,
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url
}

async function waitForAnswer(
  request: UserAuthorization,
  url: string,
  state: string,
): Promise<URLSearchParams> {
  const { redirect, timeoutMs, signal: ended } = request
  const abort = new AbortController()
  const stop = (reason: Error): void => abort.abort(reason)
  const onEnded = (): void => stop(cancelled(ended as AbortSignal))
  if (ended?.aborted) onEnded()
  ended?.addEventListener('abort', onEnded, { once: true })
  const timer = setTimeout(() => {
    const expected = `an answer within ${timeoutMs} ms`
    const fix = 'Try again, or raise signInTimeout.'
    stop(oauthError('timeout', 'the user did not finish signing in', { expected, fix }))
  }, timeoutMs)
  const stopped = new Promise<never>((_, reject) => {
    abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true })
  })
  const answered = (async () => {
    abort.signal.throwIfAborted()
    await redirect.open(url)
    return toParameters(await redirect.waitForCode({ state, signal: abort.signal }))
  })()
  answered.catch(() => {})
  try {
    return await Promise.race([answered, stopped])
  } catch (thrown) {
    if (thrown instanceof McpError) throw thrown
    throw oauthError(
      'authorization_response',
      'the user could not be sent to sign in, or did not come back',
      { found: thrown instanceof Error ? thrown.message : String(thrown), cause: thrown },
    )
  } finally {
    clearTimeout(timer)
    ended?.removeEventListener('abort', onEnded)
  }
}

function toParameters(answer: AuthorizationResponse): URLSearchParams {
  if (answer instanceof URLSearchParams) return answer
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(answer)) {
    if (typeof value === 'string') parameters.set(name, value)
  }
  return parameters
}

/** RFC 9207: checks the issuer first, so that nothing of a foreign answer is used; then state and code. */
function checkAnswer(answer: URLSearchParams, state: string, { server, client }: UserAuthorization): string {
  const issuers = answer.getAll('iss')
  const announced = server.metadata.authorization_response_iss_parameter_supported === true
  if (
    issuers.length > 1 ||
    (issuers.length === 0 && announced) ||
    (issuers[0] ?? server.issuer) !== server.issuer
  ) {
    throw oauthError(
      'response_issuer',
      'the answer does not come from the authorization server that was asked',
      {
        expected: `iss ${quote(server.issuer)}`,
        found: issuers.length === 0 ? 'no iss, though the server announces it' : quote(issuers.join(' ')),
        fix: 'The code was not used. If this was no attack, the issuer in its metadata and its iss must be identical.',
      },
    )
  }
  if (answer.getAll('state').length !== 1 || answer.get('state') !== state) {
    throw oauthError('response_state', 'the answer belongs to another sign-in', {
      expected: 'the state that was sent',
      found: answer.has('state') ? 'another one' : 'none',
      fix: 'The code was not used. Close old sign-in pages and try again.',
    })
  }
  try {
    const checked = validateAuthResponse(server.metadata, { client_id: client.clientId }, answer, state)
    const code = checked.get('code')
    if (code) return code
  } catch (thrown) {
    if (!(thrown instanceof AuthorizationResponseError)) throw unusable(thrown)
    const text = thrown.error_description
    throw oauthError('authorization_denied', 'the authorization server did not grant access', {
      url: server.issuer,
      error: thrown.error,
      found: `${quote(thrown.error)}${text === undefined ? '' : `: ${quote(text)}`}`,
      fix: thrown.error === 'access_denied' ? 'The user or a policy said no.' : undefined,
    })
  }
  throw unusable(new Error('no code'))
}

function unusable(thrown: unknown): McpError {
  const found = thrown instanceof Error ? thrown.message : String(thrown)
  return oauthError('authorization_response', 'the answer of the authorization server cannot be used', {
    expected: 'one code',
    found,
  })
}
