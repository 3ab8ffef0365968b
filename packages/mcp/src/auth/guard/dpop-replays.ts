/** Remembers proofs, so that each is good for one request. True when it was not seen before. */
export type IsNewProof = (id: string, ttlMs: number) => boolean | Promise<boolean>

interface Seen {
  readonly issuedAt: number
  readonly until: number
}

const DEFAULT_MAX_PROOFS = 100_000

/** The proofs seen, bounded. A flood shortens how long a proof is good; none works twice (RFC 9449, 11.1). */
export class DpopReplays {
  readonly #seen = new Map<string, Seen>()
  readonly #maxProofs: number
  #floor = Number.NEGATIVE_INFINITY

  constructor(maxProofs: number = DEFAULT_MAX_PROOFS) {
    this.#maxProofs = maxProofs
  }

  get size(): number {
    return this.#seen.size
  }

  /** `issuedAt` and `ttlMs` in milliseconds. */
  isNew(id: string, issuedAt: number, ttlMs: number): boolean {
    this.#forgetExpired()
    if (issuedAt <= this.#floor || this.#seen.has(id)) return false
    this.#seen.set(id, { issuedAt, until: Date.now() + ttlMs })
    if (this.#seen.size > this.#maxProofs) this.#forgetOldest()
    return true
  }

  /** A Map yields the oldest first, and all live equally long. */
  #forgetExpired(): void {
    const now = Date.now()
    for (const [id, seen] of this.#seen) {
      if (seen.until > now) return
      this.#seen.delete(id)
    }
  }

  #forgetOldest(): void {
    const [id, seen] = this.#seen.entries().next().value as [string, Seen]
    this.#seen.delete(id)
    this.#floor = Math.max(this.#floor, seen.issuedAt)
  }
}
