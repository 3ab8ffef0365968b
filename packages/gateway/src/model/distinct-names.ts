/** Gives each name once: one that is taken gets a number behind it. Others choose the names, so all may be the same. */
export class DistinctNames {
  readonly #between: string
  readonly #taken: Set<string>
  /** The next number for a name. */
  readonly #next = new Map<string, number>()

  constructor(between: string, taken: Iterable<string> = []) {
    this.#between = between
    this.#taken = new Set(taken)
  }

  take(wanted: string): string {
    let name = wanted
    if (this.#taken.has(wanted)) {
      let count = this.#next.get(wanted) ?? 2
      do name = `${wanted}${this.#between}${count++}`
      while (this.#taken.has(name))
      this.#next.set(wanted, count)
    }
    this.#taken.add(name)
    return name
  }
}
