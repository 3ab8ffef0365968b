import {
  calculateJwkThumbprint,
  EmbeddedJWK,
  type JWK,
  jwtVerify,
  type JWTVerifyResult,
  base64url,
} from 'jose'
import { parseUrl, splitTarget, requireSecret } from '../../protocol/index.ts'
import type { GuardCall } from './guard-types.ts'
import { TokenRejected } from './token-rejected.ts'

export interface DpopRules {
  readonly algorithms: readonly string[]
  /** How old a proof may be, in milliseconds. */
  readonly maxAgeMs: number
  readonly clockToleranceMs: number
  readonly nonces: DpopNonces | undefined
  readonly resource: URL
  /** Shared memory of several replicas, asked after our own. */
  readonly isNewProof: IsNewProof | undefined
}

/** Long enough for any identifier; a proof is remembered by it. */
const MAX_JTI_LENGTH = 256
const MAX_PROOF_LENGTH = 8_192

/** Verifies DPoP proofs by the steps of RFC 9449, section 4.3. */
export class DpopProofs {
  readonly #rules: DpopRules
  readonly #replays = new DpopReplays()

  constructor(rules: DpopRules) {
    this.#rules = rules
  }

  /** Throws unless the request's proof is by the key that the token is bound to. */
  async check(call: GuardCall, token: { hash: string; boundTo: string }): Promise<void> {
    const proof = call.headers.dpop
    if (proof === undefined) throw invalidProof('The request has no DPoP proof')
    // A header that was sent twice is joined with a comma, which no proof contains.
    if (proof.length > MAX_PROOF_LENGTH || proof.includes(',')) {
      throw invalidProof('The DPoP header is malformed')
    }
    const { payload, protectedHeader } = await this.#verify(proof)
    const { jti, htm, htu, ath, nonce, iat } = payload
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH) {
      throw invalidProof('The DPoP proof has no usable jti')
    }
    if (htm !== call.method) throw invalidProof('The DPoP proof is for another method')
    if (!this.#isForUs(htu, call)) throw invalidProof('The DPoP proof is for another address')
    if (ath !== token.hash) throw invalidProof('The DPoP proof is for another token')
    const thumbprint = await calculateJwkThumbprint(protectedHeader.jwk as JWK)
    if (thumbprint !== token.boundTo) {
      throw new TokenRejected('invalid_token', 'The token is bound to another key')
    }
    await this.#checkNonce(nonce)
    this.#checkAge(iat!)
    // Last, so that only proofs which are good in every other way take up memory.
    await this.#checkFirstUse(`${thumbprint} ${jti}`, iat! * 1000)
  }

  async #verify(proof: string): Promise<JWTVerifyResult> {
    try {
      return await jwtVerify(proof, EmbeddedJWK, {
        typ: 'dpop+jwt',
        algorithms: [...this.#rules.algorithms],
        requiredClaims: ['iat', 'jti', 'htm', 'htu'],
        clockTolerance: this.#rules.clockToleranceMs / 1000,
      })
    } catch (cause) {
      throw new TokenRejected('invalid_dpop_proof', 'The DPoP proof is not valid', { cause })
    }
  }

