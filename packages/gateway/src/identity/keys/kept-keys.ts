import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Row, Rows, Store, StoreError } from '../../store/index.ts'

/** A key that was made by `gantry keys add`, without what opens the door. */
export interface KeptKey {
  readonly name: string
  readonly scopes: readonly string[]
  /** Endpoints `/mcp/NAME` that it opens, and no others; empty: all. */
  readonly views: readonly string[]
  readonly createdAt: number
  /** In milliseconds since 1970. */
  readonly expiresAt?: number | undefined
}

export type NewKey = Pick<KeptKey, 'name' | 'expiresAt'> & Partial<Pick<KeptKey, 'scopes' | 'views'>>

/** As it is kept. */
interface KeyRow extends KeptKey {
  /** SHA-256 of the whole key in hexadecimal. */
  readonly sha256: string
}

/** Names stand in the key itself, in policies and in logs. */
export const KEY_NAME: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const MAX_KEYS = 10_000
const CHANNEL = 'keys'
/** 43 characters of 62 are more than 256 bits. */
const SECRET_LENGTH = 43
const FORM = new RegExp(`^gk_(.{1,64})_[0-9A-Za-z]{${SECRET_LENGTH}}$`)
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** How long a key opens the door without a look at the store: it may have been revoked meanwhile. */
const REMEMBERED_FOR = 10 * 60_000
/** When a key was last used is written this often at most. */
const USE_PERIOD = 60_000

/**
 * Keys in the store. Only their hashes are kept, and every request reads the row of its key: a key that any process
 * has revoked opens nothing from then on.
 */
export class KeptKeys {
  readonly #store: Store
  readonly #rows: Rows
  readonly #uses: Rows
  /** Keys that were read, where the store is on another machine. As many as there are keys. */
  readonly #remembered = new Map<string, { readonly row: KeyRow; readonly at: number }>()
  /** When the use of a key was last written. As many as there are keys. */
  readonly #written = new Map<string, number>()

  constructor(store: Store) {
    this.#store = store
    this.#rows = store.rows({ name: 'keys', maxRows: MAX_KEYS, maxValueBytes: 64 * 1024 })
    this.#uses = store.rows({ name: 'key-uses', maxRows: MAX_KEYS, maxValueBytes: 64 })
  }

  /** Makes a key. This is the only time that it is known; undefined when the name is taken. */
  async add({ name, scopes = [], views = [], expiresAt }: NewKey): Promise<string | undefined> {
    if (!KEY_NAME.test(name)) throw new TypeError(`"${name}" cannot be the name of a key`)
    const key = `gk_${name}_${randomText(SECRET_LENGTH)}`
    const row: KeyRow = { name, scopes, views, createdAt: Date.now(), expiresAt, sha256: hashOf(key) }
    if ((await this.#rows.swap(name, undefined, JSON.stringify(row))) === undefined) return undefined
    return key
  }

  async list(): Promise<KeptKey[]> {
    const found: KeptKey[] = []
    for (let after = ''; ; ) {
      const page = await this.#rows.list(after === '' ? {} : { after })
      found.push(...page.map(readRow).map(withoutHash))
      if (page.length === 0) return found
      after = page.at(-1)!.key
    }
  }

  async get(name: string): Promise<KeptKey | undefined> {
    const row = KEY_NAME.test(name) ? await this.#rows.get(name) : undefined
    return row && withoutHash(readRow(row))
  }

  /**
   * Returns false when there is no key of this name. Streams that were opened with the key end, whichever process
   * serves them.
   */
  async revoke(name: string): Promise<boolean> {
    if (!KEY_NAME.test(name) || !(await this.#rows.remove(name))) return false
    this.#written.delete(name)
    await this.#uses.remove(name)
    await this.#store.publish(CHANNEL, name)
    return true
  }

  /** The key that a caller presents; undefined when the key does not exist, was revoked or has expired. */
  async find(presented: string): Promise<KeptKey | undefined> {
    const name = FORM.exec(presented)?.[1]
    if (name === undefined || !KEY_NAME.test(name)) return undefined
    const row = await this.#read(name)
    if (!row || !isSameHash(row.sha256, hashOf(presented)) || isExpired(row)) return undefined
    this.#use(name)
    return withoutHash(row)
  }

  /** Reads a key. While the store is away, the last row counts for a while, so that known callers can go on. */
  async #read(name: string): Promise<KeyRow | undefined> {
    try {
      const kept = await this.#rows.get(name)
      const row = kept && readRow(kept)
      if (this.#store.kind !== 'redis') return row
      if (row) this.#remembered.set(name, { row, at: Date.now() })
      else this.#remembered.delete(name)
      return row
    } catch (error) {
      const known = this.#remembered.get(name)
      if ((error as StoreError).code !== 'unavailable' || !known) throw error
      if (Date.now() - known.at > REMEMBERED_FOR) throw error
      return known.row
    }
  }

  /** By the names of the keys, in milliseconds since 1970; within a minute. */
  async lastUses(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#uses.list({ limit: MAX_KEYS })
    return new Map(rows.map(({ key, value }) => [key, Number(value)]))
  }

  /** Calls back when keys were revoked, here or by another process. Returns what ends it. */
  follow(changed: () => void): Promise<() => void> {
    return this.#store.subscribe(CHANNEL, { message: changed, missed: changed })
  }

  #use(name: string): void {
    const now = Date.now()
    if (now - (this.#written.get(name) ?? 0) < USE_PERIOD) return
    this.#written.set(name, now)
    // A failure here only loses the time of the last use.
    this.#uses.put(name, String(now)).catch(() => {})
  }
}

export function isExpired({ expiresAt }: Pick<KeptKey, 'expiresAt'>, now: number = Date.now()): boolean {
  return expiresAt !== undefined && expiresAt <= now
}

function readRow({ value }: Row): KeyRow {
  return JSON.parse(value) as KeyRow
}

function withoutHash({ sha256: _, ...key }: KeyRow): KeptKey {
  return key
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function isSameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'))
}

/** Letters and digits, each as likely as the others. */
function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    // Bytes from 248 on would make the first letters more likely: 248 is four times 62.
    for (const byte of randomBytes(length))
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
  }
  return text
}
