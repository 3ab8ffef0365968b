import { type JsonObject, isJsonObject } from '../../jsonrpc/index.ts'
import type { BearerSettings } from './bearer-settings.ts'
import type { GuardAuth, GuardCall } from './guard-types.ts'
import { sha256 } from '../grants/dpop.ts'
import { invalidToken, TokenRejected } from './token-rejected.ts'
import { issuerOfJwt, verifyJwt } from './verify-jwt.ts'
import type { Principal } from '../../protocol/index.ts'

/** A token that was not active is not asked about again for this long. */
const INACTIVE_MS = 10_000

/** Finds out who sent a request. Throws TokenRejected, or whatever kept it from finding out. */
export class Authenticator {
  readonly #settings: BearerSettings
  readonly #expand: (scopes: readonly string[]) => readonly string[]
  readonly #known: TokenCache<TokenFacts>
  /** Kept apart, so that made-up tokens do not push out good tokens. */
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
    // A token of an unknown issuer goes nowhere, least of all to another server.
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

  /** A cached token may have expired meanwhile. */
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

interface Credentials {
  readonly scheme: 'bearer' | 'dpop'
  readonly token: string
}

/** `b64token` of RFC 6750, section 2.1: covers JWTs and every opaque token that may be sent. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/
/** Tokens travel in a header, and servers limit headers. A longer token is refused without a signature check. */
const MAX_TOKEN_LENGTH = 16_384

/** Reads `Authorization` only; tokens in the query are ignored (2026-07-28, "Token Requirements"). */
function readCredentials(header: string | undefined): Credentials | undefined {
  const [scheme = '', token = '', ...rest] = (header ?? '').trim().split(/ +/)
  const name = scheme.toLowerCase()
  if (name !== 'bearer' && name !== 'dpop') return undefined
  if (rest.length > 0 || token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token)) {
    throw new TokenRejected('invalid_request', 'The Authorization header is malformed')
  }
  return { scheme: name, token }
}

/** The facts of a good token, without the token itself. */
interface TokenFacts {
  readonly principal: Principal
  readonly scopes: readonly string[]
  readonly clientId: string | undefined
  readonly claims: Readonly<JsonObject>
  /** In milliseconds since 1970. */
  readonly expiresAt: number | undefined
  /** Thumbprint of the key that the token is bound to (RFC 9449, section 6). */
  readonly boundTo: string | undefined
}

/** Reads the facts out of claims that were verified. `expand` adds what scopes imply. */
function toTokenFacts(
  claims: JsonObject,
  issuer: string,
  expand: (scopes: readonly string[]) => readonly string[],
): TokenFacts {
  const clientId = text(claims.client_id) ?? text(claims.azp) ?? text(claims.cid)
  const { exp } = claims
  return Object.freeze({
    principal: principalOf(claims, issuer, clientId),
    scopes: Object.freeze(expand(readScopes(claims))),
    clientId,
    claims: Object.freeze(claims),
    expiresAt: typeof exp === 'number' ? exp * 1000 : undefined,
    boundTo: bindingOf(claims),
  })
}

/** A token without a subject, or with its client as subject, speaks for a program (RFC 9068, 2.2 and 5). */
function principalOf(claims: JsonObject, issuer: string, clientId: string | undefined): Principal {
  const subject = text(claims.sub) ?? clientId
  if (subject === undefined) throw invalidToken('The token names neither a subject nor a client')
  return Object.freeze({ kind: subject === clientId ? 'workload' : 'person', issuer, subject })
}

/** `scope` by RFC 9068 and RFC 7662; `scp`, as a string or a list, is what some large issuers send. */
function readScopes(claims: JsonObject): string[] {
  const found = claims.scope ?? claims.scp
  if (typeof found === 'string') return found.split(' ').filter((scope) => scope !== '')
  return Array.isArray(found) ? found.filter((scope) => typeof scope === 'string') : []
}

/** A binding that we cannot check must not be ignored: the token would be worth more to a thief than meant. */
function bindingOf({ cnf }: JsonObject): string | undefined {
  if (cnf === undefined || cnf === null) return undefined
  const thumbprint = isJsonObject(cnf) && Object.keys(cnf).length === 1 ? text(cnf.jkt) : undefined
  if (thumbprint === undefined) throw invalidToken('The token is bound in a way that is not supported here')
  return thumbprint
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

interface Entry<T> {
  readonly value: T
  readonly until: number
}

/** Short-lived, bounded facts about tokens, by their hash. Concurrent callers share one look-up. */
export class TokenCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #flights = new Map<string, Promise<T>>()
  readonly #maxEntries: number

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get size(): number {
    return this.#entries.size
  }

  get(hash: string): T | undefined {
    const entry = this.#entries.get(hash)
    if (entry === undefined) return undefined
    this.#entries.delete(hash)
    if (entry.until <= Date.now()) return undefined
    this.#entries.set(hash, entry)
    return entry.value
  }

  /** Returns the known value, or a new value. `ttl` says how long a value may be kept, in milliseconds. */
  async getOr(hash: string, load: () => Promise<T>, ttl: (value: T) => number): Promise<T> {
    const known = this.get(hash)
    if (known !== undefined) return known
    const flight = this.#flights.get(hash)
    if (flight) return flight
    const loading = load()
      .then((value) => {
        this.set(hash, value, ttl(value))
        return value
      })
      .finally(() => this.#flights.delete(hash))
    this.#flights.set(hash, loading)
    return loading
  }

  set(hash: string, value: T, ttlMs: number): void {
    if (ttlMs <= 0) return
    this.#entries.delete(hash)
    this.#entries.set(hash, { value, until: Date.now() + ttlMs })
    if (this.#entries.size > this.#maxEntries) {
      this.#entries.delete(this.#entries.keys().next().value as string)
    }
  }
}
