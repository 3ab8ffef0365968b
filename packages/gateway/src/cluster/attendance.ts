/** A gateway that is not heard of for so long is gone. */
export const GONE_AFTER = 1_500
const NOT_YET = Number.POSITIVE_INFINITY

/** What time says of this gateway: whether it stood still, and whether the others have taken it for gone. */
export class Attendance {
  /** When the last heartbeat began that was in time, whether the store was there or not. */
  #tickedAt = performance.now()
  /** When the others take this gateway for gone, by the clock of the store. */
  #heardUntil = Number.POSITIVE_INFINITY
  /** When the store was reached again. */
  #isBackSince = 0

  /** This process stood still for so long that others may have its place. It learns that with the next heartbeat. */
  get isLate(): boolean {
    return performance.now() - this.#tickedAt > GONE_AFTER
  }

  /** Whether the store was there for long enough: when it is just back, the others are only coming back as well. */
  get isSettled(): boolean {
    return Date.now() > this.#isBackSince + GONE_AFTER
  }

  /** Begins a heartbeat. The function returned ends it. */
  beat(): () => void {
    const now = performance.now()
    // After a standstill the store has to say first what has become of this gateway.
    if (!this.isLate) this.#tickedAt = now
    return () => {
      this.#tickedAt = Math.max(this.#tickedAt, now)
    }
  }

  /** Called when the store took no heartbeat. Returns whether it took the previous heartbeat. */
  missed(): boolean {
    const isFirst = this.#isBackSince !== NOT_YET
    this.#isBackSince = NOT_YET
    return isFirst
  }

  /** The store took a heartbeat. Returns whether it was away before. */
  reached(): boolean {
    const wasAway = this.#isBackSince === NOT_YET
    if (wasAway) this.cameBack()
    return wasAway
  }

  cameBack(): void {
    this.#isBackSince = Date.now()
  }

  /** Whether a heartbeat that holds until `expires` came when this gateway was gone for the others. */
  isAfterAbsence(expires: number): boolean {
    return expires - GONE_AFTER > this.#heardUntil
  }

  heardUntil(expires: number | undefined): void {
    this.#heardUntil = expires ?? this.#heardUntil
  }
}
