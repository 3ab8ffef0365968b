import { toNumber } from '../../jsonrpc/index.ts'
import type { Notification } from '../exchange.ts'

/** How many messages may wait. The oldest are dropped first. */
const MAX_WAITING = { messages: 10_000, characters: 4_000_000 }

export interface AnnouncementsHost {
  send(text: string): void
  /** True while the reader is far behind. */
  isCongested(): boolean
}

/** News for a reader that may be behind: each waits once, so memory is bounded and nothing is missed. */
export class Announcements {
  readonly #host: AnnouncementsHost
  #waiting: Set<string> | undefined
  #characters = 0

  constructor(host: AnnouncementsHost) {
    this.#host = host
  }

  say(text: string): void {
    if (!this.#host.isCongested()) {
      this.release()
      this.#host.send(text)
      return
    }
    this.#waiting ??= new Set()
    if (this.#waiting.has(text)) return
    this.#waiting.add(text)
    this.#characters += text.length
    for (const oldest of this.#waiting) {
      if (this.#waiting.size <= MAX_WAITING.messages && this.#characters <= MAX_WAITING.characters) return
      this.#waiting.delete(oldest)
      this.#characters -= oldest.length
    }
  }

  /** The reader has caught up, or what comes next must not come before these. */
  release(): void {
    const waiting = this.#waiting
    if (!waiting) return
    this.#waiting = undefined
    this.#characters = 0
    for (const text of waiting) this.#host.send(text)
  }
}

/** Drops progress that the client has heard already, as from a handler that runs again. */
export class IncreasingProgress {
  #last: number = Number.NEGATIVE_INFINITY

  /** Progress MUST increase with each notification (2025-11-25 and 2026-07-28, Progress). */
  admits(notification: Notification): boolean {
    if (notification.method !== 'notifications/progress') return true
    const progress = toNumber(notification.params?.progress)
    if (progress === undefined || progress <= this.#last) return false
    this.#last = progress
    return true
  }
}
