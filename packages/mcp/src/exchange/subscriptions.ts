import type { Notification } from './exchange.ts'

/** An update may name a sub-resource of what was subscribed to (MCP 2025-11-25, schema). */
export function coversUri(subscribed: string, updated: string): boolean {
  if (updated === subscribed) return true
  if (!updated.startsWith(subscribed)) return false
  return /[/?#]$/.test(subscribed) || /^[/?#]/.test(updated.slice(subscribed.length))
}

/** How many notifications are kept back. Beyond that the oldest go. */
const MAX_HELD = 256

/** Holds notifications until the acknowledgement was sent first (2026-07-28, basic/patterns/subscriptions). */
export class HeldNotifications {
  readonly #emit: (notification: Notification) => void
  #held: Notification[] | undefined = []

  constructor(emit: (notification: Notification) => void) {
    this.#emit = emit
  }

  get isReleased(): boolean {
    return this.#held === undefined
  }

  readonly notify = (notification: Notification): void => {
    if (!this.#held) return this.#emit(notification)
    this.#held.push(notification)
    if (this.#held.length > MAX_HELD) this.#held.shift()
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const notification of held) this.#emit(notification)
  }
}
