import { eraOf } from '../../../protocol/index.ts'
import { abortError } from '../../cancellation.ts'
import type { Exchange, Notification } from '../../exchange.ts'

interface Visit {
  readonly exchange: Exchange
  readonly ids: readonly string[]
  check(): void
}

/** Ids come from the server, so the memory of them is bounded. */
const MAX_COMPLETED = 256

/** Remembers which pages a server reported as complete, and lets a call wait for them. */
export class PageCompletions {
  readonly #completed = new Set<string>()
  readonly #visits = new Set<Visit>()

  /** `notifications/elicitation/complete`. Only older clients know that message. */
  complete(notification: Notification): void {
    const id = notification.params?.elicitationId
    if (typeof id !== 'string') return
    this.#completed.add(id)
    if (this.#completed.size > MAX_COMPLETED) {
      this.#completed.delete(this.#completed.values().next().value as string)
    }
    for (const visit of [...this.#visits]) {
      const { exchange, ids } = visit
      if (ids.includes(id) && eraOf(exchange.client.version) === 'legacy') exchange.notify(notification)
      visit.check()
    }
  }

  has(ids: readonly string[]): boolean {
    return ids.length > 0 && ids.every((id) => this.#completed.has(id))
  }

  /** Resolves when all of them become complete, or after so many milliseconds. */
  async wait(ids: readonly string[], milliseconds: number, exchange: Exchange): Promise<void> {
    const { signal } = exchange
    const wasComplete = this.has(ids)
    let onAbort = () => {}
    let timer: ReturnType<typeof setTimeout> | undefined
    let visit: Visit | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        onAbort = () => reject(abortError(signal))
        if (signal.aborted) return onAbort()
        signal.addEventListener('abort', onAbort, { once: true })
        timer = setTimeout(resolve, milliseconds)
        visit = { exchange, ids, check: () => !wasComplete && this.has(ids) && resolve() }
        this.#visits.add(visit)
      })
    } finally {
      clearTimeout(timer)
      if (visit) this.#visits.delete(visit)
      signal.removeEventListener('abort', onAbort)
    }
  }
}
