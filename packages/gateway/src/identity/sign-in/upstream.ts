import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose'
import * as oauth from 'oauth4webapi'
import type { JsonObject } from '@gantry/mcp/exchange'
import { isLoopbackHost, type SignInModel } from '../../model/index.ts'
import { parseUrl } from '@gantry/mcp/foreign'

/** The state of a login at the identity provider. It is kept here and never shown. */
export interface PendingLogin {
  readonly verifier: string
  readonly nonce: string
  readonly state: string
}

/** A person as the identity provider names and describes them. */
export interface Person {
  readonly subject: string
  readonly claims: JsonObject
}

/** A person who has just logged in. */
export interface LoggedIn extends Person {
  readonly proof: LoginProof
}

/** The tokens of a login at the identity provider. They are kept only where a target needs them. */
export interface LoginProof {
  readonly idToken: string
  readonly refreshToken: string | undefined
  /** When the ID token ends, in milliseconds. */
  readonly expiresAt: number
}

const TIMEOUT = 10_000
/** How far apart the clocks of the identity provider and of this machine may be, in seconds. */
export const CLOCK_TOLERANCE = 30
/** Its metadata is read again after this time. */
const FRESH = 10 * 60_000

/** The company's identity provider: any OpenID provider. The gateway is one client of it. */
export class Upstream {
  readonly #model: SignInModel
  readonly #redirectUri: string
  #keys: { url: string; get: JWTVerifyGetKey } | undefined
  #metadata: { value: Promise<oauth.AuthorizationServer>; until: number } | undefined

  constructor(model: SignInModel, redirectUri: string) {
    this.#model = model
    this.#redirectUri = redirectUri
  }

  /** The page to log in on. */
  async begin(loginHint: string | undefined): Promise<{ url: string; pending: PendingLogin }> {
    const server = await this.#server()
    if (server.authorization_endpoint === undefined) throw new Error('It has no authorization endpoint')
    const pending = {
      verifier: oauth.generateRandomCodeVerifier(),
      nonce: oauth.generateRandomNonce(),
      state: oauth.generateRandomState(),
    }
    const url = new URL(server.authorization_endpoint)
    const parameters = {
      client_id: this.#model.clientId,
      redirect_uri: this.#redirectUri,
      response_type: 'code',
      scope: this.#model.upstreamScopes.join(' '),
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
      state: pending.state,
      nonce: pending.nonce,
      ...(loginHint !== undefined && { login_hint: loginHint }),
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return { url: url.href, pending }
  }

  /** Redeems the code. Issuer, state, nonce, audience, times and signature are checked; throws when one is wrong. */
  async finish(callback: URL, { verifier, nonce, state }: PendingLogin): Promise<LoggedIn> {
    const server = await this.#server()
    const client: oauth.Client = { client_id: this.#model.clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE }
    const options = this.#options()
    const parameters = oauth.validateAuthResponse(server, client, callback, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      this.#authentication(server),
      parameters,
      this.#redirectUri,
      verifier,
      options,
    )
    const answer = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(server, response, options)
    const claims = oauth.getValidatedIdTokenClaims(answer)!
    return { subject: claims.sub, claims: claims as unknown as JsonObject, proof: proofOf(answer, claims) }
  }

  /** A newer ID token of the same person; undefined when the identity provider does not give one. */
  async renew(subject: string, refreshToken: string): Promise<LoginProof | undefined> {
    const server = await this.#server()
    const client: oauth.Client = { client_id: this.#model.clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE }
    const options = this.#options()
    const authentication = this.#authentication(server)
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      authentication,
      refreshToken,
      options,
    )
    const answer = await oauth.processRefreshTokenResponse(server, client, response)
    const claims = oauth.getValidatedIdTokenClaims(answer)
    if (!claims) return undefined
    await oauth.validateApplicationLevelSignature(server, response, options)
    if (claims.sub !== subject) throw new Error('It answered with another person')
    const renewed = proofOf(answer, claims)
    return { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken }
  }

  /** Its public keys. */
  async keys(): Promise<JWTVerifyGetKey> {
    const { jwks_uri: uri } = await this.#server()
    const url = uri === undefined ? undefined : parseUrl(uri)
    const isSafe = url?.protocol === 'https:' || this.#options()[oauth.allowInsecureRequests]
    if (!url || !isSafe) throw new Error('the identity provider has no address of its keys that can be used')
    if (this.#keys?.url !== url.href) {
      this.#keys = { url: url.href, get: createRemoteJWKSet(url, { timeoutDuration: TIMEOUT }) }
    }
    return this.#keys.get
  }

  #authentication(server: oauth.AuthorizationServer): oauth.ClientAuth {
    const secret = this.#model.clientSecret.reveal()
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return methods.includes('client_secret_basic')
      ? oauth.ClientSecretBasic(secret)
      : oauth.ClientSecretPost(secret)
  }

  #server(): Promise<oauth.AuthorizationServer> {
    if (this.#metadata && this.#metadata.until > Date.now()) return this.#metadata.value
    const issuer = new URL(this.#model.issuer)
    const value = oauth
      .discoveryRequest(issuer, this.#options())
      .then((response) => oauth.processDiscoveryResponse(issuer, response))
    this.#metadata = { value, until: Date.now() + FRESH }
    // A failed attempt is made again with the next login.
    value.catch(() => {
      this.#metadata = undefined
    })
    return value
  }

  /** Plain HTTP is allowed for an identity provider on this machine, or on a host that the configuration trusts. */
  #options(): { signal: AbortSignal; [oauth.allowInsecureRequests]: boolean } {
    const url = parseUrl(this.#model.issuer)
    const isTrusted =
      url !== undefined && this.#model.trustedHosts.some((host) => [url.host, url.hostname].includes(host))
    const isLocal = isTrusted || isLoopbackHost(url?.hostname ?? '')
    return { signal: AbortSignal.timeout(TIMEOUT), [oauth.allowInsecureRequests]: isLocal }
  }
}

function proofOf(answer: oauth.TokenEndpointResponse, { exp, iat }: oauth.IDToken): LoginProof {
  const ahead = iat - Math.floor(Date.now() / 1000)
  if (ahead > CLOCK_TOLERANCE) {
    throw new Error(`its clock is ${ahead} seconds ahead of ours, and ${CLOCK_TOLERANCE} are accepted`)
  }
  return { idToken: answer.id_token!, refreshToken: answer.refresh_token, expiresAt: exp * 1000 }
}