  /** Behind a proxy the path can differ from the path that the client used. The client knows the resource. */
  #isForUs(htu: unknown, call: GuardCall): boolean {
    const { resource } = this.#rules
    const proven = typeof htu === 'string' ? parseUrl(htu) : undefined
    if (proven?.origin !== resource.origin) return false
    if (proven.pathname === resource.pathname) return true
    return proven.pathname === parseUrl(resource.origin + splitTarget(call.url).path)?.pathname
  }

  async #checkNonce(nonce: unknown): Promise<void> {
    const { nonces } = this.#rules
    if (nonces === undefined || (await nonces.accepts(nonce))) return
    throw new TokenRejected('use_dpop_nonce', 'The DPoP proof needs the nonce in the DPoP-Nonce header')
  }

  #checkAge(iat: number): void {
    const { maxAgeMs, clockToleranceMs } = this.#rules
    const age = Date.now() - iat * 1000
    // Proofs contain whole seconds, so a proof that was made just now may seem up to a second younger or older.
    if (age > maxAgeMs + clockToleranceMs + 1000 || age < -clockToleranceMs - 1000) {
      throw invalidProof('The DPoP proof is too old or not valid yet')
    }
  }

  async #checkFirstUse(id: string, issuedAt: number): Promise<void> {
    const { maxAgeMs, clockToleranceMs, isNewProof } = this.#rules
    const ttl = maxAgeMs + 2 * clockToleranceMs + 2000
    const isNew =
      this.#replays.isNew(id, issuedAt, ttl) && (isNewProof === undefined || (await isNewProof(id, ttl)))
    if (!isNew) throw invalidProof('The DPoP proof was used before')
  }
}

function invalidProof(message: string): TokenRejected {
  return new TokenRejected('invalid_dpop_proof', message)
}

/** Nonces without memory: a keyed hash of the period. Replicas with the same secret accept each other's. */
export class DpopNonces {
  readonly #periodMs: number
  readonly #key: Promise<CryptoKey>

  constructor(periodMs: number, secret?: string | Uint8Array) {
    if (secret !== undefined) requireSecret(secret, 'The secret of DPoP nonces')
    this.#periodMs = periodMs
    const bytes =
      typeof secret === 'string'
        ? new TextEncoder().encode(secret)
        : (secret ?? crypto.getRandomValues(new Uint8Array(32)))
    this.#key = crypto.subtle.importKey(
      'raw',
      new Uint8Array(bytes),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    )
  }

  current(): Promise<string> {
    return this.#nonce(this.#period())
  }

  async accepts(nonce: unknown): Promise<boolean> {
    const period = this.#period()
    return nonce === (await this.#nonce(period)) || nonce === (await this.#nonce(period - 1))
  }

  #period(): number {
    return Math.floor(Date.now() / this.#periodMs)
  }

  async #nonce(period: number): Promise<string> {
    const signed = await crypto.subtle.sign(
      'HMAC',
      await this.#key,
      new TextEncoder().encode(`dpop ${period}`),
    )
    return base64url.encode(new Uint8Array(signed).slice(0, 16))
  }
}

/** Remembers proofs, so that each is good for one request. True when it was not seen before. */
export type IsNewProof = (id: string, ttlMs: number) => boolean | Promise<boolean>

interface Seen {
  readonly issuedAt: number
  readonly until: number
}

const DEFAULT_MAX_PROOFS = 100_000

/**
 * A bounded memory of the proofs that were seen. A flood shortens the time for which a proof is valid, but no proof
 * works twice (RFC 9449, 11.1).
 */
export class DpopReplays {
  readonly #seen = new Map<string, Seen>()
  readonly #maxProofs: number
  #floor = Number.NEGATIVE_INFINITY

  constructor(maxProofs: number = DEFAULT_MAX_PROOFS) {
    this.#maxProofs = maxProofs
  }

  get size(): number {
    return this.#seen.size
  }

  /** `issuedAt` and `ttlMs` in milliseconds. */
  isNew(id: string, issuedAt: number, ttlMs: number): boolean {
    this.#forgetExpired()
    if (issuedAt <= this.#floor || this.#seen.has(id)) return false
    this.#seen.set(id, { issuedAt, until: Date.now() + ttlMs })
    if (this.#seen.size > this.#maxProofs) this.#forgetOldest()
    return true
  }

  /** A Map yields the oldest first, and all live equally long. */
  #forgetExpired(): void {
    const now = Date.now()
    for (const [id, seen] of this.#seen) {
      if (seen.until > now) return
      this.#seen.delete(id)
    }
  }

  #forgetOldest(): void {
    const [id, seen] = this.#seen.entries().next().value as [string, Seen]
    this.#seen.delete(id)
    this.#floor = Math.max(this.#floor, seen.issuedAt)
  }
}
