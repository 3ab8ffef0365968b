import type { RequestId } from '../jsonrpc/index.ts'

const MAX_IDS = 1000

/** Ids of requests that nobody waits for any more, so that their late answers are recognised. Bounded in number. */
export class GivenUpIds {
  readonly #ids = new Set<RequestId>()

  add(id: RequestId): void {
    if (this.#ids.size >= MAX_IDS) {
      const [oldest] = this.#ids
      if (oldest !== undefined) this.#ids.delete(oldest)
    }
    this.#ids.add(id)
  }

  /** Whether the id was one of them; it is forgotten. */
  take(id: RequestId): boolean {
    return this.#ids.size > 0 && this.#ids.delete(id)
  }

  clear(): void {
    this.#ids.clear()
  }
}
