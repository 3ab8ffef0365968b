import { base64url } from 'jose'
import { requireSecret } from '../../protocol/index.ts'

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
