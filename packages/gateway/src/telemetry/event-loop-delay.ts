import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION = 20
const NANOSECONDS = 1e9

/** How long work waits for its turn in this process. Measured from the first look on. */
export class EventLoopDelay {
  #histogram: IntervalHistogram | undefined

  /** In seconds, since the last look. */
  read(): Record<'p50' | 'p99' | 'max', number> {
    if (!this.#histogram) {
      this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION })
      this.#histogram.enable()
      return { p50: 0, p99: 0, max: 0 }
    }
    const { max } = this.#histogram
    const [p50, p99] = [50, 99].map((share) => this.#histogram!.percentile(share))
    this.#histogram.reset()
    // The timer itself takes its resolution.
    const beyond = (value: number): number => Math.max(0, value / NANOSECONDS - RESOLUTION / 1000)
    return { p50: beyond(p50!), p99: beyond(p99!), max: beyond(max) }
  }
}
