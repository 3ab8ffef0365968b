/** A step, with times of `performance.now()`. */
export interface StepTime {
  readonly name: string
  readonly began: number
  readonly ended: number
}

/**
 * When a request entered which step. Every call passes some, and few traces are sent, so that only names and times are
 * noted.
 */
export class StepTimes {
  #count = 0
  // Room for what most requests pass: lists that grow are made anew.
  readonly #names: string[] = ['', '', '', '', '', '']
  readonly #times: number[] = [0.5, 0, 0, 0, 0, 0]

  /** The step before ends here. An empty name: no step follows. */
  enter(name: string): void {
    this.#names[this.#count] = name
    this.#times[this.#count++] = performance.now()
  }

  /** `end` is the end of the last one. */
  *until(end: number): Generator<StepTime> {
    for (let at = 0; at < this.#count; at++) {
      const name = this.#names[at]!
      const next = at + 1 < this.#count ? this.#times[at + 1]! : end
      if (name !== '') yield { name, began: this.#times[at]!, ended: next }
    }
  }
}
