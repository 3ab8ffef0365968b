import type { Notification } from './exchange.ts'

/** Notifications kept back, at most; of more than that the oldest go. */
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
