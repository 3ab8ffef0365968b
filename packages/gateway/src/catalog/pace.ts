const FIRST_PAUSE = 100
const LONGEST_PAUSE = 1000
/** Who has said nothing for so long is answered at once again. */
const QUIET = 5000

/** Handles an announcement at once, unless they come all the time: then it waits, and so spares clients. */
export class Pace {
  #pause = 0
  #last = 0

  /** Milliseconds to wait. */
  get wait(): number {
    const since = Date.now() - this.#last
    if (since > QUIET) this.#pause = 0
    return Math.max(0, this.#pause - since)
  }

  /** It is being done now. */
  begin(): void {
    this.#last = Date.now()
    this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2 || FIRST_PAUSE)
  }
}
