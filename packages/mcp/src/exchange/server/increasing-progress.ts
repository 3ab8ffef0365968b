import { toNumber } from '../../jsonrpc/index.ts'
import type { Notification } from '../exchange.ts'

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
