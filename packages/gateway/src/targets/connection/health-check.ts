import type { HealthModel } from '../../model/index.ts'

export interface HealthHost {
  model(): HealthModel
  ping(signal: AbortSignal): Promise<unknown>
  /** Told after every ping; 0 failures in a row means that it was answered. */
  report(failures: number, error: unknown): void
}

/** Pings a connection at its interval. */
export class HealthCheck {
  readonly #host: HealthHost
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #stopped = false

  constructor(host: HealthHost) {
    this.#host = host
    this.#schedule()
  }

  #schedule(): void {
    const { interval } = this.#host.model()
    if (interval === undefined || this.#stopped) return
    this.#timer = setTimeout(() => void this.#check(), interval)
    this.#timer.unref()
  }

  async #check(): Promise<void> {
    const { timeout } = this.#host.model()
    let error: unknown
    try {
      await this.#host.ping(AbortSignal.timeout(timeout))
      this.#failures = 0
    } catch (thrown) {
      this.#failures++
      error = thrown
    }
    if (this.#stopped) return
    this.#host.report(this.#failures, error)
    this.#schedule()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }
}
