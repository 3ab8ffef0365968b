import { parseDuration } from '../protocol/parse-duration.ts'
import { decodeJwt } from 'jose'
import type { AuthProvider, AuthRequest, RefusedRequest } from './auth-provider.ts'
import type { RegistrationContext } from './grants/client-registration.ts'
import { DpopKey } from './grants/dpop.ts'
import { oauthError, quote } from './http/oauth-error.ts'
import { OAuthHttp } from './http/oauth-http.ts'
import { checkOptions, type OAuthOptions } from './oauth-options.ts'
import type { OAuthStep } from './http/oauth-step.ts'
import { ResourceSession } from './resource-session.ts'
import { revokeTokens } from './grants/token-request.ts'
import { TokenKeeper } from './tokens/token-keeper.ts'
import { TokenRenewal } from './token-renewal.ts'
import { isExpired, isExpiring, type TokenSet } from './tokens/token-set.ts'
import { memoryStorage, type TokenStorage } from './tokens/token-storage.ts'
import { type OAuthChallenge, readChallenge } from './discovery/www-authenticate.ts'

/** The state of the present sign-in, without secrets. */
export interface OAuthStatus {
  readonly signedIn: boolean
  readonly issuer?: string | undefined
  readonly clientId?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly expiresAt?: number | undefined
  readonly refreshable?: boolean
}

/** An AuthProvider with what a user interface needs: signing in and out, and the state of that. */
export interface OAuthProvider extends AuthProvider {
  /** Signs in now, without waiting for a 401. Needs `serverUrl`, or a request before it. */
  signIn(options?: { signal?: AbortSignal }): Promise<void>
  /** Revokes the tokens where the server can do that, and forgets them in any case. */
  signOut(): Promise<void>
  status(): Promise<OAuthStatus>
}

/** The parts that are made when the server's URL is known. */
interface Bound {
  readonly serverUrl: URL
  readonly context: RegistrationContext
  readonly session: ResourceSession
  readonly keeper: TokenKeeper
  readonly renewal: TokenRenewal
  /** Throws when tokens would travel to the server in the clear. */
  checkServer(): void
}

/** The provider behind `oauth()`: puts tokens on requests and has them renewed. */
export class OAuthTokenProvider implements OAuthProvider {
  readonly #options: OAuthOptions
  readonly #storage: TokenStorage
  #bound: Bound | undefined
  /** The last address that was found to be the server's. */
  #boundUrl: string | undefined
  #dpop: { readonly x: string | undefined; readonly key: DpopKey } | undefined

  constructor(options: OAuthOptions) {
    checkOptions(options)
    this.#options = options
    this.#storage = options.storage ?? memoryStorage()
    if (options.serverUrl !== undefined) this.#bind(String(options.serverUrl))
  }

  /** Returns at once when there is nothing to put on a request. */
  authorize(request: AuthRequest): void | Promise<void> {
    if (request.url === this.#boundUrl && this.#bound?.keeper.hasNone) return undefined
    return this.#authorize(request)
  }

  async #authorize(request: AuthRequest): Promise<void> {
    const { keeper, checkServer } = this.#bind(request.url)
    const tokens = await this.#fresh(await keeper.load(), request)
    if (tokens === undefined || isExpired(tokens)) return
    checkServer()
    const { tokenType, accessToken } = tokens
    request.headers.set('authorization', `${tokenType} ${accessToken}`)
    if (tokenType !== 'DPoP') return
    const key = await this.#keyOf(tokens)
    const { url, method } = request
    request.headers.set('dpop', await key.proof({ url, method, accessToken }, 'resource'))
  }

