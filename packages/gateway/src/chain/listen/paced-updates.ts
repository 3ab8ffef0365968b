import type { Notification } from '@gantry/mcp/exchange'
import { GrowingDelay } from '../../targets/growing-delay.ts'

/** Resources whose updates wait, at most; of more than that the oldest go. */
const MAX_WAITING = 1000

/** Updates for one listener. Of many updates of one resource the last is enough, and it is never lost. */
export class PacedUpdates {
  readonly #emit: (notification: Notification) => void
  readonly #waiting = new Map<string, Notification>()
  readonly #delay = new GrowingDelay()
  #timer: NodeJS.Timeout | undefined

  constructor(emit: (notification: Notification) => void) {
    this.#emit = emit
  }

  add(uri: string, notification: Notification): void {
    this.#waiting.delete(uri)
    this.#waiting.set(uri, notification)
    if (this.#waiting.size > MAX_WAITING) this.#waiting.delete(this.#waiting.keys().next().value!)
    if (this.#timer) return
    const { wait } = this.#delay
    if (wait === 0) return this.#flush()
    this.#timer = setTimeout(() => this.#flush(), wait)
    this.#timer.unref()
  }

  #flush(): void {
    this.#timer = undefined
    this.#delay.begin()
    const due = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const notification of due) this.#emit(notification)
  }

  /** Nobody listens any more. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting.clear()
  }
}
