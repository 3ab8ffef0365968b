import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { StoreError } from './store-error.ts'

const LAYOUT = 1
const ID = 4
const IV = 12
const TAG = 16
const BODY = 1 + ID + IV + TAG

/**
 * Encrypts secret values with AES-256-GCM. The first key writes, all of them read, so a new one in front rotates. A
 * value is bound to its place: one that is moved to another row cannot be read there.
 */
export class KeyRing {
  readonly #read: () => readonly string[]
  #keys: Map<string, Buffer>
  #first: string

  /** The keys are read again when a value was written with one that is not known yet. */
  constructor(read: () => readonly string[]) {
    this.#read = read
    ;[this.#first, this.#keys] = loadKeys(read())
  }

  seal(text: string, place: string): Uint8Array {
    const iv = randomBytes(IV)
    const cipher = createCipheriv('aes-256-gcm', this.#keys.get(this.#first)!, iv).setAAD(Buffer.from(place))
    const body = [cipher.update(text, 'utf8'), cipher.final()]
    return Buffer.concat([
      Buffer.of(LAYOUT),
      Buffer.from(this.#first, 'hex'),
      iv,
      cipher.getAuthTag(),
      ...body,
    ])
  }

  open(sealed: Uint8Array, place: string): string {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length)
    const id = bytes.toString('hex', 1, 1 + ID)
    if (bytes.length < BODY || bytes[0] !== LAYOUT) throw unreadable('is damaged')
    if (!this.#keys.has(id)) [this.#first, this.#keys] = loadKeys(this.#read())
    const key = this.#keys.get(id)
    if (!key) throw unreadable(`was written with the key ${id}, which is not there`)
    const iv = bytes.subarray(1 + ID, 1 + ID + IV)
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG })
    decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(BODY - TAG, BODY))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(BODY)), decipher.final()]).toString()
    } catch (cause) {
      throw unreadable('is damaged', cause)
    }
  }
}

function loadKeys(secrets: readonly string[]): [first: string, keys: Map<string, Buffer>] {
  const keys = secrets.map((secret): [string, Buffer] => {
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'gantry store', 32))
    return [
      createHash('sha256')
        .update(key)
        .digest('hex')
        .slice(0, 2 * ID),
      key,
    ]
  })
  const [first] = keys
  if (!first) throw new StoreError('unusable', 'The store needs a key for its secrets')
  return [first[0], new Map(keys)]
}

function unreadable(why: string, cause?: unknown): StoreError {
  return new StoreError('unreadable', `A secret of the store ${why}`, { cause })
}
