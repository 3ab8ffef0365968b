/** Four steps for each doubling, from a tenth of a millisecond on: percentiles are right within a tenth. */
const STEPS = 96
const SHORTEST = 0.1

export interface CountedCall {
  readonly at: number
  readonly failed: boolean
  readonly durationMs: number
  /** Length of the arguments as JSON. */
  readonly bytesIn: number
  /** Length of the answer, where it is known. */
  readonly bytesOut: number
}

/** As it is kept: calls, errors, bytes in, bytes out, last call, and step and count of each step that has any. */
export type KeptCounts = readonly [number, number, number, number, number, readonly number[]]

/** Calls, their sizes and their times. Counts of several spans of time can be added up. */
export class CallCounts {
  calls = 0
  errors = 0
  bytesIn = 0
  bytesOut = 0
  lastAt = 0
  readonly #steps = new Uint32Array(STEPS)

  add({ at, failed, durationMs, bytesIn, bytesOut }: CountedCall): void {
    this.calls++
    if (failed) this.errors++
    this.bytesIn += bytesIn
    this.bytesOut += bytesOut
    this.lastAt = Math.max(this.lastAt, at)
    const step = Math.floor(Math.log2(Math.max(durationMs / SHORTEST, 1)) * 4)
    this.#steps[Math.min(step, STEPS - 1)]!++
  }

  addKept([calls, errors, bytesIn, bytesOut, lastAt, steps]: KeptCounts): void {
    this.calls += calls
    this.errors += errors
    this.bytesIn += bytesIn
    this.bytesOut += bytesOut
    this.lastAt = Math.max(this.lastAt, lastAt)
    for (let at = 0; at < steps.length; at += 2) this.#steps[steps[at]!]! += steps[at + 1]!
  }

  toKept(): KeptCounts {
    const steps: number[] = []
    this.#steps.forEach((count, step) => {
      if (count > 0) steps.push(step, count)
    })
    return [this.calls, this.errors, this.bytesIn, this.bytesOut, this.lastAt, steps]
  }

  /** In milliseconds. */
  percentile(share: number): number {
    let left = this.calls * share
    const step = this.#steps.findIndex((count) => {
      left -= count
      return left <= 0
    })
    return Math.round(SHORTEST * 2 ** ((step + 0.5) / 4) * 100) / 100
  }
}
