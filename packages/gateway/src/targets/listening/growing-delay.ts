const FIRST_PAUSE = 100
const LONGEST_PAUSE = 1000
/** A pause this long resets the delay. */
const QUIET = 5000

/** How long to wait before something is done: not at all, or longer and longer when it is wanted again and again. */
export class GrowingDelay {
  #pause = 0
  #last = 0

  /** Milliseconds to wait. */
  get wait(): number {
    const since = Date.now() - this.#last
    if (since > QUIET) this.#pause = 0
    return Math.max(0, this.#pause - since)
  }

  /** Notes that it is done now. */
  begin(): void {
    this.#last = Date.now()
    this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2 || FIRST_PAUSE)
  }
}
