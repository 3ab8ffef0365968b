const MIB = 1024 * 1024
const PER_CALLER = 16 * MIB
const MOST_OF_CALLER = 100
/** Others use the store too, and a store in memory holds 64 MiB. Sealing makes texts longer by a third. */
const IN_ALL = 32 * MIB

/** One text that is kept for a caller. */
interface Kept {
  readonly id: string
  readonly bytes: number
  readonly expires: number
}

/** The texts that this process keeps for each caller, so that one caller cannot take the room of others. */
export class KeptShares {
  readonly #callers = new Map<string, Kept[]>()
  #bytes = 0

  /**
   * The texts to delete to make room for a new text, the oldest of the same caller first. Undefined: the new text is
   * too long.
   */
  take(caller: string, kept: Kept, now: number = Date.now()): readonly string[] | undefined {
    this.#forgetExpired(now)
    const own = this.#callers.get(caller) ?? []
    const gone: Kept[] = []
    let held = own.reduce((sum, { bytes }) => sum + bytes, 0)
    let all = this.#bytes
    const lacks = (): boolean =>
      held + kept.bytes > PER_CALLER ||
      all + kept.bytes > IN_ALL ||
      own.length - gone.length >= MOST_OF_CALLER
    for (const one of own) {
      if (!lacks()) break
      gone.push(one)
      held -= one.bytes
      all -= one.bytes
    }
    if (lacks()) return undefined
    this.#callers.set(caller, [...own.slice(gone.length), kept])
    this.#bytes = all + kept.bytes
    return gone.map(({ id }) => id)
  }

  #forgetExpired(now: number): void {
    for (const [caller, own] of this.#callers) {
      const left = own.filter(({ expires }) => expires > now)
      if (left.length === own.length) continue
      for (const { bytes, expires } of own) if (expires <= now) this.#bytes -= bytes
      if (left.length > 0) this.#callers.set(caller, left)
      else this.#callers.delete(caller)
    }
  }
}
