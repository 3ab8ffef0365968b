import { decodeJwt } from 'jose'
import type { AuthProvider, AuthRequest, RefusedRequest } from './auth-provider.ts'
import type { RegistrationContext } from './client-registration.ts'
import { DpopKey } from './dpop.ts'
import { oauthError, quote } from './oauth-error.ts'
import { OAuthHttp } from './oauth-http.ts'
import { checkOptions, type OAuthOptions } from './oauth-options.ts'
import type { OAuthStep } from './oauth-step.ts'
import { RefusalCounter } from './refusal-counter.ts'
import { ResourceSession } from './resource-session.ts'
import { revokeTokens } from './revoke-tokens.ts'
import { includesAll, unionScopes } from './scopes.ts'
import { TokenKeeper } from './token-keeper.ts'
import { isExpired, isExpiring, type TokenSet } from './token-set.ts'
import { memoryStorage, type TokenStorage } from './token-storage.ts'
import { type OAuthChallenge, readChallenge } from './www-authenticate.ts'

/** What is known of the present sign-in; no secrets. */
export interface OAuthStatus {
  readonly signedIn: boolean
  readonly issuer?: string | undefined
  readonly clientId?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly expiresAt?: number | undefined
  readonly refreshable?: boolean
}

/** An AuthProvider with doors for a user interface. */
export interface OAuthProvider extends AuthProvider {
  /** Signs in now, without waiting for a 401. Needs `serverUrl`, or a request before it. */
  signIn(): Promise<void>
  /** Revokes the tokens where the server can do that, and forgets them in any case. */
  signOut(): Promise<void>
  status(): Promise<OAuthStatus>
}

const NO_CHALLENGE: OAuthChallenge = { schemes: [] }

/** What is made when the server's URL is known. */
interface Bound {
  readonly serverUrl: URL
  readonly session: ResourceSession
  readonly keeper: TokenKeeper
  readonly context: RegistrationContext
}

/** The provider behind `oauth()`: decides when tokens are used, renewed and obtained. */
export class OAuthTokenProvider implements OAuthProvider {
  readonly #options: OAuthOptions
  readonly #storage: TokenStorage
  readonly #refusals: RefusalCounter
  #bound: Bound | undefined
  #dpop: { readonly tokens: TokenSet; readonly key: DpopKey } | undefined

  constructor(options: OAuthOptions) {
    checkOptions(options)
    this.#options = options
    this.#storage = options.storage ?? memoryStorage()
    this.#refusals = new RefusalCounter(options.maxAttempts ?? 3)
    if (options.serverUrl !== undefined) this.#bind(String(options.serverUrl))
  }

  async authorize(request: AuthRequest): Promise<void> {
    const { keeper } = this.#bind(request.url)
    const tokens = await this.#fresh(await keeper.load())
    if (tokens === undefined || isExpired(tokens)) return
    request.headers.set('authorization', `${tokens.tokenType} ${tokens.accessToken}`)
    if (tokens.tokenType !== 'DPoP') return
    const key = await this.#keyOf(tokens)
    const { url, method } = request
    request.headers.set('dpop', await key.proof({ url, method, accessToken: tokens.accessToken }, 'resource'))
  }

