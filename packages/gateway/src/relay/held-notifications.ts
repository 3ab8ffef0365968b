import { deriveExchange, type Exchange, type Notification } from '@gantry/mcp/exchange'

/** Notifications kept back, at most; of more than that the oldest go. */
const MAX_HELD = 256

/**
 * An exchange whose notifications wait until they are released: the acknowledgement of a subscription must be
 * the first message on its stream (MCP 2026-07-28, basic/patterns/subscriptions).
 */
export class HeldNotifications {
  readonly exchange: Exchange
  readonly #to: Exchange
  #held: Notification[] | undefined = []

  constructor(to: Exchange) {
    this.#to = to
    this.exchange = deriveExchange(to, { notify: (notification) => this.#notify(notification) })
  }

  get isReleased(): boolean {
    return this.#held === undefined
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const notification of held) this.#to.notify(notification)
  }

  #notify(notification: Notification): void {
    if (!this.#held) return this.#to.notify(notification)
    this.#held.push(notification)
    if (this.#held.length > MAX_HELD) this.#held.shift()
  }
}
