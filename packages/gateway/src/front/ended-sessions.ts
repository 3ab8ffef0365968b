import { randomBytes } from 'node:crypto'
import { type Rows, StoreError } from '../store/index.ts'

/** As long as the id of a session is valid. */
const KEPT_FOR = 7 * 24 * 3_600_000
const MOST_WAITING = 10_000
const TRY_AGAIN = 1_000

/**
 * Which sessions of older clients have ended, in the store. What the store does not take now is written as soon as it
 * does. When the rows are full, any other is forgotten for it.
 */
export class EndedSessions {
  readonly #rows: Rows
  /** The longest waiting is forgotten first. */
  readonly #waiting = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(rows: Rows) {
    this.#rows = rows
  }

  async add(key: string): Promise<void> {
    if (this.#waiting.size >= MOST_WAITING) this.#waiting.delete(this.#waiting.values().next().value!)
    this.#waiting.add(key)
    await this.#write(key)
  }

  async has(key: string): Promise<boolean> {
    return this.#waiting.has(key) || (await this.#rows.get(key)) !== undefined
  }

  /** Resolves whether the store has taken it. */
  async #write(key: string): Promise<boolean> {
    const put = (): Promise<unknown> => this.#rows.put(key, '', { ttl: KEPT_FOR })
    const isFull = (thrown: unknown): boolean => thrown instanceof StoreError && thrown.code === 'full'
    try {
      await put().catch(async (thrown: unknown) => {
        if (!isFull(thrown)) throw thrown
        await this.#forgetOne()
        await put()
      })
      this.#waiting.delete(key)
      return true
    } catch {
      this.#timer ??= setTimeout(() => void this.#writeAll(), TRY_AGAIN).unref()
      return false
    }
  }

  async #writeAll(): Promise<void> {
    this.#timer = undefined
    for (const key of [...this.#waiting]) if (!(await this.#write(key))) return
  }

  /** Keys are fingerprints, so the one that follows on any key is any. */
  async #forgetOne(): Promise<void> {
    const after = randomBytes(32).toString('base64url')
    const following = await this.#rows.list({ after, limit: 1 })
    const forgotten = following.length > 0 ? following : await this.#rows.list({ limit: 1 })
    await Promise.all(forgotten.map(({ key }) => this.#rows.remove(key)))
  }
}
