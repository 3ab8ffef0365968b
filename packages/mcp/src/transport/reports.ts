const SECOND = 1000

/** Lets so many reports through in a second: about a flood, more would cost more than the flood itself. */
export class ReportLimit {
  readonly #perSecond: number
  readonly #now: () => number
  #since = Number.NEGATIVE_INFINITY
  #count = 0
  #suppressed = 0

  constructor(perSecond: number, now: () => number = Date.now) {
    this.#perSecond = perSecond
    this.#now = now
  }

  /**
   * Whether a report may be made now: the number of reports that were held back since the last one; undefined when it
   * may not.
   */
  take(): number | undefined {
    if (this.#count >= this.#perSecond) {
      const now = this.#now()
      if (now - this.#since < SECOND) {
        this.#suppressed++
        return undefined
      }
      this.#since = now
      this.#count = 0
    } else if (this.#count === 0) {
      this.#since = this.#now()
    }
    this.#count++
    const suppressed = this.#suppressed
    this.#suppressed = 0
    return suppressed
  }
}

/** Something that a client sent and that cannot be used. */
export interface ProtocolProblem {
  code: number
  message: string
}

/** Calls the log of the embedding application. When it throws, neither the connection nor the process must end. */
export function reportSafely<Problem = ProtocolProblem>(
  report: ((problem: Problem) => void) | undefined,
  problem: Problem,
): void {
  try {
    report?.(problem)
  } catch {
    // The log of the application failed.
  }
}