  async onUnauthorized(response: Response, request: RefusedRequest): Promise<boolean> {
    const { keeper, renewal, context, checkServer } = this.#bind(request.url)
    const challenge = readChallenge(response)
    const { scope, error, schemes, resourceMetadata } = challenge
    // RFC 6750 wants 403 with it; servers that answer 401 mean the same.
    const stepUp = error === 'insufficient_scope'
    if (response.status !== 401 && !(response.status === 403 && stepUp)) return false
    checkServer()
    const info = { schemes, scope, error, resourceMetadata }
    context.step({ step: 'challenge', outcome: 'ok', url: request.url, status: response.status, info })
    if (!stepUp && (await this.#tookNonce(response, request, challenge))) return true
    const sent = request.headers === undefined ? keeper.current?.accessToken : sentToken(request.headers)
    if (stepUp) {
      const need = `scopes ${[...(scope ?? [])].sort().join(' ')}`
      await keeper.share(need, (signal) => renewal.stepUp(sent, challenge, signal), request.signal)
    } else {
      const need = `instead of ${sent}`
      await keeper.share(need, (signal) => renewal.replace(sent, challenge, signal), request.signal)
    }
    return true
  }

  async signIn(options: { signal?: AbortSignal } = {}): Promise<void> {
    const { keeper, renewal, checkServer } = this.#boundOrThrow()
    checkServer()
    await keeper.share('sign in', (signal) => renewal.signIn(signal), options.signal)
  }

  async signOut(): Promise<void> {
    const { keeper, session, context } = this.#boundOrThrow()
    await keeper.exclusively('sign out', async () => {
      const tokens = await keeper.reload()
      await keeper.clear()
      if (tokens !== undefined) await revokeTokens(tokens, () => session.serverOf(tokens), context)
    })
  }

  async status(): Promise<OAuthStatus> {
    const tokens = await this.#bound?.keeper.load()
    if (tokens === undefined) return { signedIn: false }
    const { issuer, expiresAt, grantedScopes, requestedScopes, refreshToken } = tokens
    return {
      signedIn: refreshToken !== undefined || !isExpired(tokens),
      issuer,
      clientId: tokens.client.clientId,
      scopes: grantedScopes ?? requestedScopes,
      expiresAt,
      refreshable: refreshToken !== undefined,
    }
  }

  /** Renews shortly before the expiry, so that no request meets it. */
  async #fresh(tokens: TokenSet | undefined, request: AuthRequest): Promise<TokenSet | undefined> {
    if (tokens === undefined || !isExpiring(tokens)) return tokens
    const { keeper, renewal } = this.#boundOrThrow()
    if (tokens.refreshToken === undefined && renewal.needsUser) return tokens
    try {
      return await keeper.exclusively('early', (...given) => renewal.early(...given), request.signal)
    } catch (thrown) {
      if (isExpired(tokens) || request.signal?.aborted) throw thrown
      return tokens
    }
  }

  /** RFC 9449, section 9: true when the server only wants its nonce in the proof, and the proof had another. */
  async #tookNonce(response: Response, request: RefusedRequest, challenge: OAuthChallenge): Promise<boolean> {
    const tokens = this.#bound?.keeper.current
    if (tokens?.tokenType !== 'DPoP') return false
    const key = await this.#keyOf(tokens)
    const isNew = key.remember(response, request.url, 'resource')
    if (challenge.error !== 'use_dpop_nonce') return false
    const proof = request.headers?.get('dpop')
    const nonce = response.headers.get('dpop-nonce')
    const proofHadIt = proof ? decodeJwt(proof).nonce === nonce : !isNew
    if (nonce !== null && !proofHadIt) return true
    const found = nonce === null ? 'no DPoP-Nonce header' : 'the nonce that the proof already had'
    throw oauthError('dpop', 'the server wants a DPoP nonce that it does not give', {
      url: request.url,
      found,
    })
  }

  /** The nonces live in the key, so it is kept for as long as tokens are bound to it. */
  async #keyOf({ dpopKey }: TokenSet): Promise<DpopKey> {
    if (dpopKey === undefined) throw oauthError('dpop', 'the stored token has lost its key')
    if (this.#dpop === undefined || this.#dpop.x !== dpopKey.x) {
      this.#dpop = { x: dpopKey.x, key: await DpopKey.fromJwk(dpopKey) }
    }
    return this.#dpop.key
  }

  #boundOrThrow(): Bound {
    if (this.#bound !== undefined) return this.#bound
    throw oauthError('options', 'the server is not known yet', { fix: 'Give serverUrl.' })
  }

  /** Ties the provider to its server; a token never goes to another origin, whatever a redirect says. */
  #bind(requestUrl: string): Bound {
    // Almost every request goes to the same place as the previous request.
    if (this.#bound !== undefined && requestUrl === this.#boundUrl) return this.#bound
    const url = new URL(requestUrl)
    this.#bound ??= this.#makeBound(url)
    const { serverUrl } = this.#bound
    if (url.origin === serverUrl.origin) {
      this.#boundUrl = requestUrl
      return this.#bound
    }
    throw oauthError('wrong_server', 'these credentials are for another server', {
      url,
      expected: quote(serverUrl.origin),
      found: quote(url.origin),
      fix: 'Nothing was sent. Make one provider per MCP server.',
    })
  }

  #makeBound(url: URL): Bound {
    const options = this.#options
    const serverUrl = new URL(url)
    serverUrl.hash = ''
    const http = new OAuthHttp({
      serverUrl,
      trustedHosts: options.trustedHosts ?? [],
      fetch: options.fetch,
      timeoutMs: parseDuration(options.timeout ?? '15s'),
      maxBytes: options.maxDocumentBytes ?? 262_144,
    })
    const step = (event: OAuthStep): void => this.#trace(event)
    const context = { http, step, options, storage: this.#storage }
    const { account = null, clientId = null } = options
    const keeper = new TokenKeeper(
      this.#storage,
      JSON.stringify(['tokens', serverUrl.href, account, clientId]),
    )
    const session = new ResourceSession(serverUrl, context)
    const renewal = new TokenRenewal(keeper, session, step, options)
    const checkServer = (): void => void http.check(serverUrl.href, 'The MCP server')
    return { serverUrl, context, session, keeper, renewal, checkServer }
  }

  #trace(event: OAuthStep): void {
    try {
      this.#options.onStep?.(event)
    } catch {
      // A listener that throws must not stop a sign-in.
    }
  }
}

function sentToken(headers: Headers): string | undefined {
  const header = headers.get('authorization')
  return header?.slice(header.indexOf(' ') + 1)
}
