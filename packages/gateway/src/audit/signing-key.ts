import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readSmallFileSync, refuseForeign } from '../model/index.ts'
import type { ChainHead } from './hash-chain.ts'

/** Signs the heads of chains: Ed25519, kept in the state folder. */
export class SigningKey {
  /** The public half, as others keep it to check signatures. */
  readonly publicKey: string
  readonly #key: KeyObject

  constructor(pem: string) {
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

  /** Made once. The second of two processes that start together takes the key of the first. */
  static load(stateDir: string): SigningKey {
    const file = signingKeyFile(stateDir)
    refuseForeign(file)
    try {
      return new SigningKey(readSmallFileSync(file))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
    const temporary = `${file}.${process.pid}.tmp`
    try {
      writeFileSync(temporary, pem, { mode: 0o600 })
      linkSync(temporary, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(temporary, { force: true })
    }
    return new SigningKey(readSmallFileSync(file))
  }
}

export function signingKeyFile(stateDir: string): string {
  return join(stateDir, 'audit.key')
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
