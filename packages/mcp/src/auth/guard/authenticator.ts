import type { JsonObject } from '../../jsonrpc/index.ts'
import type { BearerSettings } from './bearer-settings.ts'
import type { GuardAuth, GuardCall } from './guard-types.ts'
import { type Credentials, readCredentials } from './read-credentials.ts'
import { sha256 } from './sha256.ts'
import { TokenCache } from './token-cache.ts'
import { toTokenFacts, type TokenFacts } from './token-facts.ts'
import { invalidToken, TokenRejected } from './token-rejected.ts'
import { issuerOfJwt, verifyJwt } from './verify-jwt.ts'

/** A token that was not active is not asked about again for this long. */
const INACTIVE_MS = 10_000

/** Finds out who sent a request. Throws TokenRejected, or whatever kept it from finding out. */
export class Authenticator {
  readonly #settings: BearerSettings
  readonly #expand: (scopes: readonly string[]) => readonly string[]
  readonly #known: TokenCache<TokenFacts>
  /** Apart, so that made-up tokens do not push out good ones. */
  readonly #inactive: TokenCache<TokenRejected>

  constructor(settings: BearerSettings, expand: (scopes: readonly string[]) => readonly string[]) {
    this.#settings = settings
    this.#expand = expand
    this.#known = new TokenCache(settings.maxCachedTokens)
    this.#inactive = new TokenCache(settings.maxCachedTokens)
  }

  /** Undefined when the request has no credentials at all. */
  async authenticate(call: GuardCall): Promise<GuardAuth | undefined> {
    const credentials = readCredentials(call.headers.authorization)
    if (credentials === undefined) return undefined
    const { token } = credentials
    const hash = await sha256(token)
    const facts = await this.#factsOf(token, hash)
    this.#checkTime(facts)
    await this.#checkBinding(call, credentials, facts, hash)
    const missing = this.#settings.scopes.filter((scope) => !facts.scopes.includes(scope))
    if (missing.length > 0) {
      throw new TokenRejected('insufficient_scope', `The token lacks the scope ${missing.join(' ')}`)
    }
    const { principal, scopes, claims, clientId, expiresAt } = facts
    return {
      principal,
      scopes,
      claims,
      token,
      ...(clientId !== undefined && { clientId }),
      ...(expiresAt !== undefined && { expiresAt }),
    }
  }

  async #factsOf(token: string, hash: string): Promise<TokenFacts> {
    const rejected = this.#inactive.get(hash)
    if (rejected) throw rejected
    return this.#known.getOr(
      hash,
      () => this.#lookUp(token, hash),
      ({ expiresAt }) => Math.min(this.#settings.cacheTtlMs, (expiresAt ?? Number.MAX_VALUE) - Date.now()),
    )
  }

  async #lookUp(token: string, hash: string): Promise<TokenFacts> {
    const { issuers, introspector, introspectsAll, rules } = this.#settings
    const name = issuerOfJwt(token)
    const issuer = name === undefined ? undefined : issuers.get(name)
    // A token of a stranger goes nowhere, least of all to somebody else's server.
    if (name !== undefined && issuer === undefined) throw invalidToken('The token is of an unknown issuer')
    const isLocal = issuer !== undefined && !(introspectsAll && introspector?.issuer === issuer)
    if (isLocal) return this.#read(await verifyJwt(token, issuer, rules), issuer.name)
    if (introspector === undefined) throw invalidToken('The token is not a JWT')
    try {
      return this.#read(await introspector.claims(token, rules), introspector.issuer.name)
    } catch (error) {
      if (error instanceof TokenRejected) this.#inactive.set(hash, error, INACTIVE_MS)
      throw error
    }
  }

  #read(claims: JsonObject, issuer: string): TokenFacts {
    return toTokenFacts(claims, issuer, this.#expand)
  }

  /** What was cached may have expired since. */
  #checkTime({ expiresAt }: TokenFacts): void {
    if (expiresAt !== undefined && expiresAt + this.#settings.rules.clockToleranceMs <= Date.now()) {
      throw invalidToken('The token has expired')
    }
  }

  /** A bound token is worth nothing without its key, whatever the scheme says (RFC 9449, section 7). */
  async #checkBinding(
    call: GuardCall,
    { scheme }: Credentials,
    { boundTo }: TokenFacts,
    hash: string,
  ): Promise<void> {
    const { proofs, dpopMode } = this.#settings
    if (boundTo === undefined) {
      if (dpopMode === 'required') throw invalidToken('The token is not bound to a key')
      if (scheme === 'dpop') throw invalidToken('The token is not bound to a key and must be sent as Bearer')
      return
    }
    if (proofs === undefined) throw invalidToken('Tokens that are bound to a key are not accepted here')
    if (scheme !== 'dpop') throw invalidToken('The token is bound to a key and must be sent as DPoP')
    await proofs.check(call, { hash, boundTo })
  }
}
