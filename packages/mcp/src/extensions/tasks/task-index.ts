import { isJsonObject } from '../../jsonrpc/index.ts'
import type { Store } from '../../server/index.ts'

/** Where a task stands in the list of its owner, and until when. */
export interface Listed {
  readonly taskId: string
  /** In milliseconds, as all times here. */
  readonly createdAt: number
  readonly expiresAt: number
}

/** Finished tasks by owner, for `tasks/list`: a store finds by key only. The oldest are left out. */
export class TaskIndex {
  readonly #store: Store
  readonly #limit: number
  /** The pending writes, by owner, because the writes of a process must run one after another. */
  readonly #writing = new Map<string, Promise<void>>()

  constructor(store: Store, limit: number) {
    this.#store = store
    this.#limit = limit
  }

  async add(owner: string, listed: Listed): Promise<void> {
    const before = this.#writing.get(owner) ?? Promise.resolve()
    const writing = before.catch(() => {}).then(() => this.#write(owner, listed))
    this.#writing.set(owner, writing)
    try {
      await writing
    } finally {
      if (this.#writing.get(owner) === writing) this.#writing.delete(owner)
    }
  }

  async list(owner: string): Promise<Listed[]> {
    const text = await this.#store.get(keyOf(owner))
    const stored: unknown = text === undefined ? [] : JSON.parse(text)
    const now = Date.now()
    return Array.isArray(stored) ? stored.filter(isListed).filter(({ expiresAt }) => expiresAt > now) : []
  }

  async #write(owner: string, listed: Listed): Promise<void> {
    const all = [...(await this.list(owner)), listed].slice(-this.#limit)
    const until = Math.max(...all.map(({ expiresAt }) => expiresAt))
    await this.#store.set(keyOf(owner), JSON.stringify(all), Math.max(1, until - Date.now()))
  }
}

function isListed(value: unknown): value is Listed {
  return isJsonObject(value) && typeof value.taskId === 'string' && typeof value.expiresAt === 'number'
}

function keyOf(owner: string): string {
  return `tasks.${owner}`
}
