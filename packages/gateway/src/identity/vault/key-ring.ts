import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** Where the keys of the vault are, the newest first. */
export interface KeyFile {
  load(): Promise<readonly string[]>
  save(keys: readonly string[]): Promise<void>
  create(): string
}

/** A text as it is kept: sealed with a key of its own, which is sealed with a key of the ring. */
export interface Envelope {
  /** Names the key of the ring. */
  readonly kid: string
  readonly key: string
  readonly data: string
}

const CIPHER = 'aes-256-gcm'
const IV = 12
const TAG = 16

/** Envelope encryption: changing the key of the ring means to seal short keys anew, and no credential is read. */
export class KeyRing {
  readonly #file: KeyFile
  readonly #known = new Map<string, Buffer>()

  constructor(file: KeyFile) {
    this.#file = file
  }

  /** The keys that there are, the newest first, by their names. */
  async ids(): Promise<string[]> {
    return (await this.#load()).map(({ id }) => id)
  }

  async seal(text: string, binding: string): Promise<Envelope> {
    const [newest] = await this.#load()
    const key = randomBytes(32)
    return {
      kid: newest!.id,
      key: encrypt(newest!.key, key, `key\0${binding}`),
      data: encrypt(key, Buffer.from(text), `data\0${binding}`),
    }
  }

  /** Undefined when no key opens it: it is of another ring, of another place, or damaged. */
  async open(envelope: Envelope, binding: string): Promise<string | undefined> {
    const key = await this.#unwrap(envelope, binding)
    return key && decrypt(key, envelope.data, `data\0${binding}`)?.toString('utf8')
  }

  /** The same under the newest key; undefined when it cannot be opened. */
  async rewrap(envelope: Envelope, binding: string): Promise<Envelope | undefined> {
    const key = await this.#unwrap(envelope, binding)
    if (!key) return undefined
    const [newest] = await this.#load()
    return { ...envelope, kid: newest!.id, key: encrypt(newest!.key, key, `key\0${binding}`) }
  }

  /**
   * Puts a new key in front. Keeps the older keys that are `used`, and the newest of them in any case: another process
   * may be writing with it at this moment.
   */
  async add(used: ReadonlySet<string>): Promise<string> {
    const keys = await this.#file.load()
    const kept = keys.filter((key, index) => index === 0 || used.has(idOf(key)))
    const created = this.#file.create()
    await this.#file.save([created, ...kept])
    return idOf(created)
  }

  async #unwrap({ kid, key }: Envelope, binding: string): Promise<Buffer | undefined> {
    // Another process may have added it.
    if (!this.#known.has(kid)) await this.#load()
    const ring = this.#known.get(kid)
    return ring && decrypt(ring, key, `key\0${binding}`)
  }

  /** Read each time: what is sealed with a key that was taken out could never be opened. */
  async #load(): Promise<{ id: string; key: Buffer }[]> {
    return (await this.#file.load()).map((text) => {
      const id = idOf(text)
      const key = this.#known.get(id) ?? Buffer.from(hkdfSync('sha256', text, '', 'gantry vault', 32))
      this.#known.set(id, key)
      return { id, key }
    })
  }
}

function idOf(key: string): string {
  return createHash('sha256').update(`gantry vault key ${key}`).digest('hex').slice(0, 8)
}

function encrypt(key: Buffer, plain: Buffer, binding: string): string {
  const iv = randomBytes(IV)
  const cipher = createCipheriv(CIPHER, key, iv)
  cipher.setAAD(Buffer.from(binding))
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

function decrypt(key: Buffer, sealed: string, binding: string): Buffer | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < IV + TAG) return undefined
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV), { authTagLength: TAG })
  decipher.setAAD(Buffer.from(binding))
  decipher.setAuthTag(bytes.subarray(-TAG))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV, -TAG)), decipher.final()])
  } catch {
    return undefined
  }
}
