/** A seeded generator (mulberry32), so that a failure can be seen again. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length)
    for (let i = 0; i < length; i++) bytes[i] = this.below(256)
    return bytes
  }

  /** The pieces of a text of bytes, cut anywhere. */
  *slices(bytes: Uint8Array, most: number): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; ) {
      const end = Math.min(bytes.length, at + 1 + this.below(most))
      yield bytes.slice(at, end)
      at = end
    }
  }
}
