import { setTimeout as sleep } from 'node:timers/promises'
import type { NextTry } from './backoff.ts'

/** When a connection that failed is tried again: by itself, and by callers that want it. */
export class RetryClock {
  /** When it is tried again without being asked; 0 when nothing is planned. */
  retryAt = 0
  #refusedUntil = 0
  #notBefore = 0
  #timer: NodeJS.Timeout | undefined

  /** How much longer callers are refused, in milliseconds; 0 when a call may try. */
  get refusedFor(): number {
    return Math.max(0, this.#refusedUntil - Date.now())
  }

  wait({ delay, refuseFor, floor }: Pick<NextTry, 'delay' | 'refuseFor' | 'floor'>): void {
    const now = Date.now()
    this.retryAt = now + delay
    this.#refusedUntil = now + refuseFor
    this.#notBefore = now + floor
  }

  /** Runs `retry` after the delay, unless something else happens first. */
  schedule(delay: number, retry: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.forget()
      retry()
    }, delay)
    this.#timer.unref()
  }

  /** Somebody tries now. */
  cancel(): void {
    clearTimeout(this.#timer)
  }

  /** Nothing has to be waited for any more. */
  forget(): void {
    this.retryAt = 0
    this.#refusedUntil = 0
    this.#notBefore = 0
  }

  /** Callers that come right after a failure wait together for the next attempt. */
  async pause(signal: AbortSignal): Promise<void> {
    const pause = this.#notBefore - Date.now()
    if (pause <= 0) return
    await sleep(pause, undefined, { signal }).catch(() => {
      throw signal.reason
    })
  }
}
