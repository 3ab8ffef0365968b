import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Rows, Store } from '../../store/index.ts'

const KEY = 'token'

/** The token that opens the console of a gateway that only this machine reaches. It survives restarts. */
export class AdminToken {
  readonly #store: Store
  #value: string

  private constructor(store: Store, value: string) {
    this.#store = store
    this.#value = value
  }

  /** Gateways that share a store share the token. A token that no key opens any more is replaced. */
  static async load(store: Store, onError: (error: unknown) => void): Promise<AdminToken> {
    const made = newToken()
    try {
      return new AdminToken(store, await keptOr(rowsOf(store), made))
    } catch (error) {
      onError(error)
      return new AdminToken(store, made)
    }
  }

  get value(): string {
    return this.#value
  }

  /** Makes a new token. Everything that was opened with the old token is closed. */
  async renew(): Promise<string> {
    const made = newToken()
    await rowsOf(this.#store).put(KEY, made)
    this.#value = made
    return made
  }

  /** Compares hashes: they all have the same length, so the time does not show how close a guess was. */
  matches(presented: string): boolean {
    return timingSafeEqual(hash(presented), hash(this.#value))
  }
}

function rowsOf(store: Store): Rows {
  return store.rows({ name: 'console', secret: true })
}

/**
 * Returns the kept token, or keeps the new one when there is none. Of two gateways that start at once, the second takes
 * the token of the first.
 */
async function keptOr(rows: Rows, made: string): Promise<string> {
  const kept = await read(rows)
  if (kept !== undefined) return kept
  if ((await rows.swap(KEY, undefined, made)) !== undefined) return made
  const other = await read(rows)
  if (other === undefined) await rows.put(KEY, made)
  return other ?? made
}

async function read(rows: Rows): Promise<string | undefined> {
  const row = await rows.get(KEY).catch((error: { code?: string }) => {
    if (error.code !== 'unreadable') throw error
    return undefined
  })
  return row?.value
}

function newToken(): string {
  return randomBytes(24).toString('base64url')
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