  async onUnauthorized(response: Response, request: RefusedRequest): Promise<boolean> {
    const { keeper, context } = this.#bind(request.url)
    const challenge = readChallenge(response)
    const stepUp = response.status === 403 && challenge.error === 'insufficient_scope'
    if (response.status !== 401 && !stepUp) return false
    const { scope, error, schemes, resourceMetadata } = challenge
    const info = { schemes, scope, error, resourceMetadata }
    context.step({ step: 'challenge', outcome: 'ok', url: request.url, status: response.status, info })
    if (!stepUp && (await this.#tookNonce(response, request, challenge))) return true
    const sent =
      sentToken(request) ?? (request.headers === undefined ? keeper.current?.accessToken : undefined)
    if (stepUp) {
      const need = `scopes ${[...(scope ?? [])].sort().join(' ')}`
      await keeper.exclusively(need, () => this.#stepUp(challenge, sent))
    } else {
      await keeper.exclusively(`instead of ${sent}`, () => this.#replace(challenge, sent))
    }
    return true
  }

  async signIn(): Promise<void> {
    const { keeper, session } = this.#boundOrThrow()
    await keeper.exclusively('sign in', async () => {
      const tokens = await keeper.reload()
      const findings = await session.discover(NO_CHALLENGE, tokens)
      await keeper.save(await session.acquire(findings, NO_CHALLENGE, tokens))
    })
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

  /** Renews shortly before the expiry, so that no request meets it; the user is never disturbed here. */
  async #fresh(tokens: TokenSet | undefined): Promise<TokenSet | undefined> {
    if (tokens === undefined || !isExpiring(tokens)) return tokens
    const { keeper } = this.#boundOrThrow()
    if (tokens.refreshToken === undefined && this.#needsUser()) return tokens
    try {
      return await keeper.exclusively('early', () => this.#renewEarly())
    } catch (thrown) {
      if (isExpired(tokens)) throw thrown
      return tokens
    }
  }

  async #renewEarly(): Promise<TokenSet | undefined> {
    const { keeper, session } = this.#boundOrThrow()
    const tokens = await keeper.reload()
    if (tokens === undefined || !isExpiring(tokens)) return tokens
    if (tokens.refreshToken !== undefined) {
      const renewed = await session.refresh(tokens)
      if (renewed !== undefined) {
        await keeper.save(renewed)
        return renewed
      }
      await keeper.save({ ...tokens, refreshToken: undefined })
    }
    if (this.#needsUser()) return keeper.current
    await keeper.save(await session.reacquire(tokens))
    return keeper.current
  }

  /** After a 401: somebody's newer token, else a refresh, else a full authorization. */
  async #replace(challenge: OAuthChallenge, sent: string | undefined): Promise<void> {
    const { keeper, session, context, serverUrl } = this.#boundOrThrow()
    const tokens = await keeper.reload()
    if (tokens !== undefined && tokens.accessToken !== sent && !isExpired(tokens)) {
      context.step({ step: 'adopted', outcome: 'ok', info: { issuer: tokens.issuer } })
      return
    }
    const refusedFresh =
      tokens !== undefined && tokens.accessToken === sent && this.#refusals.count(tokens, serverUrl)
    const findings = await session.discover(challenge, tokens)
    const sameServer = tokens?.issuer === findings.server.issuer
    // A token that a refresh has just given and that is refused will not become better by another refresh.
    const mayRefresh =
      sameServer && tokens.refreshToken !== undefined && !(refusedFresh && tokens.via === 'refresh')
    const renewed = mayRefresh ? await session.refresh(tokens) : undefined
    await keeper.save(renewed ?? (await session.acquire(findings, challenge, tokens)))
  }

  /** After 403 `insufficient_scope`: a full authorization with more scopes, when that can change anything. */
  async #stepUp(challenge: OAuthChallenge, sent: string | undefined): Promise<void> {
    const { keeper, session, context, serverUrl } = this.#boundOrThrow()
    const tokens = await keeper.reload()
    const required = challenge.scope ?? []
    const granted = tokens?.grantedScopes
    if (tokens !== undefined && tokens.accessToken !== sent && granted && includesAll(granted, required))
      return
    const findings = await session.discover(challenge, tokens)
    const asked = unionScopes(tokens?.requestedScopes, granted)
    const isNew = !includesAll(asked, required)
    if (!isNew && ((granted && includesAll(granted, required)) || !this.#refusals.mayAskAgain(required))) {
      throw oauthError('insufficient_scope', 'the server wants more than the scopes that we asked for', {
        url: serverUrl,
        expected:
          required.length > 0 ? `scopes ${quote(required.join(' '))}` : 'scopes that it does not name',
        found: `a token for ${quote((granted ?? asked).join(' '))}`,
        fix: 'Asking again would change nothing: the user needs another role, or the server names the wrong scopes.',
      })
    }
    context.step({ step: 'step-up', outcome: 'ok', info: { required, before: asked } })
    await keeper.save(await session.acquire(findings, challenge, tokens))
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
    throw oauthError('dpop', 'the server refuses the nonce that it gave itself', { url: request.url })
  }

  async #keyOf(tokens: TokenSet): Promise<DpopKey> {
    // The nonces live in the key, so it is kept for as long as tokens are bound to it.
    const before = this.#dpop
    if (before?.tokens.dpopKey?.x === tokens.dpopKey?.x && before !== undefined) return before.key
    if (tokens.dpopKey === undefined) throw oauthError('dpop', 'the stored token has lost its key')
    const key = await DpopKey.fromJwk(tokens.dpopKey)
    this.#dpop = { tokens, key }
    return key
  }

  #needsUser(): boolean {
    return (this.#options.grant ?? 'authorization_code') === 'authorization_code'
  }

  #boundOrThrow(): Bound {
    if (this.#bound !== undefined) return this.#bound
    throw oauthError('options', 'the server is not known yet', { fix: 'Give serverUrl.' })
  }

  /** Ties the provider to its server; a token never goes to another origin, whatever a redirect says. */
  #bind(requestUrl: string): Bound {
    const url = new URL(requestUrl)
    if (this.#bound !== undefined) {
      const { serverUrl } = this.#bound
      if (url.origin === serverUrl.origin) return this.#bound
      throw oauthError('wrong_server', 'these credentials are for another server', {
        url,
        expected: quote(serverUrl.origin),
        found: quote(url.origin),
        fix: 'Nothing was sent. Make one provider per MCP server.',
      })
    }
    url.hash = ''
    const {
      account,
      clientId,
      trustedHosts = [],
      timeout = 15_000,
      maxDocumentBytes = 262_144,
    } = this.#options
    const fetch = this.#options.fetch ?? ((input, init) => globalThis.fetch(input, init))
    const http = new OAuthHttp({
      serverUrl: url,
      trustedHosts,
      fetch,
      timeoutMs: timeout,
      maxBytes: maxDocumentBytes,
    })
    const step = (event: OAuthStep): void => this.#trace(event)
    const context = { http, step, options: this.#options, storage: this.#storage }
    const key = JSON.stringify(['tokens', url.href, account ?? null, clientId ?? null])
    this.#bound = {
      serverUrl: url,
      context,
      session: new ResourceSession(url, context),
      keeper: new TokenKeeper(this.#storage, key),
    }
    return this.#bound
  }

  #trace(event: OAuthStep): void {
    try {
      this.#options.onStep?.(event)
    } catch {
      // A listener that throws must not stop a sign-in.
    }
  }
}

/** The token in a refused request. */
function sentToken(request: RefusedRequest): string | undefined {
  const header = request.headers?.get('authorization')
  return header?.slice(header.indexOf(' ') + 1)
}
