import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { ChainHead } from './thread/hash-chain.ts'

/** Signs the heads of chains: Ed25519. */
export class SigningKey {
  readonly pem: string
  /** The public half, as others keep it to check signatures. */
  readonly publicKey: string
  readonly #key: KeyObject

  constructor(pem: string) {
    this.pem = pem
    this.#key = createPrivateKey(pem)
    this.publicKey = createPublicKey(this.#key).export({ type: 'spki', format: 'der' }).toString('base64url')
  }

  sign(head: ChainHead): string {
    return sign(null, signedText(head), this.#key).toString('base64url')
  }

  /** A key for hashes of texts, the same for all processes that share this key. */
  hashingKey(): Buffer {
    const head = { chain: 'arguments', sequence: 0, fingerprint: '', type: 0 }
    return createHmac('sha256', 'gantry audit arguments').update(this.sign(head)).digest()
  }
}

export function isSigned(head: ChainHead, signature: string, publicKey: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64url'), type: 'spki', format: 'der' })
    return verify(null, signedText(head), key, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}

function signedText({ chain, sequence, fingerprint }: ChainHead): Buffer {
  return Buffer.from(`gantry audit head\n${chain}\n${sequence}\n${fingerprint}\n`)
}
