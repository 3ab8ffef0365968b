import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  SignJWT,
  base64url,
} from 'jose'
import { oauthError, quote } from '../http/oauth-error.ts'
import type { AuthServer } from '../discovery/server-metadata.ts'

const ALGORITHM = 'ES256'
/** Servers that give nonces are two at most (authorization server, resource), but origins may change. */
const MAX_NONCES = 16

/** A key that tokens are bound to, and the proofs that it signs (RFC 9449). */
export class DpopKey {
  readonly privateJwk: JWK
  readonly #publicJwk: JWK
  readonly #key: Awaited<ReturnType<typeof importJWK>>
  readonly #nonces = new Map<string, string>()

  private constructor(privateJwk: JWK, key: Awaited<ReturnType<typeof importJWK>>) {
    const { kty, crv, x, y } = privateJwk
    this.privateJwk = privateJwk
    this.#publicJwk = { kty, crv, x, y } as JWK
    this.#key = key
  }

  static async generate(): Promise<DpopKey> {
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
    return DpopKey.fromJwk(await exportJWK(privateKey))
  }

  static async fromJwk(jwk: JWK): Promise<DpopKey> {
    return new DpopKey(jwk, await importJWK(jwk, ALGORITHM))
  }

  thumbprint(): Promise<string> {
    return calculateJwkThumbprint(this.#publicJwk)
  }

  /** A fresh proof for one request. `audience` keeps the nonces of the two servers apart on one origin. */
  async proof(
    request: { url: string; method: string; accessToken?: string },
    audience: 'authorization-server' | 'resource',
  ): Promise<string> {
    const { origin, pathname } = new URL(request.url)
    const nonce = this.#nonces.get(`${audience} ${origin}`)
    const claims = {
      jti: crypto.randomUUID(),
      htm: request.method.toUpperCase(),
      htu: origin + pathname,
      ...(nonce !== undefined && { nonce }),
      ...(request.accessToken !== undefined && { ath: await sha256(request.accessToken) }),
    }
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, typ: 'dpop+jwt', jwk: this.#publicJwk })
      .setIssuedAt()
      .sign(this.#key)
  }

  /** Keeps a nonce that a server gave. Returns true when the nonce is new, so that another attempt makes sense. */
  remember(response: Response, url: string, audience: 'authorization-server' | 'resource'): boolean {
    const nonce = response.headers.get('dpop-nonce')
    if (nonce === null || nonce === '' || nonce.length > 1024) return false
    const key = `${audience} ${new URL(url).origin}`
    const isNew = this.#nonces.get(key) !== nonce
    this.#nonces.delete(key)
    this.#nonces.set(key, nonce)
    for (const oldest of this.#nonces.keys()) {
      if (this.#nonces.size <= MAX_NONCES) break
      this.#nonces.delete(oldest)
    }
    return isNew
  }
}

/** Whether to bind the next tokens: with "auto" only when resource and authorization server support it. */
export function shouldUseDpop(
  option: boolean | 'auto',
  server: AuthServer,
  resourceSpeaksDpop: boolean,
): boolean {
  if (option === false) return false
  const algorithms = server.metadata.dpop_signing_alg_values_supported
  if (option === 'auto')
    return resourceSpeaksDpop && Array.isArray(algorithms) && algorithms.includes(ALGORITHM)
  if (algorithms === undefined || algorithms.includes(ALGORITHM)) return true
  throw oauthError('dpop', 'the authorization server does not accept DPoP proofs of our kind', {
    url: server.issuer,
    expected: `dpop_signing_alg_values_supported with "${ALGORITHM}"`,
    found: quote(algorithms),
    fix: 'Set dpop to "auto" or false to use bearer tokens.',
  })
}

/** SHA-256 of a text in Base64url: names tokens in caches, and is `ath` in a DPoP proof. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return base64url.encode(new Uint8Array(digest))
}
