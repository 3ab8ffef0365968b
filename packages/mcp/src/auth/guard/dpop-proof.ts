import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify, type JWTVerifyResult } from 'jose'
import { parseUrl, splitTarget } from '../../protocol/index.ts'
import type { DpopNonces } from './dpop-nonces.ts'
import { DpopReplays, type IsNewProof } from './dpop-replays.ts'
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

  /** Behind a proxy the path may be another one than the client's; the resource is what the client knows. */
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
    // Seconds are whole in proofs, so one that was made just now may seem up to a second younger or older.
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
