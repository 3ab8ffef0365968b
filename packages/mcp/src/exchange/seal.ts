import { jsonReader, type NumberMode, writeJson, canonicalJson } from '../jsonrpc/index.ts'
import { requireSecret } from '../protocol/require-secret.ts'
import { fromBase64Url, toBase64Url } from '../protocol/encoding.ts'
import { principalKey, type Principal } from '../protocol/index.ts'

const IV_BYTES = 12
const KEY_BYTES = 32
const KEY_ID_BYTES = 4

interface Key {
  readonly id: string
  readonly idBytes: Uint8Array
  readonly crypto: Promise<CryptoKey>
}

/** AES-256-GCM for state that clients hold. The first secret seals, all open; `binding` is authenticated. */
export class Sealer {
  readonly #secrets: readonly (string | Uint8Array)[]
  #keys: Promise<Key[]> | undefined

  constructor(secrets: readonly (string | Uint8Array)[] = []) {
    for (const secret of secrets) requireSecret(secret, 'A secret that seals')
    // Copied: the caller's bytes may be wiped before they are used.
    this.#secrets = secrets.map((secret) => (typeof secret === 'string' ? secret : secret.slice()))
  }

  async seal(payload: unknown, binding: string): Promise<string> {
    const key = (await this.#derived())[0]!
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
    const plain = new TextEncoder().encode(writeJson(payload))
    const algorithm = { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(binding) }
    const cipher = new Uint8Array(await crypto.subtle.encrypt(algorithm, await key.crypto, plain))
    const sealed = new Uint8Array(KEY_ID_BYTES + IV_BYTES + cipher.length)
    sealed.set(key.idBytes, 0)
    sealed.set(iv, KEY_ID_BYTES)
    sealed.set(cipher, KEY_ID_BYTES + IV_BYTES)
    return toBase64Url(sealed)
  }

  /** Undefined when it was not sealed by us, for this binding, or was changed since. */
  async open(sealed: string, binding: string, numbers?: NumberMode): Promise<unknown> {
    const bytes = fromBase64Url(sealed)
    if (!bytes || bytes.length < KEY_ID_BYTES + IV_BYTES + 16) return undefined
    const id = toBase64Url(bytes.subarray(0, KEY_ID_BYTES))
    const key = (await this.#derived()).find((candidate) => candidate.id === id)
    if (!key) return undefined
    const iv = bytes.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES)
    const algorithm = { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(binding) }
    try {
      const plain = await crypto.subtle.decrypt(
        algorithm,
        await key.crypto,
        bytes.subarray(KEY_ID_BYTES + IV_BYTES),
      )
      return jsonReader(numbers)(new TextDecoder().decode(plain))
    } catch {
      return undefined
    }
  }

  /** At the first use: many servers never seal anything, and loading the cryptography would delay their start. */
  #derived(): Promise<Key[]> {
    this.#keys ??= deriveKeys(this.#secrets)
    return this.#keys
  }
}

function deriveKeys(secrets: readonly (string | Uint8Array)[]): Promise<Key[]> {
  const used = secrets.length > 0 ? secrets : [crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
  return Promise.all(used.map(deriveKey))
}

async function deriveKey(secret: string | Uint8Array): Promise<Key> {
  const material = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret
  const digest = await crypto.subtle.digest('SHA-512', material as Uint8Array<ArrayBuffer>)
  const bytes = new Uint8Array(digest)
  const idBytes = bytes.slice(KEY_BYTES, KEY_BYTES + KEY_ID_BYTES)
  const raw = bytes.slice(0, KEY_BYTES)
  return {
    id: toBase64Url(idBytes),
    idBytes,
    crypto: crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']),
  }
}

/** The one binding of sealed sessions, tasks and states: same purpose, principal and facts. */
export function bindingOf(purpose: string, principal: Principal | undefined, ...facts: unknown[]): string {
  return canonicalJson([purpose, principalKey(principal), ...facts])
}
