/** How many of the calls that may be repeated are repeated at most, as a share. */
const SHARE = 0.02
/** The most tries that can be saved up in quiet times. */
const MOST = 10

/** Repeated calls make an outage worse, so only so many are made: 2 % of the calls, and one to begin with. */
export class RetryBudget {
  #tokens = 1

  /** A call was made that could be repeated. */
  earn(): void {
    this.#tokens = Math.min(MOST, this.#tokens + SHARE)
  }

  /** Whether one more try may be made. */
  spend(): boolean {
    // Fifty times 0.02 is a little less than 1.
    if (this.#tokens < 1 - 1e-9) return false
    this.#tokens -= 1
    return true
  }
}
